/*
 * faults - a disk that fails or loses power, by number of the call.
 *
 * Role     the program that uses it is linked with --wrap for open, pwrite, fsync, fdatasync, ftruncate, rename and unlink; calls
 *          for files of one folder are counted, one or more can be made to fail, and what a sync made durable is
 *          remembered: after a power cut the folder holds that and nothing else.  At its end the program prints how many faults
 *          of each kind there were.
 * Threads  one.
 */
#ifndef LC_FAULTS_H
#define LC_FAULTS_H

#include <stdbool.h>

enum fault {
	FAULT_ERROR, /* the call does nothing and fails */
	FAULT_SHORT, /* a write writes half and succeeds, the rest of it fails; other calls fail */
	FAULT_TORN,  /* as FAULT_ERROR, and a sync that fails damages the block in which the unsynced bytes begin */
	FAULT_CRASH, /* a write writes half; from then on every call fails: the program is as good as dead */
};

/* An empty folder, of which nothing is durable; no faults. */
void faults_start(const char *dir);
void faults_fini(void);
/* Calls number `n` (counted from 1 from now on) and the `times` - 1 after it fail with `error`. */
void faults_at(unsigned long n, enum fault kind, int error, unsigned long times);
/* Was there a fault since faults_at()? */
bool faults_happened(void);
/* The same, and no faults from now on. */
bool faults_off(void);
/* The folder as it is after a power cut that loses everything that was not synced. */
void faults_power_cut(void);

#endif
