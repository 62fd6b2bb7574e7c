// The queues whose blocks captured threads run. Some blocks are called directly, not inside the
// original `dispatch_sync`: those of the main thread, those that another thread passes to the main
// thread, and those of a queue that a dead thread holds. Dispatch does not know their queues.
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <stdio.h>

extern void *dispatch_queue_get_specific(const void *, const void *) __attribute__((weak));
extern const char *dispatch_queue_get_label(const void *) __attribute__((weak));

static _Thread_local const struct queue_frame *innermost;

const struct queue_frame *queue_frames(void) { return innermost; }

const void *cvt_leave_queues(void) {
  const void *frames = innermost;
  innermost = NULL;
  return frames;
}

void cvt_enter_queues(const void *frames) { innermost = frames; }

void call_on_queue(const void *queue, void *block, bool is_barrier, void (*real)(void *, void *), const struct queue_frame *outer) {
  const struct queue_frame frame = {queue, is_barrier, real == NULL, outer}, *former = innermost;
  innermost = &frame;
  if (real) real((void *)queue, block);
  else ((struct block *)block)->invoke(block);
  innermost = former;
}

// Whether this thread runs a block of a queue, or of a queue that targets it.
static bool runs(const void *queue) {
  for (const struct queue_frame *frame = innermost; frame; frame = frame->outer)
    for (const void *one = frame->queue; one; one = target_of(one))
      if (one == queue) return true;
  return false;
}

static bool runs_barrier(const void *queue) {
  if (cvt_is_serial(queue)) return true;
  const struct queue_frame *frame = innermost;
  while (frame && !(frame->queue == queue && frame->is_barrier)) frame = frame->outer;
  return frame;
}

// Stops the program with the message of libdispatch.
static void stop(const void *queue, const char *expectation) {
  const char *label = dispatch_queue_get_label ? dispatch_queue_get_label(queue) : "";
  fprintf(stderr, "BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was %s on queue [%s (%p)]\n", expectation, label, queue);
  __builtin_trap();
}

static void seen_dispatch_assert_queue(void *queue) {
  REAL(dispatch_assert_queue, void, (void *));
  if (!runs(queue)) real(queue);
}

static void seen_dispatch_assert_queue_not(void *queue) {
  REAL(dispatch_assert_queue_not, void, (void *));
  real(queue);
  if (runs(queue)) stop(queue, "not expected to execute");
}

static void seen_dispatch_assert_queue_barrier(void *queue) {
  REAL(dispatch_assert_queue_barrier, void, (void *));
  if (!runs(queue)) return real(queue);
  if (!runs_barrier(queue)) stop(queue, "expected to execute as a barrier");
}

// The value belongs to the innermost block's queue, or to the first of its targets that has one.
static void *seen_dispatch_get_specific(const void *key) {
  REAL(dispatch_get_specific, void *, (const void *));
  if (!innermost || !innermost->is_direct) return real(key);
  void *value = NULL;
  for (const void *one = innermost->queue; one && !value; one = target_of(one)) value = dispatch_queue_get_specific(one, key);
  return value;
}

void dispatch_assert_queue(void *) REPLACES(dispatch_assert_queue);
void dispatch_assert_queue_not(void *) REPLACES(dispatch_assert_queue_not);
void dispatch_assert_queue_barrier(void *) REPLACES(dispatch_assert_queue_barrier);
void *dispatch_get_specific(const void *) REPLACES(dispatch_get_specific);

bool sees_queue_frames(void) {
  return dispatch_queue_get_specific && IS_REPLACED(dispatch_assert_queue) && IS_REPLACED(dispatch_assert_queue_not) &&
         IS_REPLACED(dispatch_assert_queue_barrier) && IS_REPLACED(dispatch_get_specific);
}

#endif
