/* faults - see faults.h. */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int     __real_open(const char *path, int flags, ...);
ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t at);
int     __real_fsync(int fd);
int     __real_fdatasync(int fd);
int     __real_ftruncate(int fd, off_t size);
int     __real_rename(const char *from, const char *to);
int     __real_unlink(const char *path);
int     __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at);
int     __wrap_fsync(int fd);
int     __wrap_fdatasync(int fd);
int     __wrap_ftruncate(int fd, off_t size);
int     __wrap_rename(const char *from, const char *to);
int     __wrap_unlink(const char *path);

#define FILES_MAX 64
#define NAMES_MAX 8
#define BLOCK     512

/* A file that was opened, and what of it is on the disk. */
struct file {
	ino_t  ino;
	char  *durable;
	size_t len;
	size_t from, to; /* bytes written since the last sync, as one range; none: from >= to */
};

static struct {
	char          dir[128];
	struct file   files[FILES_MAX];
	size_t        n_files;
	char          names[NAMES_MAX][256]; /* durable names, ... */
	struct file  *named[NAMES_MAX];      /* ... and what they name */
	size_t        n_names;
	enum fault    kind;
	int           error;
	unsigned long left, times; /* calls until the first fault, and how many */
	bool          happened;
} disk;

static struct {
	unsigned long full, error, half, torn, dead, cut;
} injected;

__attribute__((destructor)) static void tell(void)
{
	printf("faults injected: full disk %lu, disk error %lu, half write %lu, torn block %lu, sudden end %lu, power "
	       "cut %lu\n",
	       injected.full, injected.error, injected.half, injected.torn, injected.dead, injected.cut);
}

void faults_start(const char *dir)
{
	faults_fini();
	snprintf(disk.dir, sizeof(disk.dir), "%s", dir);
}

void faults_fini(void)
{
	for (size_t i = 0; i < disk.n_files; i++)
		free(disk.files[i].durable);
	memset(&disk, 0, sizeof(disk));
}

void faults_at(unsigned long n, enum fault kind, int error, unsigned long times)
{
	disk.kind = kind;
	disk.error = error;
	disk.left = n;
	disk.times = times;
	disk.happened = false;
}

bool faults_happened(void)
{
	return disk.happened;
}

bool faults_off(void)
{
	disk.left = disk.times = 0;
	return disk.happened;
}

static void count_fault(void)
{
	injected.half += disk.kind == FAULT_SHORT;
	injected.torn += disk.kind == FAULT_TORN;
	injected.dead += disk.kind == FAULT_CRASH && !disk.happened;
	injected.full += disk.kind == FAULT_ERROR && disk.error == ENOSPC;
	injected.error += disk.kind == FAULT_ERROR && disk.error != ENOSPC;
}

/* Counts a call; does it fail? */
static bool fails(void)
{
	if (disk.times == 0)
		return false;
	if (disk.left > 1) {
		disk.left--;
		return false;
	}
	if (disk.kind != FAULT_CRASH)
		disk.times--;
	count_fault();
	disk.happened = true;
	errno = disk.error;
	return true;
}

/* ---- what is durable ---- */

/* The latest file of that inode number: numbers are given again. */
static struct file *file_of(int fd)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		abort();
	for (size_t i = disk.n_files; i-- > 0;) {
		if (disk.files[i].ino == st.st_ino)
			return &disk.files[i];
	}
	return NULL;
}

static void remember(int fd)
{
	struct stat st;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (file_of(fd) != NULL && st.st_size > 0))
		return;
	if (disk.n_files == FILES_MAX)
		abort();
	disk.files[disk.n_files++] = (struct file){ .ino = st.st_ino };
}

/* Of the file only what was written since the last sync goes to the disk. */
static void make_durable(int fd, struct file *f)
{
	struct stat st;
	if (f == NULL || fstat(fd, &st) != 0)
		abort();
	size_t size = (size_t)st.st_size, to = f->to < size ? f->to : size;
	f->durable = realloc(f->durable, size + 1);
	if (f->durable == NULL)
		abort();
	if (size > f->len)
		memset(f->durable + f->len, 0, size - f->len);
	f->len = size;
	if (f->from < to && pread(fd, f->durable + f->from, to - f->from, (off_t)f->from) != (ssize_t)(to - f->from))
		abort();
	f->from = f->to = 0;
}

/* The sync failed: the kernel holds the bytes for written, and the disk has torn the block. */
static void tear(struct file *f)
{
	size_t from = f->from / BLOCK * BLOCK;
	if (f->from < f->to && from < f->len)
		memset(f->durable + from, '#', f->len - from);
	f->from = f->to = 0;
}

static void make_names_durable(void)
{
	DIR           *d = opendir(disk.dir);
	struct dirent *e;
	disk.n_names = 0;
	while ((e = readdir(d)) != NULL) {
		for (size_t i = disk.n_files; e->d_name[0] != '.' && i-- > 0;) {
			if (disk.files[i].ino != e->d_ino)
				continue;
			disk.named[disk.n_names] = &disk.files[i];
			snprintf(disk.names[disk.n_names++], sizeof(disk.names[0]), "%s", e->d_name);
			break;
		}
	}
	closedir(d);
}

static void path_of(char path[400], const char *name)
{
	snprintf(path, 400, "%s/%s", disk.dir, name);
}

void faults_power_cut(void)
{
	DIR           *d = opendir(disk.dir);
	struct dirent *e;
	char           path[400];
	faults_off();
	injected.cut++;
	while ((e = readdir(d)) != NULL) {
		path_of(path, e->d_name);
		if (e->d_name[0] != '.')
			__real_unlink(path);
	}
	closedir(d);
	for (size_t i = 0; i < disk.n_names; i++) {
		path_of(path, disk.names[i]);
		FILE *out = fopen(path, "w");
		if (out == NULL ||
		    (disk.named[i]->len > 0 && fwrite(disk.named[i]->durable, disk.named[i]->len, 1, out) != 1))
			abort();
		fclose(out);
	}
}

/* ---- the calls ---- */

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	int mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (disk.dir[0] == '\0' || strncmp(path, disk.dir, strlen(disk.dir)) != 0)
		return __real_open(path, flags, mode);
	if (fails())
		return -1;
	int fd = __real_open(path, flags, mode);
	if (fd >= 0)
		remember(fd);
	return fd;
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at)
{
	struct file *f = file_of(fd);
	if (f == NULL)
		return __real_pwrite(fd, data, len, at);
	bool alive = disk.kind != FAULT_CRASH || !disk.happened, failed = fails();
	if (failed && (disk.kind == FAULT_ERROR || disk.kind == FAULT_TORN || !alive))
		return -1;
	if (failed && disk.kind == FAULT_SHORT) { /* this one succeeds, and the calls behind it fail */
		disk.times++;
		disk.kind = FAULT_ERROR;
	}
	ssize_t n = __real_pwrite(fd, data, failed ? (len + 1) / 2 : len, at);
	if (n > 0) {
		f->from = f->from >= f->to || (size_t)at < f->from ? (size_t)at : f->from;
		f->to = (size_t)(at + n) > f->to ? (size_t)(at + n) : f->to;
	}
	return failed && disk.kind == FAULT_CRASH ? -1 : n;
}

static int sync_any(int fd, int (*real)(int fd))
{
	struct stat  st;
	struct file *f = file_of(fd);
	bool         is_dir = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	if (disk.dir[0] == '\0' || (f == NULL && !is_dir))
		return real(fd);
	if (fails()) {
		if (disk.kind == FAULT_TORN && f != NULL)
			tear(f);
		return -1;
	}
	if (is_dir)
		make_names_durable();
	else
		make_durable(fd, f);
	return 0; /* the real disk is none of our business */
}

int __wrap_fsync(int fd)
{
	return sync_any(fd, __real_fsync);
}

int __wrap_fdatasync(int fd)
{
	return sync_any(fd, __real_fdatasync);
}

int __wrap_ftruncate(int fd, off_t size)
{
	struct file *f = file_of(fd);
	if (f != NULL && fails())
		return -1;
	return __real_ftruncate(fd, size);
}

int __wrap_rename(const char *from, const char *to)
{
	if (disk.dir[0] != '\0' && fails())
		return -1;
	return __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
	if (disk.dir[0] != '\0' && fails())
		return -1;
	return __real_unlink(path);
}
