// Runs of run loops on threads of captured work. Real time serves a run loop's sources and timers.
// A run that lasts to its limit takes as much virtual time, because a loop around it until a date
// would not end otherwise.
#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <stdatomic.h>
#include <time.h>

enum { second = 1000000000, microsecond = 1000 };

// The runs of this thread.
static _Thread_local int runs;
// The real uptime at which the latest run with a limit ends. A thread that never returns from
// the run leaves it behind.
static _Atomic int64_t end_of_run;

bool cvt_is_in_run_loop(void) { return runs > 0; }
bool cvt_runs_run_loop(void) {
  int64_t end = atomic_load_explicit(&end_of_run, memory_order_relaxed);
  return end != 0 && cvt_real_uptime() < end;
}

static int32_t run(int32_t (*real)(const void *, double, unsigned char), const void *mode, double seconds,
                   unsigned char returns_early) {
  bool has_limit = seconds > 0 && seconds < 1e9;
  int64_t outer = 0;
  runs++;
  if (has_limit) outer = atomic_exchange(&end_of_run, cvt_real_uptime() + (int64_t)(seconds * second));
  int32_t result = real(mode, seconds, returns_early);
  if (has_limit) atomic_store(&end_of_run, outer);
  runs--;
  return result;
}

// `RunLoop.run(until:)` and `RunLoop.run(mode:before:)` call this function with the time from
// CFAbsoluteTime, which counts the earlier runs at this instant, to their limit.
static int32_t seen_CFRunLoopRunInMode(const void *mode, double seconds, unsigned char returns_early) {
  REAL(CFRunLoopRunInMode, int32_t, (const void *, double, unsigned char));
  if (__builtin_expect(!is_captured(), 1)) return real(mode, seconds, returns_early);
  if (!is_followed(CALLER)) return run(real, mode, seconds, returns_early);
  enum { is_timed_out = 3 };
  int64_t instant = virtual_now(), before = real_time_in_run_loops(), begin = cvt_real_uptime();
  int32_t result = run(real, mode, seconds, returns_early);
  if (!is_captured()) return result;
  int64_t span = cvt_real_uptime() - begin;
  // Code that the run loop has called may have let time pass.
  if (virtual_now() != instant) return result;
  bool is_at_limit = result == is_timed_out || (double)span >= seconds * second;
  if (seconds > 0 && seconds < 1e9 && is_at_limit) {
    // CFAbsoluteTime is rounded down to microseconds: of the last one, a rest may be left.
    int64_t left = (int64_t)(seconds * second + 0.5);
    curfew_wait(instant_ahead(before + (left < microsecond ? microsecond : left)), NULL, short_sleep, NULL, NULL);
  } else {
    add_time_in_run_loops(span);
  }
  return result;
}

// The run loop also runs the main queue's blocks, which are not captured work: those of captured
// work are tasks.
static void seen__dispatch_main_queue_callback_4CF(void *message) {
  REAL(_dispatch_main_queue_callback_4CF, void, (void *));
  const int64_t *clock = cvt_clock();
  if (__builtin_expect(!clock, 1)) return real(message);
  void *driver = cvt_pause_driver();
  cvt_set_clock(NULL);
  real(message);
  cvt_set_clock(clock);
  cvt_resume_driver(driver);
}

// A run loop without sources and timers returns at once, without a run. A loop around it until a
// date would never end, because the date is virtual: after some of these calls at one instant, a
// millisecond passes.
static unsigned char seen__CFRunLoopFinished(void *loop, const void *mode) {
  REAL(_CFRunLoopFinished, unsigned char, (void *, const void *));
  unsigned char is_finished = real(loop, mode);
  if (__builtin_expect(!is_finished || !is_captured(), 1) || !is_followed(CALLER)) return is_finished;
  enum { most = 10 };
  static _Thread_local int calls;
  static _Thread_local int64_t instant;
  // The uptime, because another capture may have the same instant.
  int64_t now = virtual_uptime();
  calls = instant == now ? calls + 1 : 1;
  instant = now;
  if (calls > most) curfew_wait(instant_ahead(second / 1000), NULL, short_sleep, NULL, NULL);
  return is_finished;
}

unsigned char _CFRunLoopFinished(void *, const void *) REPLACES(_CFRunLoopFinished);
int32_t CFRunLoopRunInMode(const void *, double, unsigned char) REPLACES(CFRunLoopRunInMode);
void _dispatch_main_queue_callback_4CF(void *) REPLACES(_dispatch_main_queue_callback_4CF);

bool sees_run_loops(void) {
  return IS_REPLACED(CFRunLoopRunInMode) && IS_REPLACED(_CFRunLoopFinished) && IS_REPLACED(_dispatch_main_queue_callback_4CF);
}

#endif
