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
static bool end(struct list *list, const void *object) {
  struct kept *found = take(list, object);
  if (!found) return false;
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
  while (end(&sources, source)) {}
  const void *escape = begin_escape((cvt_work){.kind = cvt_source}, CALLER);
  if (escape) keep(&sources, source, escape);
  return source;
}

static void seen_dispatch_source_cancel(void *source) {
  REAL(dispatch_source_cancel, void, (void *));
  end(&sources, source);
  real(source);
}

static bool is_kept(const struct list *list, const void *object) {
  pthread_mutex_lock(&lock);
  const struct kept *found = list->first;
  while (found && found->object != object) found = found->next;
  pthread_mutex_unlock(&lock);
  return found;
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
  end(&timers, timer);
  real(timer);
}

// Run loops outlast a capture, and so do their timers.
void cvt_end_timers(void) {
  while (end(&timers, NULL)) {}
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
  if (end(&suspensions, object)) return dispatch_release(object);
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
