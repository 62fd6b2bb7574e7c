// Work that leaves virtual time: Dispatch blocks, threads and URLSession tasks. Work is noted when
// the program calls the library to begin it, and counted until it is done. Dispatch's functions
// with _f are not replaced, because the Swift runtime's own executors use them.
#ifndef ESCAPES_H
#define ESCAPES_H

#include "Callers.h"
#include "CVirtualTime.h"

#if defined(CURFEW_REPLACES_FUNCTIONS) && !defined(CURFEW_IS_SANITIZED)
#define CURFEW_SEES_ESCAPES

#include <stdlib.h>

// A block of the compiler.
struct block {
  const void *isa;
  int32_t flags, reserved;
  void (*invoke)(void *);
};

// The Swift side, which creates a record for each piece of work, decides when the work is handed
// over, and ends the record when the work is done. The functions are weak, so that this library
// links alone.
extern const void *curfew_escape_began(const cvt_work *work) __attribute__((weak));
extern void curfew_escape_starts(const void *escape, void (*start)(void *), void *context, uint64_t when, uint64_t delay)
    __attribute__((weak));
extern void curfew_escape_runs(const void *escape) __attribute__((weak));
// The end of the work, which comes next, does not depend on the speed of the machine.
extern void curfew_escape_settled(const void *escape) __attribute__((weak));
extern void curfew_escape_ended(const void *escape) __attribute__((weak));
extern void curfew_escape_signals(const void *escape, const void *object) __attribute__((weak));
extern void curfew_escape_signalled(void) __attribute__((weak));
extern void curfew_waited_for(const void *object, int extent) __attribute__((weak));
extern bool curfew_hand_over_next(void) __attribute__((weak));
extern void curfew_hand_over_queue(const void *queue) __attribute__((weak));
extern void curfew_hand_over_session(const void *task) __attribute__((weak));

extern void dispatch_retain(void *) __attribute__((weak));
extern void dispatch_release(void *) __attribute__((weak));
extern char _dispatch_main_q __attribute__((weak));

// The Swift side of captured work. A block becomes a captured task, which runs `cvt_run_block`: at
// once, after some virtual time, or when a group is empty.
extern void curfew_block_began(void *block, const void *queue, int64_t delay, const void *group) __attribute__((weak));
// A group has been left, for which blocks and threads may wait.
extern void curfew_group_left(const void *group) __attribute__((weak));
// Captured work has signalled a semaphore. Returns whether a thread has taken the signal.
extern bool curfew_signalled(const void *semaphore) __attribute__((weak));
// A queue has been activated or resumed, on which blocks may wait.
extern void curfew_queue_resumed(void) __attribute__((weak));
// Runs the blocks that come before a call of `dispatch_sync`. The queue is in use until the end.
// Returns whether libdispatch is able to give the queue to this thread.
extern bool curfew_sync_begins(const void *queue, bool is_barrier) __attribute__((weak));
extern void curfew_sync_ends(const void *queue) __attribute__((weak));
// Calls a function on the main thread when its turn has come. Returns false if the capture ends
// before that.
extern bool curfew_sync_on_main(void (*function)(void *), void *context) __attribute__((weak));
// A captured thread waits, until `is_over` or until an instant: other work runs, and time passes.
// If nothing is left that may run, only a thread outside virtual time can end the wait, and `rest`
// waits for a moment of real time. If the thread never goes on, because its process is dead, `drop`
// is called unless it is null. Returns the reason for which the wait returns. Waits for one object,
// if it is not null, end in the order in which they began.
enum { timed_out, is_done, capture_ended };
extern int curfew_wait_for(
    const void *object, int64_t instant, bool (*is_over)(void *), void (*rest)(void *), void (*drop)(void *), void *context)
    __attribute__((weak));

static inline int curfew_wait(int64_t instant, bool (*is_over)(void *), void (*rest)(void *), void (*drop)(void *), void *context) {
  return curfew_wait_for(NULL, instant, is_over, rest, drop, context);
}

// DISPATCH_TIME_NOW and DISPATCH_TIME_FOREVER.
enum { now = 0 };
static const uint64_t forever = ~0ull;

#pragma GCC visibility push(hidden)

// The work outside virtual time that this thread is running, or NULL.
extern _Thread_local const void *escape_of_thread;

// A record for work that begins here, or NULL if the work is not counted.
const void *begin_escape(cvt_work work, void *caller);

// Marks this thread as running a piece of work until `leave_escape`, which ends the record.
// - Returns: The work that the thread was running before.
const void *enter_escape(const void *escape);
void leave_escape(const void *escape, const void *outer);

// Whether a block was made by dispatch_block_create and is a barrier.
bool has_barrier(const void *block);

// Whether this thread runs captured work.
static inline bool is_captured(void) { return __builtin_expect(cvt_clock() != NULL, 0) && curfew_waited_for; }

// Whether no capture is in progress, so that every call goes to the original function at once: a
// program's blocks must not cost more outside a capture.
extern bool is_capture_in_progress;
static inline bool is_idle(void) { return __builtin_expect(!__atomic_load_n(&is_capture_in_progress, __ATOMIC_RELAXED), 1); }

// Whether a call by `caller` belongs to captured work, and so follows virtual time.
bool is_followed(const void *caller);

// Notes the time of the real Dispatch at which a timer source may fire first.
void note_start_of_timer(const void *source, uint64_t start);

// Whether an object of Dispatch is a queue of the program.
bool is_queue(const void *object);

// Whether a queue runs its blocks on the main thread.
bool is_on_main_thread(const void *queue);

// The target of a queue, or NULL if that is one of the system's global queues.
const void *target_of(const void *queue);

// A block that a captured thread runs on a queue. `is_direct` says that Dispatch does not know it.
struct queue_frame {
  const void *queue;
  bool is_barrier, is_direct;
  const struct queue_frame *outer;
};

// The blocks that this thread runs, innermost first.
const struct queue_frame *queue_frames(void);

// Runs a block of a queue inside blocks that run already, by the original `dispatch_sync`, or
// directly if that is NULL.
void call_on_queue(const void *queue, void *block, bool is_barrier, void (*real)(void *, void *), const struct queue_frame *outer);

// Sleeps for a millisecond of real time.
void short_sleep(void *context);

// The virtual instant that is so far ahead; saturates.
int64_t instant_ahead(int64_t nanoseconds);

// Whether each part is able to detect its kind of work; determined at start.
bool sees_blocks(void);
bool sees_waits(void);
bool sees_conditions(void);
bool sees_sources(void);
bool sees_threads(void);
bool sees_sessions(void);
bool sees_queue_frames(void);

#pragma GCC visibility pop
#endif
#endif
