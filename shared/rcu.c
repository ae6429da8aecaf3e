/* rcu - see rcu.h. */
#include "rcu.h"

#ifdef RCU_TSAN
char rcu_edge;
#else
extern int rcu_is_plain; /* nothing to define: a translation unit must not be empty */
#endif
