/* dial - a connection to a unix socket, for what measures. */
#ifndef LC_DIAL_H
#define LC_DIAL_H

/* Tries for ten seconds, since a daemon may still be starting; -1: nobody is there. */
int dial(const char *path);

#endif
