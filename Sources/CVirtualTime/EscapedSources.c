// Dispatch's sources, the timers of run loops, and suspended queues: real time serves them, so each
// counts as work outside virtual time until it is cancelled, invalidated or resumed.
#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <pthread.h>
#include <stdatomic.h>

// An object with the record of its work.
struct kept {
  const void *object, *escape;
  // The real time at which a timer source may fire first, on the clock of `real_dispatch_now`.
  uint64_t start;
  struct kept *next;
};
struct list {
  struct kept *first;
  // The number of records. A program without captures only reads it.
  atomic_int count;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list sources, suspensions, timers;

static void keep(struct list *list, const void *object, const void *escape) {
  struct kept *made = calloc(1, sizeof *made);
  made->object = object;
  made->escape = escape;
  pthread_mutex_lock(&lock);
  made->next = list->first;
  list->first = made;
  atomic_fetch_add(&list->count, 1);
  pthread_mutex_unlock(&lock);
}

// Takes the latest record of an object; of any object if it is NULL.
static struct kept *take(struct list *list, const void *object) {
  if (atomic_load_explicit(&list->count, memory_order_relaxed) == 0) return NULL;
  pthread_mutex_lock(&lock);
  struct kept **place = &list->first;
  while (*place && object && (*place)->object != object) place = &(*place)->next;
  struct kept *found = *place;
  if (found) {
    *place = found->next;
    atomic_fetch_sub(&list->count, 1);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

// Ends the latest record of an object; of any object if it is NULL.
// - Parameter settles: Whether captured work ends it at the same instant in each run, whatever the
//   speed of the machine.
static bool end(struct list *list, const void *object, bool settles) {
  struct kept *found = take(list, object);
  if (!found) return false;
  if (found->escape && settles && is_captured()) curfew_escape_settled(found->escape);
  if (found->escape) curfew_escape_ended(found->escape);
  free(found);
  return true;
}

static void *seen_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  REAL(dispatch_source_create, void *, (const void *, uintptr_t, uintptr_t, void *));
  void *source = real(type, handle, mask, queue);
  // Run loops have sources of their own.
  if (!source || !is_followed(CALLER) || library_of(CALLER) == foundation) return source;
  // An object that was released without a cancellation may have had the same address.
  while (end(&sources, source, false)) {}
  const void *escape = begin_escape((cvt_work){.kind = cvt_source}, CALLER);
  if (escape) keep(&sources, source, escape);
  return source;
}

// The lock is held.
static struct kept *find(const struct list *list, const void *object) {
  struct kept *found = list->first;
  while (found && found->object != object) found = found->next;
  return found;
}

void note_start_of_timer(const void *source, uint64_t start) {
  if (atomic_load_explicit(&sources.count, memory_order_relaxed) == 0) return;
  pthread_mutex_lock(&lock);
  struct kept *found = find(&sources, source);
  if (found) found->start = start;
  pthread_mutex_unlock(&lock);
}

// Whether a source is a timer that cannot have fired: its time is a second ahead, or more. Real
// time decides whether other sources have fired before they are cancelled.
static bool is_far(const void *source) {
  enum { second = 1000000000 };
  if (atomic_load_explicit(&sources.count, memory_order_relaxed) == 0) return false;
  pthread_mutex_lock(&lock);
  const struct kept *found = find(&sources, source);
  uint64_t start = found ? found->start : 0;
  pthread_mutex_unlock(&lock);
  return start > real_dispatch_ahead(second);
}

static void seen_dispatch_source_cancel(void *source) {
  REAL(dispatch_source_cancel, void, (void *));
  end(&sources, source, is_far(source));
  real(source);
}

static bool is_kept(const struct list *list, const void *object) {
  pthread_mutex_lock(&lock);
  bool is_found = find(list, object) != NULL;
  pthread_mutex_unlock(&lock);
  return is_found;
}

static void seen_CFRunLoopAddTimer(void *loop, void *timer, const void *mode) {
  REAL(CFRunLoopAddTimer, void, (void *, void *, const void *));
  // A timer may be added for several modes.
  if (is_captured() && is_followed(CALLER) && !is_kept(&timers, timer)) {
    const void *escape = begin_escape((cvt_work){.kind = cvt_timer}, CALLER);
    if (escape) keep(&timers, timer, escape);
  }
  real(loop, timer, mode);
}

// Foundation also calls this function when a timer that does not repeat has fired, and when a timer
// is released.
static void seen_CFRunLoopTimerInvalidate(void *timer) {
  REAL(CFRunLoopTimerInvalidate, void, (void *));
  // Only a run of a run loop fires a timer.
  end(&timers, timer, is_captured() && !cvt_is_in_run_loop() && real_time_in_run_loops() == 0);
  real(timer);
}

// Run loops outlast a capture, and so do their timers.
void cvt_end_timers(void) {
  while (end(&timers, NULL, false)) {}
}

// Blocks of captured work run on a queue too that captured work has suspended. The queue is kept,
// so that no other queue gets its address. While a capture ends, the work has no record.
static void seen_dispatch_suspend(void *object) {
  REAL(dispatch_suspend, void, (void *));
  if (!is_followed(CALLER) || !(is_queue(object) || cvt_is_main_queue(object))) return real(object);
  dispatch_retain(object);
  keep(&suspensions, object, begin_escape((cvt_work){.kind = cvt_suspended_queue}, CALLER));
}

// Asked before a queue is resumed, because the queue may then release itself. libdispatch resumes
// queues of its own.
static bool may_have_blocks(const void *object, const void *caller) {
  return cvt_is_capturing() && curfew_queue_resumed && library_of(caller) != dispatch && is_queue(object);
}

static void seen_dispatch_resume(void *object) {
  REAL(dispatch_resume, void, (void *));
  if (end(&suspensions, object, true)) return dispatch_release(object);
  bool has_blocks = may_have_blocks(object, CALLER);
  real(object);
  if (has_blocks) curfew_queue_resumed();
}

static void seen_dispatch_activate(void *object) {
  REAL(dispatch_activate, void, (void *));
  bool has_blocks = may_have_blocks(object, CALLER);
  real(object);
  if (has_blocks) curfew_queue_resumed();
}

void *dispatch_source_create(const void *, uintptr_t, uintptr_t, void *) REPLACES(dispatch_source_create);
void dispatch_source_cancel(void *) REPLACES(dispatch_source_cancel);
void dispatch_suspend(void *) REPLACES(dispatch_suspend);
void dispatch_resume(void *) REPLACES(dispatch_resume);
void dispatch_activate(void *) REPLACES(dispatch_activate);
void CFRunLoopAddTimer(void *, void *, const void *) REPLACES(CFRunLoopAddTimer);
void CFRunLoopTimerInvalidate(void *) REPLACES(CFRunLoopTimerInvalidate);

bool sees_sources(void) {
  return IS_REPLACED(dispatch_source_create) && IS_REPLACED(dispatch_source_cancel) && IS_REPLACED(dispatch_suspend) &&
         IS_REPLACED(dispatch_resume) && IS_REPLACED(dispatch_activate) && IS_REPLACED(CFRunLoopAddTimer) &&
         IS_REPLACED(CFRunLoopTimerInvalidate);
}

#endif
