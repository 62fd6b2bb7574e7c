#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <string.h>

extern void *dispatch_queue_create(const char *, void *) __attribute__((weak));
extern void *dispatch_queue_create_with_target(const char *, void *, void *) __attribute__((weak));
extern void *dispatch_get_global_queue(intptr_t, uintptr_t) __attribute__((weak));
extern void dispatch_suspend(void *);
extern void dispatch_resume(void *);
extern char _dispatch_queue_attr_concurrent __attribute__((weak));

// The offset at which this libdispatch stores the number of blocks of a queue that may run at once;
// 0 if this code was written for another version.
static size_t width_offset;
enum { most_width_offset = 160, width_of_serial = 1, width_of_concurrent = 0xffe, width_of_global = 0xfff };

static uint16_t width_of(const void *queue) {
  uint16_t width;
  if (!width_offset) return width_of_global;
  memcpy(&width, (const char *)queue + width_offset, sizeof width);
  return width;
}

bool cvt_is_serial(const void *queue) { return width_of(queue) == width_of_serial; }

// The offset at which a queue stores its target queue.
static size_t target_offset;

static void find_target(void) {
  if (!dispatch_queue_create_with_target) return;
  void *base = dispatch_queue_create("base", NULL), *queue = dispatch_queue_create_with_target("queue", NULL, base);
  for (size_t offset = 16; offset < most_width_offset && !target_offset; offset += sizeof(void *))
    if (*(void **)((char *)queue + offset) == base) target_offset = offset;
  dispatch_release(queue);
  dispatch_release(base);
}

const void *target_of(const void *queue) {
  const void *target = target_offset ? *(const void *const *)((const char *)queue + target_offset) : NULL;
  return target && width_of(target) != width_of_global ? target : NULL;
}

bool cvt_share_queue(const void *a, const void *b) {
  if (a == b) return true;
  if (width_of(a) == width_of_global || width_of(b) == width_of_global) return false;
  for (const void *one = a; one; one = target_of(one))
    for (const void *other = b; other; other = target_of(other))
      if (one == other) return true;
  return false;
}

// A barrier excludes only other blocks of its own queue. On the queue's targets it is a block.
bool cvt_exclude_each_other(const void *queue, bool is_barrier, const void *other, bool is_other_barrier) {
  for (const void *one = queue; one && width_of(one) != width_of_global; one = target_of(one))
    for (const void *two = other; two && width_of(two) != width_of_global; two = target_of(two))
      if (one == two && (width_of(one) == width_of_serial || (is_barrier && one == queue) || (is_other_barrier && two == other)))
        return true;
  return false;
}

bool cvt_is_global(const void *queue) { return width_of(queue) == width_of_global; }

// The offset at which a queue stores its state; 0 if this code was written for another version. The
// state's highest bits say that the queue is suspended, or not active yet.
static size_t state_offset;

static bool has_suspension(const void *queue) {
  enum { suspension_shift = 55 };
  uint64_t state;
  if (!state_offset) return false;
  memcpy(&state, (const char *)queue + state_offset, sizeof state);
  return state >> suspension_shift;
}

bool cvt_is_suspended(const void *queue) {
  for (; queue && width_of(queue) != width_of_global; queue = target_of(queue))
    if (has_suspension(queue)) return true;
  return false;
}

static void find_state(void) {
  void *queue = dispatch_queue_create("state", NULL);
  for (size_t offset = 16; offset < most_width_offset && !state_offset; offset += sizeof(uint64_t)) {
    state_offset = offset;
    bool is_clear = !has_suspension(queue);
    dispatch_suspend(queue);
    bool is_set = has_suspension(queue);
    dispatch_resume(queue);
    if (!is_clear || !is_set || has_suspension(queue)) state_offset = 0;
  }
  dispatch_release(queue);
}

// Objects of one class have the same first word.
static const void *class_of_serial, *class_of_concurrent;
bool is_queue(const void *object) {
  const void *class = *(const void *const *)object;
  return class == class_of_serial || class == class_of_concurrent;
}

static void find_width(void) {
  void *serial = dispatch_queue_create("serial", NULL), *concurrent = dispatch_queue_create("concurrent", &_dispatch_queue_attr_concurrent);
  void *global = dispatch_get_global_queue(0, 0);
  for (size_t offset = 16; offset < most_width_offset && !width_offset; offset += sizeof(uint16_t)) {
    width_offset = offset;
    if (width_of(serial) != width_of_serial || width_of(concurrent) != width_of_concurrent || width_of(global) != width_of_global ||
        width_of(&_dispatch_main_q) != width_of_serial)
      width_offset = 0;
  }
  class_of_serial = *(void **)serial;
  class_of_concurrent = *(void **)concurrent;
  dispatch_release(serial);
  dispatch_release(concurrent);
}

bool is_on_main_thread(const void *queue) {
  for (; queue; queue = target_of(queue))
    if (queue == &_dispatch_main_q) return true;
  return false;
}

bool cvt_is_on_main_thread(const void *queue) { return is_on_main_thread(queue); }

bool cvt_is_main_queue(const void *queue) { return queue == &_dispatch_main_q; }

void cvt_retain_dispatch_object(const void *object) { dispatch_retain((void *)object); }
void cvt_release_dispatch_object(const void *object) { dispatch_release((void *)object); }

// A call of `sync` to the main thread, with the blocks that the caller runs.
struct main_call {
  const void *queue;
  void *block;
  bool is_barrier;
  const struct queue_frame *frames;
};

static void call_on_main(void *context) {
  struct main_call *call = context;
  call_on_queue(call->queue, call->block, call->is_barrier, NULL, call->frames);
}

// A block is not reported if it was done before a wait for its queue returned, because it
// is done by then in every run. When such a wait returns, a serial queue has done all earlier
// blocks, and a concurrent queue all blocks before its last barrier. A wait for a global queue
// guarantees nothing.
static void sync_captured(void *queue, void *block, bool is_barrier, void (*real)(void *, void *)) {
  // A call on the main thread for a queue of the main thread stays libdispatch's trap.
  if (is_on_main_thread(queue) && !cvt_is_main_thread()) {
    struct main_call call = {queue, block, is_barrier, queue_frames()};
    if (!curfew_sync_on_main(call_on_main, &call)) real(queue, block);
    return;
  }
  curfew_hand_over_queue(queue);
  bool is_free = curfew_sync_begins(queue, is_barrier);
  call_on_queue(queue, block, is_barrier, is_free ? real : NULL, queue_frames());
  curfew_sync_ends(queue);
}

static void seen_dispatch_sync(void *queue, void *block) {
  REAL(dispatch_sync, void, (void *, void *));
  if (is_idle()) return real(queue, block);
  if (is_followed(CALLER)) {
    sync_captured(queue, block, has_barrier(block), real);
    uint16_t width = width_of(queue);
    if (width != width_of_global) curfew_waited_for(queue, width == width_of_serial || has_barrier(block) ? cvt_queue : cvt_to_barrier);
    return;
  }
  if (!is_captured()) {
    // Blocks that were begun earlier run first, as on any serial queue.
    if (escape_of_thread && cvt_is_capturing()) curfew_hand_over_queue(queue);
    return real(queue, block);
  }
  real(queue, block);
}

static void seen_dispatch_barrier_sync(void *queue, void *block) {
  REAL(dispatch_barrier_sync, void, (void *, void *));
  if (is_idle()) return real(queue, block);
  if (!is_followed(CALLER)) return real(queue, block);
  sync_captured(queue, block, true, real);
  if (width_of(queue) != width_of_global) curfew_waited_for(queue, cvt_queue);
}

struct wait {
  void *object;
  intptr_t (*real)(void *, uint64_t);
  // Whether the wait has taken a signal of a semaphore.
  bool is_taken;
};

// Takes a signal of a semaphore.
static bool is_over(void *context) {
  struct wait *wait = context;
  wait->is_taken = wait->real(wait->object, now) == 0;
  return wait->is_taken;
}

// Gives back a signal that a thread has taken which never goes on.
static void drop_signal(void *context) {
  REAL(dispatch_semaphore_signal, intptr_t, (void *));
  struct wait *wait = context;
  if (wait->is_taken) real(wait->object);
}

static intptr_t wait_for(void *object, uint64_t limit, int extent, intptr_t (*real)(void *, uint64_t), void *caller) {
  if (limit == now || !is_followed(caller)) return real(object, limit);
  struct wait wait = {object, real, false};
  int64_t ahead = time_ahead(limit);
  int end = curfew_wait_for(object, instant_ahead(ahead), is_over, short_sleep, extent == cvt_first ? drop_signal : NULL, &wait);
  if (end == capture_ended) return real(object, limit == forever ? forever : real_dispatch_ahead(ahead));
  if (limit == forever) curfew_waited_for(object, extent);
  return end == is_done ? 0 : 1;
}

static intptr_t seen_dispatch_semaphore_wait(void *semaphore, uint64_t limit) {
  REAL(dispatch_semaphore_wait, intptr_t, (void *, uint64_t));
  if (is_idle()) return real(semaphore, limit);
  return wait_for(semaphore, limit, cvt_first, real, CALLER);
}

static intptr_t seen_dispatch_group_wait(void *group, uint64_t limit) {
  REAL(dispatch_group_wait, intptr_t, (void *, uint64_t));
  if (is_idle()) return real(group, limit);
  return wait_for(group, limit, cvt_all, real, CALLER);
}

static intptr_t seen_dispatch_block_wait(void *block, uint64_t limit) {
  REAL(dispatch_block_wait, intptr_t, (void *, uint64_t));
  if (is_idle()) return real(block, limit);
  return wait_for(block, limit, cvt_all, real, CALLER);
}

// Whether the signal is made by the current capture's work outside virtual time. libdispatch wakes
// its own threads by semaphores.
static bool signals_by_program(void *caller) {
  return __builtin_expect(escape_of_thread != NULL, 0) && cvt_is_capturing() && library_of(caller) != dispatch;
}

static intptr_t seen_dispatch_semaphore_signal(void *semaphore) {
  REAL(dispatch_semaphore_signal, intptr_t, (void *));
  if (is_idle()) return real(semaphore);
  bool signals = signals_by_program(CALLER);
  // Recorded before the waiting thread can continue, and announced after the signal.
  if (signals) curfew_escape_signals(escape_of_thread, semaphore);
  intptr_t result = real(semaphore);
  if (signals) curfew_escape_signalled();
  // libdispatch wakes its own threads, also while a lock of the scheduler is held.
  return is_captured() && library_of(CALLER) != dispatch && curfew_signalled(semaphore) ? 1 : result;
}

static void seen_dispatch_group_leave(void *group) {
  REAL(dispatch_group_leave, void, (void *));
  if (is_idle()) return real(group);
  bool signals = signals_by_program(CALLER);
  if (signals) curfew_escape_signals(escape_of_thread, group);
  real(group);
  if (signals) curfew_escape_signalled();
  if (__builtin_expect(cvt_is_capturing(), 0)) curfew_group_left(group);
}

void dispatch_sync(void *, void *) REPLACES(dispatch_sync);
void dispatch_barrier_sync(void *, void *) REPLACES(dispatch_barrier_sync);
intptr_t dispatch_semaphore_wait(void *, uint64_t) REPLACES(dispatch_semaphore_wait);
intptr_t dispatch_semaphore_signal(void *) REPLACES(dispatch_semaphore_signal);
intptr_t dispatch_group_wait(void *, uint64_t) REPLACES(dispatch_group_wait);
void dispatch_group_leave(void *) REPLACES(dispatch_group_leave);
intptr_t dispatch_block_wait(void *, uint64_t) REPLACES(dispatch_block_wait);

bool sees_waits(void) {
  bool are_replaced = IS_REPLACED(dispatch_sync) && IS_REPLACED(dispatch_barrier_sync) && IS_REPLACED(dispatch_semaphore_wait) &&
                      IS_REPLACED(dispatch_semaphore_signal) && IS_REPLACED(dispatch_group_wait) &&
                      IS_REPLACED(dispatch_group_leave) && IS_REPLACED(dispatch_block_wait);
  if (are_replaced) {
    find_width();
    find_target();
    find_state();
  }
  return are_replaced;
}

#endif
