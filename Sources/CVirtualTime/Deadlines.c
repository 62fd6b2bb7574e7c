// Deadlines of captured work that real time serves. A program computes them from virtual clocks, so
// each is moved: it comes as far ahead in real time as it is on the virtual clocks.
#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <pthread.h>

// MARK: Foundation

struct timespec real_deadline(const struct timespec *deadline) {
  enum { second = 1000000000 };
  struct timespec date = virtual_date(), real;
  real_clock(CLOCK_REALTIME, &real);
  int64_t nanoseconds = deadline->tv_nsec - date.tv_nsec + real.tv_nsec;
  int64_t carry = nanoseconds < 0 ? -1 : nanoseconds / second;
  return (struct timespec){.tv_sec = deadline->tv_sec - date.tv_sec + real.tv_sec + carry, .tv_nsec = nanoseconds - carry * second};
}

// NSLock.lock(before:)
static int seen_pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
  REAL(pthread_mutex_timedlock, int, (pthread_mutex_t *, const struct timespec *));
  if (!is_foundations(CALLER)) return real(mutex, deadline);
  struct timespec moved = real_deadline(deadline);
  return real(mutex, &moved);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict, const struct timespec *restrict) REPLACES(pthread_mutex_timedlock);

// MARK: Dispatch

extern uint64_t dispatch_walltime(const struct timespec *, int64_t) __attribute__((weak));
extern uint64_t dispatch_time(uint64_t, int64_t) __attribute__((weak));
extern void dispatch_source_set_timer(void *, uint64_t, uint64_t, uint64_t) __attribute__((weak));

// DISPATCH_WALLTIME_NOW. A time of the wall clock is negated, so that its two highest bits are set.
static const uint64_t wall_now = ~1ull;
static bool is_wall(uint64_t when) { return when >> 62 == 3; }

static uint64_t real_time(uint64_t when, int64_t delta) {
  REAL(dispatch_time, uint64_t, (uint64_t, int64_t));
  return real(when, delta);
}

static uint64_t seen_dispatch_walltime(const struct timespec *when, int64_t delta) {
  REAL(dispatch_walltime, uint64_t, (const struct timespec *, int64_t));
  if (!is_for_captured_work(CALLER)) return real(when, delta);
  struct timespec date = when ? wall_time(*when) : virtual_wall_time();
  return real(&date, delta);
}

static uint64_t seen_dispatch_time(uint64_t when, int64_t delta) {
  if ((when != now && when != wall_now) || !is_for_captured_work(CALLER)) return real_time(when, delta);
  return when == now ? real_time(virtual_uptime(), delta) : dispatch_walltime(NULL, delta);
}

uint64_t real_dispatch_ahead(int64_t nanoseconds) { return real_time(now, nanoseconds); }
uint64_t real_dispatch_now(void) { return real_time(now, 0); }

int64_t time_ahead(uint64_t when) {
  if (when == now || when == wall_now) return 0;
  if (when == forever) return INT64_MAX;
  struct timespec date = virtual_wall_time();
  int64_t ahead = is_wall(when) ? (int64_t)-when - (date.tv_sec * 1000000000ll + date.tv_nsec) : (int64_t)when - virtual_uptime();
  return ahead > 0 ? ahead : 0;
}

uint64_t real_dispatch_time(uint64_t when, const void *caller) {
  if (when == now || when == wall_now || when == forever || !is_for_captured_work(caller)) return when;
  return real_time(now, time_ahead(when));
}

// A timer source fires in real time. A run loop has computed its time from a real clock.
static void seen_dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  REAL(dispatch_source_set_timer, void, (void *, uint64_t, uint64_t, uint64_t));
  void *caller = CALLER;
  uint64_t moved = library_of(caller) == foundation ? start : real_dispatch_time(start, caller);
  // A time of the wall clock cannot be compared.
  note_start_of_timer(source, is_wall(moved) && moved != forever ? 0 : moved);
  real(source, moved, interval, leeway);
}

uint64_t dispatch_walltime(const struct timespec *, int64_t) REPLACES(dispatch_walltime);
uint64_t dispatch_time(uint64_t, int64_t) REPLACES(dispatch_time);
void dispatch_source_set_timer(void *, uint64_t, uint64_t, uint64_t) REPLACES(dispatch_source_set_timer);

bool sees_deadlines(void) {
  return IS_REPLACED(pthread_mutex_timedlock) && IS_REPLACED(dispatch_walltime) &&
         IS_REPLACED(dispatch_time) && IS_REPLACED(dispatch_source_set_timer);
}

#endif
