#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <stddef.h>

extern void *_Block_copy(const void *) __attribute__((weak));
extern void _Block_release(const void *) __attribute__((weak));
extern void dispatch_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_barrier_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_after_f(uint64_t, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_notify_f(void *, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_enter(void *) __attribute__((weak));
extern void dispatch_group_leave(void *);
extern intptr_t dispatch_block_testcancel(void *) __attribute__((weak));
// Blocks of dispatch_block_create are recognized by the function that they call.
extern const void *const _dispatch_block_special_invoke __attribute__((weak));

// The fields after the header of a block of dispatch_block_create; every access checks the mark.
struct created_block {
  struct block block;
  const void *descriptor;
  uint64_t mark, flags;
};
enum { created_mark = 0xd159b10c, is_barrier = 1 };

// Whether dispatch_block_create has made a block, for a DispatchWorkItem. If such a block is called
// directly, its cancellation, waits and notifications still work, but its barrier is lost.
static bool is_created(const struct block *block) {
  return &_dispatch_block_special_invoke && (const void *)block->invoke == _dispatch_block_special_invoke &&
         ((const struct created_block *)block)->mark == created_mark;
}

// The offset at which this libdispatch stores the group of an item, which is empty when the item is
// done; 0 if this code was written for another version.
static size_t group_offset;
enum { most_group_offset = 128 };

extern void *dispatch_group_create(void) __attribute__((weak));
extern void *_NSConcreteGlobalBlock[] __attribute__((weak));
extern void *dispatch_block_create(uintptr_t, void *) __attribute__((weak));

static void do_nothing(void *block) {}

static void find_group(void) {
  if (!dispatch_group_create || !dispatch_block_create) return;
  static const struct {
    uintptr_t reserved, size;
  } descriptor = {0, sizeof(struct block) + sizeof(void *)};
  enum { is_global = 1 << 28 };
  static struct {
    struct block block;
    const void *descriptor;
  } empty = {{NULL, is_global, 0, do_nothing}, &descriptor};
  empty.block.isa = _NSConcreteGlobalBlock;
  void *group = dispatch_group_create();
  struct block *item = dispatch_block_create(0, &empty);
  for (size_t offset = offsetof(struct created_block, flags) + 8; is_created(item) && offset < most_group_offset && !group_offset; offset += sizeof(void *)) {
    void **field = *(void ***)((char *)item + offset);
    // Objects of one class have the same first word.
    bool is_pointer = (uintptr_t)field > 1 << 16 && ((uintptr_t)field & 7) == 0 && (uintptr_t)field >> 47 == 0;
    if (is_pointer && (const void *)field != (const void *)&_dispatch_main_q && *field == *(void **)group) group_offset = offset;
  }
  _Block_release(item);
  dispatch_release(group);
}

static void *group_of(const void *item) { return group_offset ? *(void **)((char *)item + group_offset) : NULL; }

static const void *item_of(const void *block) { return is_created(block) ? block : NULL; }

bool cvt_is_item_cancelled(const void *item) { return dispatch_block_testcancel((void *)item) != 0; }

bool has_barrier(const void *block) { return is_created(block) && (((const struct created_block *)block)->flags & is_barrier); }

// A piece of work with the data that is needed to hand it over. Pieces that captured work begins
// are handed over when captured work is at rest.
typedef struct {
  void *block, *queue, *group;
  const void *escape;
  uint64_t when;
  bool is_barrier;
} work;

static work *work_of(void *block, void *queue, const void *escape) {
  work *made = calloc(1, sizeof *made);
  made->block = _Block_copy(block);
  made->is_barrier = has_barrier(block);
  made->queue = queue;
  made->escape = escape;
  dispatch_retain(queue);
  return made;
}

static void do_work(void *context) {
  work now = *(work *)context;
  free(context);
  const void *outer = enter_escape(now.escape);
  // An item is kept until its record says that it is done.
  bool is_item = is_created(now.block);
  ((struct block *)now.block)->invoke(now.block);
  if (!is_item) _Block_release(now.block);
  // Called before the record says that the block is done, because a thread that waits for the
  // record checks the group next.
  if (now.group) dispatch_group_leave(now.group);
  leave_escape(now.escape, outer);
  if (is_item) _Block_release(now.block);
  if (now.group) dispatch_release(now.group);
  dispatch_release(now.queue);
}

static void hand_over_block(void *context) {
  work *work = context;
  (work->is_barrier ? dispatch_barrier_async_f : dispatch_async_f)(work->queue, work, do_work);
}

static void hand_over_delayed_block(void *context) {
  work *work = context;
  dispatch_after_f(work->when, work->queue, work, do_work);
}

static void hand_over_notification(void *context) {
  work *work = context;
  void *group = work->group;
  work->group = NULL;
  dispatch_group_notify_f(group, work->queue, work, do_work);
  dispatch_release(group);
}

// MARK: Blocks of captured work

void cvt_run_block(void *context, bool is_queue_free) {
  REAL(dispatch_sync, void, (void *, void *));
  static void (*real_barrier_sync)(void *, void *);
  if (!real_barrier_sync) real_barrier_sync = (void (*)(void *, void *))dlsym(RTLD_NEXT, "dispatch_barrier_sync");
  work now = *(work *)context;
  free(context);
  void (*sync)(void *, void *) = now.is_barrier ? real_barrier_sync : real;
  call_on_queue(now.queue, now.block, now.is_barrier, is_queue_free ? sync : NULL, NULL);
  _Block_release(now.block);
  if (now.group) {
    dispatch_group_leave(now.group);
    dispatch_release(now.group);
  }
  dispatch_release(now.queue);
}

bool cvt_is_barrier(const void *context) { return ((const work *)context)->is_barrier; }

static void follow_block(void *queue, void *group, void *block, bool is_barrier, int64_t delay) {
  work *made = work_of(block, queue, NULL);
  made->is_barrier |= is_barrier;
  if (group) {
    dispatch_retain(group);
    dispatch_group_enter(group);
    made->group = group;
  }
  curfew_block_began(made, queue, delay, NULL);
}

static bool is_empty(void *group) {
  REAL(dispatch_group_wait, intptr_t, (void *, uint64_t));
  return real(group, now) == 0;
}

bool cvt_is_group_empty(const void *group) { return is_empty((void *)group); }

static void follow_notification(void *group, void *queue, void *block) {
  if (!is_empty(group)) return curfew_block_began(work_of(block, queue, NULL), queue, 0, group);
  curfew_waited_for(group, cvt_all);
  follow_block(queue, NULL, block, false, 0);
}

// MARK: Blocks outside virtual time

static bool begin_block(void *queue, void *group, void *block, bool is_barrier, void *caller) {
  if (is_followed(caller)) {
    follow_block(queue, group, block, is_barrier, 0);
    return true;
  }
  is_barrier = is_barrier || has_barrier(block);
  const void *escape = begin_escape(
      (cvt_work){.kind = cvt_block, .queue = queue, .group = group, .item = item_of(block), .is_barrier = is_barrier}, caller);
  if (!escape) return false;
  work *made = work_of(block, queue, escape);
  made->is_barrier = is_barrier;
  if (group) {
    // From here on the group is not empty, although the block is handed over later.
    dispatch_retain(group);
    dispatch_group_enter(group);
    made->group = group;
  }
  curfew_escape_starts(escape, hand_over_block, made, now, 0);
  return true;
}

static void seen_dispatch_async(void *queue, void *block) {
  REAL(dispatch_async, void, (void *, void *));
  if (is_idle()) return real(queue, block);
  if (begin_block(queue, NULL, block, false, CALLER)) return;
  real(queue, block);
}

static void seen_dispatch_barrier_async(void *queue, void *block) {
  REAL(dispatch_barrier_async, void, (void *, void *));
  if (is_idle()) return real(queue, block);
  if (begin_block(queue, NULL, block, true, CALLER)) return;
  real(queue, block);
}

static void seen_dispatch_group_async(void *group, void *queue, void *block) {
  REAL(dispatch_group_async, void, (void *, void *, void *));
  if (is_idle()) return real(group, queue, block);
  if (begin_block(queue, group, block, false, CALLER)) return;
  real(group, queue, block);
}

// The real time until a time of Dispatch, in nanoseconds; the largest number for a time of the
// wall clock.
static uint64_t delay_until(uint64_t when) {
  if (when == now) return 0;
  if (when >> 62) return forever;
  uint64_t instant = real_dispatch_now();
  return when > instant ? when - instant : 0;
}

// The functions used below would lose the barrier of a block, so a block with a barrier is
// not counted.
static void seen_dispatch_after(uint64_t when, void *queue, void *block) {
  REAL(dispatch_after, void, (uint64_t, void *, void *));
  if (is_idle()) return real(when, queue, block);
  if (when != forever && is_followed(CALLER)) return follow_block(queue, NULL, block, false, time_ahead(when));
  when = real_dispatch_time(when, CALLER);
  bool is_counted = when != forever && !has_barrier(block);
  const void *escape =
      is_counted ? begin_escape((cvt_work){.kind = cvt_delayed_block, .queue = queue, .item = item_of(block)}, CALLER) : NULL;
  if (!escape) return real(when, queue, block);
  work *made = work_of(block, queue, escape);
  made->when = when;
  curfew_escape_starts(escape, hand_over_delayed_block, made, when, delay_until(when));
}

static void seen_dispatch_group_notify(void *group, void *queue, void *block) {
  REAL(dispatch_group_notify, void, (void *, void *, void *));
  if (is_idle()) return real(group, queue, block);
  if (is_followed(CALLER)) return follow_notification(group, queue, block);
  // An empty group notifies at once, even if other work enters it before the block is handed over.
  if (cvt_is_capturing() && !has_barrier(block) && is_empty(group) && begin_block(queue, NULL, block, false, CALLER)) return;
  const void *escape = has_barrier(block) ? NULL : begin_escape((cvt_work){.kind = cvt_block, .queue = queue, .notifier = group}, CALLER);
  if (!escape) return real(group, queue, block);
  work *made = work_of(block, queue, escape);
  dispatch_retain(group);
  made->group = group;
  curfew_escape_starts(escape, hand_over_notification, made, now, 0);
}

// The notification of a DispatchWorkItem waits for the item's own group.
static void seen_dispatch_block_notify(void *item, void *queue, void *block) {
  REAL(dispatch_block_notify, void, (void *, void *, void *));
  if (is_idle()) return real(item, queue, block);
  void *group = is_followed(CALLER) && is_created(item) ? group_of(item) : NULL;
  if (!group) return real(item, queue, block);
  follow_notification(group, queue, block);
}

// Runs the iterations of DispatchQueue.concurrentPerform one after the other. On threads
// of Dispatch they would count neither as captured work nor as work that captured work has begun.
static void seen_dispatch_apply(size_t iterations, void *queue, void *block) {
  REAL(dispatch_apply, void, (size_t, void *, void *));
  if (is_idle()) return real(iterations, queue, block);
  if (!is_captured() && !(escape_of_thread && cvt_is_capturing())) return real(iterations, queue, block);
  void (*invoke)(void *, size_t) = (void (*)(void *, size_t))((struct block *)block)->invoke;
  for (size_t i = 0; i < iterations; i++) invoke(block, i);
}

void dispatch_async(void *, void *) REPLACES(dispatch_async);
void dispatch_barrier_async(void *, void *) REPLACES(dispatch_barrier_async);
void dispatch_group_async(void *, void *, void *) REPLACES(dispatch_group_async);
void dispatch_after(uint64_t, void *, void *) REPLACES(dispatch_after);
void dispatch_group_notify(void *, void *, void *) REPLACES(dispatch_group_notify);
void dispatch_block_notify(void *, void *, void *) REPLACES(dispatch_block_notify);
void dispatch_apply(size_t, void *, void *) REPLACES(dispatch_apply);

bool sees_blocks(void) {
  find_group();
  return curfew_block_began && IS_REPLACED(dispatch_block_notify) && dispatch_async_f && IS_REPLACED(dispatch_async) && IS_REPLACED(dispatch_barrier_async) && IS_REPLACED(dispatch_group_async) &&
         IS_REPLACED(dispatch_after) && IS_REPLACED(dispatch_group_notify) && IS_REPLACED(dispatch_apply);
}

#endif
