/*
 * log_control.h - for programs: constants, the status word's accessors, and the client library of log_control.
 *
 * Names follow __pmControlLog(3) where it has a name.
 */
#ifndef LOG_CONTROL_H
#define LOG_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The status word: bit 0 on, bit 1 mandatory, bit 2 available, bit 3 in log, bits 4-31 delta in milliseconds. */
#define PMLC_MAX_DELTA 0x0fffffff
#define PMLC_GET_ON(word) ((int)((uint32_t)(word)&1u))
#define PMLC_GET_MAND(word) ((int)(((uint32_t)(word) >> 1) & 1u))
#define PMLC_GET_AVAIL(word) ((int)(((uint32_t)(word) >> 2) & 1u))
#define PMLC_GET_INLOG(word) ((int)(((uint32_t)(word) >> 3) & 1u))
#define PMLC_GET_DELTA(word) ((int32_t)((uint32_t)(word) >> 4))

#ifdef __cplusplus
}
#endif

#endif
