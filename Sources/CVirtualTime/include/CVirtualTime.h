#ifndef CVIRTUALTIME_H
#define CVIRTUALTIME_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this library supports this platform and toolchain, so that its executors were installed
/// at start.
bool cvt_is_installed(void);

/// The virtual time, in nanoseconds, that the clocks of Swift, Foundation and Dispatch read on this
/// thread, or null for the real time.
void cvt_set_clock(const int64_t *_Nullable nanoseconds);
const int64_t *_Nullable cvt_clock(void);

/// Notes the virtual instant and the date at the begin of a capture, and the last instant of the
/// capture before. The date is in seconds and nanoseconds since 1970, and is the date at instant 0.
void cvt_begin_clocks(int64_t now, int64_t last, int64_t date_seconds, int64_t date_nanoseconds);

/// Whether Foundation's dates and Dispatch's times follow the clock of a thread. False if they are
/// linked statically, and under Thread Sanitizer.
bool cvt_are_dates_followed(void);

/// The real CLOCK_MONOTONIC, in nanoseconds, on every thread.
int64_t cvt_real_uptime(void);

/// Whether a capture is in progress. Called for each job of the process.
bool cvt_is_capturing(void);
void cvt_set_capturing(bool is_capturing);

/// Whether this is the thread on which the process began.
bool cvt_is_main_thread(void);

/// Whether this is the thread for captured work outside the main actor. That thread calls
/// `cvt_become_captured_thread` itself.
bool cvt_is_captured_thread(void);
void cvt_become_captured_thread(void);

/// The task that runs on this thread, or null.
const void *_Nullable cvt_current_task(void);

/// The id of a task; unique in the process.
uint64_t cvt_task_id(const void *_Nonnull task);

/// Whether this thread is in a run of a run loop, in captured work.
bool cvt_is_in_run_loop(void);

/// Whether captured work is in a run of a run loop that has a limit, on any thread.
bool cvt_runs_run_loop(void);

/// Makes this thread run no block of a queue, for other work that it begins inside of one.
/// - Returns: The blocks that it runs, for `cvt_enter_queues`.
const void *_Nullable cvt_leave_queues(void);
void cvt_enter_queues(const void *_Nullable frames);

/// Whether a job is a task, rather than an actor's turn, a timer or a deinit.
bool cvt_is_task(const void *_Nonnull job);

/// Whether a job is an actor's turn, which runs the jobs in the actor's queue.
bool cvt_is_turn(const void *_Nonnull job);

/// Whether a job only resumes a task, like the job that `Task.yield()` enqueues.
bool cvt_is_continuation(const void *_Nonnull job);

/// Whether a task is a child task of a group or an `async let`. Such a task may live in its
/// parent's memory.
bool cvt_is_child(const void *_Nonnull task);

/// Whether a task has finished.
bool cvt_is_complete(const void *_Nonnull task);

/// Whether a task is running.
bool cvt_is_running(const void *_Nonnull task);

/// Whether a task has been cancelled.
bool cvt_is_cancelled(const void *_Nonnull task);

/// Withdraws the cancellation of a task.
void cvt_take_cancellation_back(const void *_Nonnull task);

/// Whether a task only waits for its turn to run.
bool cvt_is_enqueued(const void *_Nonnull task);

/// The tasks that wait in the queue of an actor, if the job is that actor's turn.
/// - Returns: The number of tasks, at most the capacity; 0 if the job is not an actor's turn.
int cvt_waiting_tasks(const void *_Nonnull job, const void *_Nullable *_Nonnull tasks, int capacity);

/// The stack of this thread: return addresses, innermost first.
int cvt_backtrace(void *_Nullable *_Nonnull addresses, int capacity);

/// The places at which a waiting task and its callers will resume, innermost first.
/// - Returns: The number of places, at most the capacity; 0 if the task is over or running, or only
///   waits for its turn.
int cvt_waiting_at(const void *_Nonnull task, void *_Nullable *_Nonnull addresses, int capacity);

/// Makes a waiting task wait for ever, even if it is resumed. A task that is running or over
/// is left alone.
void cvt_give_up(const void *_Nonnull task);

/// A handle of this thread, for comparisons and for reading its stack.
void *_Nullable cvt_this_thread(void);

/// The innermost thread that was called with captured work and has not returned; null if there
/// is no such thread, or while the captured work waits for other work.
void *_Nullable cvt_driver(void);

/// - Returns: The previous driver.
void *_Nullable cvt_set_driver(void *_Nullable thread);

/// Ends this thread's turn as the driver while it waits. Does nothing if another thread is the
/// driver, because a thread must not undo another thread's change.
/// - Returns: This thread; null if it is not the driver.
void *_Nullable cvt_pause_driver(void);

/// Makes a thread the driver again; does nothing for null.
void cvt_resume_driver(void *_Nullable thread);

/// Whether the driver is the thread on which the process began.
bool cvt_is_driver_main(void);

/// Whether the driver sleeps: on a lock, on a condition or in a system call.
bool cvt_does_driver_sleep(void);

/// The stack of another thread: return addresses, innermost first. Interrupts the thread, and
/// changes the process's handler for SIGPROF, so call it only in a process that is about to end.
int cvt_stack_of(void *_Nonnull thread, void *_Nullable *_Nonnull addresses, int capacity);

/// The kinds of work that leaves virtual time.
enum { cvt_block, cvt_delayed_block, cvt_thread, cvt_session, cvt_task, cvt_source, cvt_suspended_queue, cvt_timer };

/// A piece of work that leaves virtual time, when it begins.
typedef struct {
  int kind;
  /// The record of the work that begins it, or null if captured work begins it.
  const void *_Nullable parent;
  /// A URLSession task or a Swift task.
  const void *_Nullable object;
  /// The queue and the group of a block, and the block itself if a program can wait for it.
  const void *_Nullable queue, *_Nullable group, *_Nullable item;
  /// The group whose emptiness a notification waits for.
  const void *_Nullable notifier;
  bool is_barrier;
} cvt_work;

/// The extent of a wait: all work of a group or of an item; all work of a queue; the work of a
/// queue up to its last barrier; or the first piece of work that has signalled a semaphore.
enum { cvt_all, cvt_queue, cvt_to_barrier, cvt_first };

/// Runs a block of captured work, and releases it.
/// - Parameter is_queue_free: Whether the block runs on its queue. Otherwise it is only called.
void cvt_run_block(void *_Nonnull block, bool is_queue_free);

/// Whether a queue runs its blocks on the main thread.
bool cvt_is_on_main_thread(const void *_Nonnull queue);

/// Whether a block of captured work is a barrier.
bool cvt_is_barrier(const void *_Nonnull block);

/// Whether two blocks may not run at the same time: they share a serial queue, or a concurrent
/// queue of the program and one of them is a barrier.
bool cvt_exclude_each_other(const void *_Nonnull queue, bool is_barrier, const void *_Nonnull other, bool is_other_barrier);

/// Whether a queue is one of the system's global queues.
bool cvt_is_global(const void *_Nonnull queue);

/// Whether a queue, or one of its targets, is suspended or not active yet.
bool cvt_is_suspended(const void *_Nonnull queue);

/// Ends the records of run loops' timers.
void cvt_end_timers(void);

/// Whether no work is left in a group.
bool cvt_is_group_empty(const void *_Nonnull group);

/// The worker of this thread, if it only runs blocks.
void *_Nullable cvt_worker(void);
void cvt_set_worker(void *_Nonnull worker);

/// Whether a queue runs one block after the other.
bool cvt_is_serial(const void *_Nonnull queue);

/// Whether two queues are the same, or share a target that is a queue of the program.
bool cvt_share_queue(const void *_Nonnull a, const void *_Nonnull b);

/// Whether a queue is the main queue.
bool cvt_is_main_queue(const void *_Nullable queue);

/// Whether an item has been cancelled.
bool cvt_is_item_cancelled(const void *_Nonnull item);

/// Keep a queue or a group alive, so that no other object gets its address.
void cvt_retain_dispatch_object(const void *_Nonnull object);
void cvt_release_dispatch_object(const void *_Nonnull object);

/// Whether this library was built for Thread Sanitizer.
bool cvt_is_sanitized(void);

/// Whether work that leaves virtual time is detected when it begins. False if libdispatch is linked
/// statically, and under Thread Sanitizer.
bool cvt_sees_escapes(void);

/// The record of the work outside virtual time that this thread is running, or null.
const void *_Nullable cvt_escape(void);

/// Whether a URLSession task is completed.
bool cvt_is_session_over(const void *_Nonnull task);

#endif
