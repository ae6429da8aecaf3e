/*
 * word - the status word of a metric instance, laid out as the peer's (specification section 8).
 *
 * Role     encodes; the accessors PMLC_GET_* that decode are in log_control.h, for programs too.
 */
#ifndef LC_WORD_H
#define LC_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"

/* bit 0 on, 1 mandatory, 2 available, 3 in log, 4-31 delta in ms, saturating at PMLC_MAX_DELTA. */
uint32_t word_make(struct held held, bool available, bool in_log, uint64_t delta_ms);

#endif
