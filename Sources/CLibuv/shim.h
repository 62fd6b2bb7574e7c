#pragma once
#include <uv.h>
#if defined(__linux__)
#include <sys/timerfd.h>
#endif
