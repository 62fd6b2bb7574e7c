#ifndef CVIRTUALTIME_H
#define CVIRTUALTIME_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this platform and this library were made for each other: whether the executors were put
/// in at start.
bool cvt_is_installed(void);

/// The virtual nanosecond that the Swift clocks read on this thread, or null for the real time.
void cvt_set_clock(const int64_t *_Nullable nanoseconds);
const int64_t *_Nullable cvt_clock(void);

/// Whether a capture is on. Asked for each job of the process.
bool cvt_is_capturing(void);
void cvt_set_capturing(bool is_capturing);

/// Whether this is the thread that the process began on.
bool cvt_is_main_thread(void);

/// Whether this is the thread for captured work that is not the main actor's, as it has said
/// of itself.
bool cvt_is_captured_thread(void);
void cvt_become_captured_thread(void);

/// The task that runs on this thread, or null.
const void *_Nullable cvt_current_task(void);

/// The id of a task, which no other task of the process has.
uint64_t cvt_task_id(const void *_Nonnull task);

/// Whether a job is a task, and not an actor's turn, a timer or a deinit.
bool cvt_is_task(const void *_Nonnull job);

/// Whether a job is an actor's turn, in which it does what its queue holds.
bool cvt_is_turn(const void *_Nonnull job);

/// Whether a job does nothing but resume a task, as the one does that `Task.yield()` enqueues.
bool cvt_is_continuation(const void *_Nonnull job);

/// Whether a task is part of another: a child of a group or an `async let`. It may be memory
/// of that other task.
bool cvt_is_child(const void *_Nonnull task);

/// Whether a task has come to its end.
bool cvt_is_complete(const void *_Nonnull task);

/// Whether a task runs.
bool cvt_is_running(const void *_Nonnull task);

/// Whether a task has been cancelled.
bool cvt_is_cancelled(const void *_Nonnull task);

/// Has it not be cancelled any more.
void cvt_take_cancellation_back(const void *_Nonnull task);

/// Whether a task waits for nothing but its turn to run.
bool cvt_is_enqueued(const void *_Nonnull task);

/// The tasks that wait in the queue of an actor whose turn the job is.
/// - Returns: How many there are, at most the capacity; 0 where the job is no actor's turn.
int cvt_waiting_tasks(const void *_Nonnull job, const void *_Nullable *_Nonnull tasks, int capacity);

/// Where this thread is: return addresses, the innermost first.
int cvt_backtrace(void *_Nullable *_Nonnull addresses, int capacity);

/// Where a task that waits will go on, in it and in those that called it: the innermost first.
/// - Returns: How many there are, at most the capacity; 0 where the task is over, runs, or waits
///   for nothing but its turn.
int cvt_waiting_at(const void *_Nonnull task, void *_Nullable *_Nonnull addresses, int capacity);

/// Has a task that waits wait for ever, whoever resumes it. One that runs, or is over,
/// is left alone.
void cvt_give_up(const void *_Nonnull task);

/// This thread, to compare and to ask for its stack.
void *_Nullable cvt_this_thread(void);

/// The thread that was called with captured work and has not returned, the innermost; null while
/// nobody was, or while that work waits for other work.
void *_Nullable cvt_driver(void);

/// - Returns: The thread that it was before.
void *_Nullable cvt_set_driver(void *_Nullable thread);

/// Ends this thread's turn as the driver while it waits. Another thread's turn is left alone: what
/// one thread puts back must not undo what another has begun meanwhile.
/// - Returns: This thread; null if it is not the driver.
void *_Nullable cvt_pause_driver(void);

/// Begins a thread's turn again; of null nothing.
void cvt_resume_driver(void *_Nullable thread);

/// Whether that thread is the one that the process began on.
bool cvt_is_driver_main(void);

/// Whether that thread sleeps: on a lock, on a condition or in a call of the system's.
bool cvt_does_driver_sleep(void);

/// Where another thread is, which is interrupted for it: return addresses, the innermost first.
/// Changes the process's handler for SIGPROF: for a process that is about to end.
int cvt_stack_of(void *_Nonnull thread, void *_Nullable *_Nonnull addresses, int capacity);

/// Kinds of work that leaves virtual time.
enum { cvt_block, cvt_delayed_block, cvt_thread, cvt_session, cvt_task };

/// Work that leaves virtual time, as it begins.
typedef struct {
  int kind;
  /// The record of the work that begins it, or null if captured work does.
  const void *_Nullable parent;
  /// A URLSession task or a Swift task.
  const void *_Nullable object;
  /// The queue and the group of a block, and the block itself if a program can wait for it.
  const void *_Nullable queue, *_Nullable group, *_Nullable item;
  /// The group that is empty before a notification begins.
  const void *_Nullable notifier;
  bool is_barrier;
} cvt_work;

/// The extent of a wait: all work of a group or of an item; all work of a queue; the work of a
/// queue up to its last barrier; or the first piece of work that has signalled a semaphore.
enum { cvt_all, cvt_queue, cvt_to_barrier, cvt_first };

/// Whether a queue does one block after the other.
bool cvt_is_serial(const void *_Nonnull queue);

/// Whether two queues are one, or have a queue of the program's in common among their targets.
bool cvt_share_queue(const void *_Nonnull a, const void *_Nonnull b);

/// Whether a queue is the main one.
bool cvt_is_main_queue(const void *_Nullable queue);

/// Whether an item has been cancelled.
bool cvt_is_item_cancelled(const void *_Nonnull item);

/// Keep a queue or a group alive, so that no other one gets its address.
void cvt_retain_dispatch_object(const void *_Nonnull object);
void cvt_release_dispatch_object(const void *_Nonnull object);

/// Whether this library was built for Thread Sanitizer.
bool cvt_is_sanitized(void);

/// Whether such work is seen where it begins: not if libdispatch is linked statically, nor under
/// Thread Sanitizer.
bool cvt_sees_escapes(void);

/// The record of the work that this thread does outside virtual time, or null.
const void *_Nullable cvt_escape(void);

/// Whether a URLSession task is completed.
bool cvt_is_session_over(const void *_Nonnull task);

#endif
