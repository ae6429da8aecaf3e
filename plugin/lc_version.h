/* lc_version - the version, handed in by the build. */
#ifndef LC_VERSION
#define LC_VERSION "unknown"
#endif
