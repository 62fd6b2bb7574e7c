#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <string.h>

extern void *dispatch_queue_create(const char *, void *) __attribute__((weak));
extern void *dispatch_queue_create_with_target(const char *, void *, void *) __attribute__((weak));
extern void *dispatch_get_global_queue(intptr_t, uintptr_t) __attribute__((weak));
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

static const void *target_of(const void *queue) {
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

static void find_width(void) {
  void *serial = dispatch_queue_create("serial", NULL), *concurrent = dispatch_queue_create("concurrent", &_dispatch_queue_attr_concurrent);
  void *global = dispatch_get_global_queue(0, 0);
  for (size_t offset = 16; offset < most_width_offset && !width_offset; offset += sizeof(uint16_t)) {
    width_offset = offset;
    if (width_of(serial) != width_of_serial || width_of(concurrent) != width_of_concurrent || width_of(global) != width_of_global ||
        width_of(&_dispatch_main_q) != width_of_serial)
      width_offset = 0;
  }
  dispatch_release(serial);
  dispatch_release(concurrent);
}

bool cvt_is_main_queue(const void *queue) { return queue == &_dispatch_main_q; }

void cvt_retain_dispatch_object(const void *object) { dispatch_retain((void *)object); }
void cvt_release_dispatch_object(const void *object) { dispatch_release((void *)object); }

// A block is not reported if it was done before a wait for its queue returned, because it
// is done by then in every run. When such a wait returns, a serial queue has done all earlier
// blocks, and a concurrent queue all blocks before its last barrier. A wait for a global queue
// guarantees nothing.
static void seen_dispatch_sync(void *queue, void *block) {
  REAL(dispatch_sync, void, (void *, void *));
  if (!is_captured()) {
    // Blocks that were begun earlier run first, as on any serial queue.
    if (escape_of_thread && cvt_is_capturing()) curfew_hand_over_queue(queue);
    return real(queue, block);
  }
  curfew_hand_over_queue(queue);
  real(queue, block);
  uint16_t width = width_of(queue);
  if (width != width_of_global)
    curfew_waited_for(queue, width == width_of_serial || has_barrier(block) ? cvt_queue : cvt_to_barrier);
}

static void seen_dispatch_barrier_sync(void *queue, void *block) {
  REAL(dispatch_barrier_sync, void, (void *, void *));
  if (!is_captured()) return real(queue, block);
  curfew_hand_over_queue(queue);
  real(queue, block);
  if (width_of(queue) != width_of_global) curfew_waited_for(queue, cvt_queue);
}

// Waits for an object, and hands work over piece by piece until the awaited piece is done, so
// that in each run the same pieces run before it. Real time decides whether a wait with a limit
// succeeds, so such a wait does not count.
static intptr_t wait_for(void *object, uint64_t limit, int extent, intptr_t (*real)(void *, uint64_t), void *caller) {
  if (!is_captured() || limit == now) return real(object, limit);
  limit = real_dispatch_time(limit, caller);
  intptr_t result;
  do { result = real(object, now); } while (result != 0 && curfew_hand_over_next());
  if (result != 0) result = real(object, limit);
  if (limit == forever) curfew_waited_for(object, extent);
  return result;
}

static intptr_t seen_dispatch_semaphore_wait(void *semaphore, uint64_t limit) {
  REAL(dispatch_semaphore_wait, intptr_t, (void *, uint64_t));
  return wait_for(semaphore, limit, cvt_first, real, CALLER);
}

static intptr_t seen_dispatch_group_wait(void *group, uint64_t limit) {
  REAL(dispatch_group_wait, intptr_t, (void *, uint64_t));
  return wait_for(group, limit, cvt_all, real, CALLER);
}

static intptr_t seen_dispatch_block_wait(void *block, uint64_t limit) {
  REAL(dispatch_block_wait, intptr_t, (void *, uint64_t));
  return wait_for(block, limit, cvt_all, real, CALLER);
}

// Whether the signal is made by the current capture's work outside virtual time. libdispatch wakes
// its own threads by semaphores.
static bool signals_by_program(void *caller) {
  return __builtin_expect(escape_of_thread != NULL, 0) && cvt_is_capturing() && library_of(caller) != dispatch;
}

static intptr_t seen_dispatch_semaphore_signal(void *semaphore) {
  REAL(dispatch_semaphore_signal, intptr_t, (void *));
  if (!signals_by_program(CALLER)) return real(semaphore);
  // Recorded before the waiting thread can continue, and announced after the signal.
  curfew_escape_signals(escape_of_thread, semaphore);
  intptr_t result = real(semaphore);
  curfew_escape_signalled();
  return result;
}

static void seen_dispatch_group_leave(void *group) {
  REAL(dispatch_group_leave, void, (void *));
  if (!signals_by_program(CALLER)) return real(group);
  curfew_escape_signals(escape_of_thread, group);
  real(group);
  curfew_escape_signalled();
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
  }
  return are_replaced;
}

#endif
