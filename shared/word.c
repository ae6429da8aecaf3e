/* word - see word.h. */
#include "word.h"

#include "log_control.h"

uint32_t word_make(struct held held, bool available, bool in_log, uint64_t delta_ms)
{
	uint32_t delta = delta_ms > PMLC_MAX_DELTA ? PMLC_MAX_DELTA : (uint32_t)delta_ms;
	return (held.on ? 1u : 0u) | (held.mandatory ? 2u : 0u) | (available ? 4u : 0u) | (in_log ? 8u : 0u) |
	       delta << 4;
}
