/* saved - see saved.h. */
#include "saved.h"

#include <unistd.h>

#include "check.h"

char saved_dir[64], saved_path[96];

int saved_setup(void **state)
{
	(void)state;
	strcpy(saved_dir,
	       access("/dev/shm", W_OK) == 0 ? "/dev/shm/lc-save-XXXXXX" : "/tmp/lc-save-XXXXXX"); /* speed */
	assert_non_null(mkdtemp(saved_dir));
	snprintf(saved_path, sizeof(saved_path), "%s/state", saved_dir);
	return 0;
}

int saved_teardown(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", saved_dir);
	return system(command);
}

void saved_lab(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	assert_int_equal(settings_init(&lab->settings), OK);
	lab->settings.state_file = strdup(saved_path);
	lab_start(lab);
}

char *saved_read(size_t *len)
{
	FILE *f = fopen(saved_path, "r");
	char *text = malloc(1 << 20);
	assert_non_null(f);
	assert_non_null(text);
	*len = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

void saved_write(const char *text, size_t len)
{
	FILE *f = fopen(saved_path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

void saved_assert_rules(struct lab *lab, size_t n)
{
	char expected[32];
	snprintf(expected, sizeof(expected), "%zu Rules\n", n);
	assert_int_equal(strncmp(lab_ask(lab, "RULES"), expected, strlen(expected)), 0);
}

static enum err keep(void *ctx, struct entry *e)
{
	(void)ctx;
	(void)e;
	return OK;
}

enum err saved_open(struct savefile **f, const char *path, struct why *why)
{
	struct recovered got;
	*f = NULL;
	return savefile_open(f, path, "own", 0, 0, keep, NULL, &got, why);
}
