// The clocks of threads that run captured work.
#ifndef CLOCKS_H
#define CLOCKS_H

#include "Callers.h"
#include "CVirtualTime.h"

#ifdef CURFEW_REPLACES_FUNCTIONS
#include <time.h>

// The Swift side: whether the code that runs on this captured thread is captured work.
extern bool curfew_is_by_us(void) __attribute__((weak));

#pragma GCC visibility push(hidden)

// Whether the Swift clocks read virtual time. A compiler may have generated code that does not,
// and virtual time that is only nearly right is worse than none. Determined at start.
bool do_clocks_follow(void);

// Whether a call on this thread is for captured work, rather than for a test framework. False if
// dates do not follow.
bool is_for_captured_work(const void *caller);

int real_clock(clockid_t clock, struct timespec *time);

// The virtual date, and the virtual CLOCK_MONOTONIC in nanoseconds.
struct timespec virtual_date(void);
int64_t virtual_uptime(void);
int64_t virtual_now(void);

// The nanoseconds by which this thread's next read of the uptime is ahead.
extern _Thread_local int64_t uptime_ahead;

// The virtual date as a time of Dispatch's wall clock, which can represent only the dates from 1970
// to 2116.
struct timespec virtual_wall_time(void);

// A date as a time of that clock.
struct timespec wall_time(struct timespec date);

// The real date that is as far ahead as a virtual date.
struct timespec real_deadline(const struct timespec *deadline);

// The real time that this thread has spent in run loops at the present virtual instant.
int64_t real_time_in_run_loops(void);
void add_time_in_run_loops(int64_t nanoseconds);

// Whether the runs of run loops, and their timers, can be followed.
bool sees_run_loops(void);

// Whether Foundation's waits until a date can be moved to real time.
bool sees_deadlines(void);

// The time of the real Dispatch that is as far ahead as `when` is for the caller.
uint64_t real_dispatch_time(uint64_t when, const void *caller);

// The time until a time of Dispatch on the virtual clocks, in nanoseconds; INT64_MAX for ever.
int64_t time_ahead(uint64_t when);

// Whether Foundation calls for captured work.
bool is_foundations(const void *caller);

// The time of the real Dispatch that is so far ahead.
uint64_t real_dispatch_ahead(int64_t nanoseconds);

// The current time of the real Dispatch.
uint64_t real_dispatch_now(void);

#pragma GCC visibility pop
#endif
#endif
