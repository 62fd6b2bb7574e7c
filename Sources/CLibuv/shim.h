#pragma once
#include <uv.h>
#if defined(__linux__)
#include <sys/timerfd.h>
// Hidden without _GNU_SOURCE, which comes too late here: other modules have brought the header in.
int pthread_setname_np(pthread_t thread, const char *name);
#endif
