#include "Clocks.h"

#ifdef CURFEW_REPLACES_FUNCTIONS
#include <stddef.h>
#include <sys/time.h>

// The only function of the Swift runtime that reads a clock for ContinuousClock
// and SuspendingClock.
extern void swift_get_time(int64_t *, int64_t *, int) __attribute__((weak));
extern void *swift_task_getCurrent(void) __attribute__((weak));
// The Swift side, which is notified when work outside virtual time reads a clock.
extern void curfew_real_clock_read(int64_t nanoseconds) __attribute__((weak));

static _Thread_local const int64_t *clock_of_thread;
static _Thread_local int reads_in_job, dates_in_job;
// The real time that this thread has spent in run loops at one virtual instant. The instant is kept
// as the virtual uptime, which no other capture repeats.
static _Thread_local int64_t time_in_run_loops, uptime_of_run_loops;
_Thread_local int64_t uptime_ahead;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

enum { second = 1000000000 };

// The date and the uptime at the virtual instant 0.
static struct timespec date_at_zero;
static int64_t uptime_at_zero;
// The seconds by which Dispatch's wall clock is ahead of the date. Its times reach from 1970
// to 2116, and the first of them stand for "now" and "for ever". So with other dates, this clock
// is near the machine's date.
static int64_t wall_shift;

const int64_t *cvt_clock(void) { return clock_of_thread; }
void cvt_set_clock(const int64_t *nanoseconds) {
  clock_of_thread = nanoseconds;
  reads_in_job = dates_in_job = 0;
}

// Libraries read clocks before any constructor of this library has run.
int real_clock(clockid_t clock, struct timespec *time) {
  if (!real_clock_gettime) real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  return real_clock_gettime(clock, time);
}

int64_t cvt_real_uptime(void) {
  struct timespec time;
  real_clock(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

void cvt_begin_clocks(int64_t now, int64_t last, int64_t date_seconds, int64_t date_nanoseconds) {
  const int64_t in_1971 = 31536000, in_2096 = 4000000000;
  struct timespec real;
  real_clock(CLOCK_REALTIME, &real);
  date_at_zero = (struct timespec){.tv_sec = date_seconds, .tv_nsec = date_nanoseconds};
  wall_shift = date_seconds >= in_1971 && date_seconds < in_2096 ? 0 : real.tv_sec - date_seconds;
  // The uptime never goes back, even after a capture whose time has passed faster than real time.
  // After a century it starts again, so that it does not overflow.
  const int64_t century = 3155760000ll * second;
  int64_t uptime = cvt_real_uptime(), end = last < century ? uptime_at_zero + last : INT64_MAX;
  if (uptime <= end && end < century) uptime = end + 1;
  uptime_at_zero = uptime - now;
}

// CFGetSystemUptime, by which Thread.sleep counts.
static void *uptime_of_foundation;
static bool are_dates_followed;
bool cvt_are_dates_followed(void) { return are_dates_followed; }

bool is_for_captured_work(const void *caller) {
  if (!clock_of_thread || !are_dates_followed) return false;
  enum library origin = origin_of(caller);
  if (origin == framework || origin == networking) return false;
  // A task that is not captured may run on a captured thread, on an actor that both share.
  return !swift_task_getCurrent || !swift_task_getCurrent() || !cvt_is_capturing() || !curfew_is_by_us || curfew_is_by_us();
}

bool is_foundations(const void *caller) {
  return __builtin_expect(clock_of_thread != NULL, 0) && library_of(caller) == foundation && is_for_captured_work(caller);
}

int64_t virtual_now(void) { return __atomic_load_n(clock_of_thread, __ATOMIC_RELAXED); }

int64_t virtual_uptime(void) { return uptime_at_zero + virtual_now(); }

struct timespec virtual_date(void) {
  int64_t now = virtual_now(), nanoseconds = date_at_zero.tv_nsec + now % second;
  return (struct timespec){.tv_sec = date_at_zero.tv_sec + now / second + nanoseconds / second, .tv_nsec = nanoseconds % second};
}

struct timespec wall_time(struct timespec date) {
  date.tv_sec += wall_shift;
  return date;
}

struct timespec virtual_wall_time(void) { return wall_time(virtual_date()); }

int64_t real_time_in_run_loops(void) { return uptime_of_run_loops == virtual_uptime() ? time_in_run_loops : 0; }

void add_time_in_run_loops(int64_t nanoseconds) {
  time_in_run_loops = real_time_in_run_loops() + nanoseconds;
  uptime_of_run_loops = virtual_uptime();
}

// MARK: Reading

// A sleep of a cancelled task ends at once. So a loop that ignores its cancellation reads the clock
// again and again, and never waits. In real time it keeps a core busy; in virtual time it would
// keep time from passing. So its cancellation is withdrawn, and it sleeps again.
// A job may use many dates without waiting for one.
enum { reads_of_spinning_job = 200000, dates_of_spinning_job = 10 * reads_of_spinning_job };

__attribute__((noinline)) static void stop_spinning(void) {
  const void *task = swift_task_getCurrent();
  reads_in_job = dates_in_job = 0;
  if (task) cvt_take_cancellation_back(task);
}

// Returns virtual time to the Swift clocks, and to Foundation when it reads a date or the uptime
// for captured work. All other callers get the real time: test frameworks, Dispatch, run loops, and
// C code that calls this function itself.
int clock_gettime(clockid_t clock, struct timespec *time) {
  const int64_t *now = clock_of_thread;
  uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  // The caller is read only here: if an optimizer moved the rare case into a separate function,
  // the wrong caller would be read there.
  __asm__ volatile("" : "+r"(caller));
  if (__builtin_expect(now != NULL, 0)) {
    // The function is about 100 bytes long; the code that follows it in the runtime reads no clock.
    if (clock != CLOCK_REALTIME && caller - (uintptr_t)&swift_get_time < 256) {
      if (++reads_in_job >= reads_of_spinning_job) stop_spinning();
      int64_t nanoseconds = virtual_now();
      time->tv_sec = nanoseconds / second;
      time->tv_nsec = nanoseconds % second;
      return 0;
    }
    bool is_read = library_of((void *)caller) == dates || caller - (uintptr_t)uptime_of_foundation < 64;
    if (is_read && is_for_captured_work((void *)caller)) {
      if (++dates_in_job >= dates_of_spinning_job) stop_spinning();
      int64_t uptime = virtual_uptime() + uptime_ahead;
      if (clock != CLOCK_REALTIME) uptime_ahead = 0;
      *time = clock == CLOCK_REALTIME ? virtual_date() : (struct timespec){.tv_sec = uptime / second, .tv_nsec = uptime % second};
      return 0;
    }
  }
  int result = real_clock(clock, time);
  // A captured task may read a clock on a thread outside virtual time, and sleep until an instant
  // computed from it.
  if (__builtin_expect(cvt_is_capturing(), 0) && cvt_escape() && caller - (uintptr_t)&swift_get_time < 256 && curfew_real_clock_read)
    curfew_real_clock_read(time->tv_sec * 1000000000ll + time->tv_nsec);
  return result;
}

#ifndef CURFEW_IS_SANITIZED

// Foundation reads CFAbsoluteTime with this function, and ICU the date of a relative format.
// `RunLoop.run(until:)` ends when CFAbsoluteTime has reached its limit, so that clock also counts
// the real time that the run loop has taken.
static int seen_gettimeofday(struct timeval *restrict time, void *restrict zone) {
  REAL(gettimeofday, int, (struct timeval *, void *));
  void *caller = CALLER;
  enum library library = __builtin_expect(clock_of_thread != NULL, 0) ? library_of(caller) : program;
  if ((library != foundation && library != dates) || !is_for_captured_work(caller)) return real(time, zone);
  struct timespec date = virtual_date();
  int64_t microseconds = (date.tv_nsec + real_time_in_run_loops()) / 1000;
  *time = (struct timeval){.tv_sec = date.tv_sec + microseconds / 1000000, .tv_usec = microseconds % 1000000};
  return 0;
}

int gettimeofday(struct timeval *restrict, void *restrict) REPLACES(gettimeofday);

#endif

// MARK: Start

bool do_clocks_follow(void) {
  enum { continuous = 1 };
  const int64_t instant = 12003000004;
  int64_t seconds = 0, nanoseconds = 0;
  if (!swift_get_time) return false;
  clock_of_thread = &instant;
  swift_get_time(&seconds, &nanoseconds, continuous);
  clock_of_thread = NULL;
  return seconds == 12 && nanoseconds == 3000004;
}

#ifndef CURFEW_IS_SANITIZED

// Whether Foundation's Date() reads the virtual date. If Foundation is linked statically, it calls
// functions of its own.
__attribute__((constructor)) static void follow_dates(void) {
  double (*date)(void) = (double (*)(void))dlsym(RTLD_DEFAULT, "$s20FoundationEssentials4DateVACycfC");
  uptime_of_foundation = dlsym(RTLD_DEFAULT, "CFGetSystemUptime");
  if (!date || !uptime_of_foundation || !IS_REPLACED(gettimeofday) || !sees_deadlines() || !sees_run_loops()) return;
  const int64_t instant = 1500000000;
  enum { reference_date = 978307200 };
  date_at_zero.tv_sec = reference_date;
  are_dates_followed = true;
  clock_of_thread = &instant;
  double read = date();
  clock_of_thread = NULL;
  are_dates_followed = read == 1.5;
}

#endif

#else

void cvt_set_clock(const int64_t *nanoseconds) {}
const int64_t *cvt_clock(void) { return 0; }
int64_t cvt_real_uptime(void) { return 0; }
void cvt_begin_clocks(int64_t now, int64_t last, int64_t date_seconds, int64_t date_nanoseconds) {}
bool cvt_are_dates_followed(void) { return false; }

#endif
