#define _GNU_SOURCE
#include "CVirtualTime.h"
#include "Clocks.h"

__attribute__((visibility("hidden"))) bool is_capture_in_progress;
bool cvt_is_capturing(void) { return __atomic_load_n(&is_capture_in_progress, __ATOMIC_RELAXED); }
void cvt_set_capturing(bool value) { __atomic_store_n(&is_capture_in_progress, value, __ATOMIC_RELAXED); }

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The Swift side, which creates the executors. Weak, so that this library links alone.
extern void curfew_install_executors(void) __attribute__((weak));
extern void *swift_task_getCurrent(void) __attribute__((weak));
extern void *swift_task_suspend(void) __attribute__((weak));
extern uint64_t swift_task_getJobTaskId(const void *) __attribute__((weak));

static bool is_installed;
static _Thread_local int is_main;
static _Thread_local bool is_captured;

__attribute__((constructor)) static void install(void) {
  if (!curfew_install_executors || !swift_task_suspend || !do_clocks_follow()) return;
  curfew_install_executors();
  is_installed = true;
}

// The layout of jobs, tasks and actors in the runtime of Swift 6.3, on 64 bits.
enum {
  job_next = 0x10,
  job_kind = 0x20,
  job_flags = 0x20,
  task_resume = 0x38,
  task_context = 0x40,
  task_status = 0x60,
  turn_actor = 0x40,
  actor_new_jobs = 0x28,
  actor_sorted_jobs = 0x40,
  context_parent = 0x00,
  context_resume = 0x08,
};
enum { kind_task = 0, kind_turn = 0xc1, kind_continuation = 0xc3 };
enum { is_child_task = 1 << 24, is_in_group = 1 << 26, is_async_let = 1 << 28 };
enum { status_is_cancelled = 0x100, status_is_running = 0x800, status_is_enqueued = 0x1000, status_is_complete = 0x2000 };

#define AT(type, object, offset) (*(const type *)((const char *)(object) + (offset)))

void cvt_take_cancellation_back(const void *task) {
  __atomic_fetch_and((uint32_t *)((char *)task + task_status), ~(uint32_t)status_is_cancelled, __ATOMIC_RELAXED);
}

typedef struct {
  void *task, *context;
} created_task;
typedef __attribute__((swiftcall)) created_task (*task_create)(size_t, void *, const void *, void *, void *);

// The Swift side, which is notified of each task that captured work begins,
extern void curfew_task_began(const void *task) __attribute__((weak));
// and of each task that work outside virtual time begins.
extern void curfew_escaped_task_began(const void *task, const void *escape) __attribute__((weak));

// A task that an actor begins for itself is enqueued only on that actor, so only this function sees
// it. Weak, so that a statically linked runtime keeps its own function.
__attribute__((weak, swiftcall)) created_task swift_task_create(
    size_t flags, void *options, const void *type, void *function, void *closure) {
  static task_create real;
  if (!real) real = (task_create)dlsym(RTLD_NEXT, "swift_task_create");
  created_task created = real(flags, options, type, function, closure);
  if (__builtin_expect(cvt_clock() != NULL, 0) && curfew_task_began) curfew_task_began(created.task);
  else if (__builtin_expect(cvt_is_capturing(), 0) && cvt_escape() && curfew_escaped_task_began) curfew_escaped_task_began(created.task, cvt_escape());
  return created;
}

bool cvt_is_installed(void) { return is_installed; }

bool cvt_is_main_thread(void) {
  if (!is_main) is_main = syscall(SYS_gettid) == getpid() ? 1 : 2;
  return is_main == 1;
}

static _Thread_local void *worker;
void *cvt_worker(void) { return worker; }
void cvt_set_worker(void *value) { worker = value; }

bool cvt_is_captured_thread(void) { return is_captured; }
void cvt_become_captured_thread(void) { is_captured = true; }

const void *cvt_current_task(void) { return swift_task_getCurrent(); }
uint64_t cvt_task_id(const void *task) { return swift_task_getJobTaskId(task); }

bool cvt_is_task(const void *job) { return AT(uint8_t, job, job_kind) == kind_task; }
bool cvt_is_turn(const void *job) { return AT(uint8_t, job, job_kind) == kind_turn; }
bool cvt_is_continuation(const void *job) { return AT(uint8_t, job, job_kind) == kind_continuation; }
bool cvt_is_child(const void *task) { return AT(uint32_t, task, job_flags) & (is_child_task | is_in_group | is_async_let); }
bool cvt_is_complete(const void *task) { return AT(uint32_t, task, task_status) & status_is_complete; }
bool cvt_is_running(const void *task) { return AT(uint32_t, task, task_status) & status_is_running; }
bool cvt_is_cancelled(const void *task) { return AT(uint32_t, task, task_status) & status_is_cancelled; }
bool cvt_is_enqueued(const void *task) { return AT(uint32_t, task, task_status) & status_is_enqueued; }

int cvt_waiting_tasks(const void *job, const void **tasks, int capacity) {
  if (!cvt_is_turn(job)) return 0;
  const void *actor = AT(void *, job, turn_actor);
  int count = 0;
  const void *lists[] = {AT(void *, actor, actor_new_jobs), AT(void *, actor, actor_sorted_jobs)};
  for (int list = 0; list < 2; list++)
    for (const void *next = lists[list]; next && count < capacity; next = AT(void *, next, job_next))
      if (cvt_is_task(next)) tasks[count++] = next;
  return count;
}

int cvt_backtrace(void **addresses, int capacity) { return backtrace(addresses, capacity); }

// MARK: The thread that drives virtual time

// A thread that drives virtual time. The record outlives its turn as the driver.
struct thread {
  pthread_t thread;
  pid_t id;
};
static _Thread_local struct thread this_thread;
static _Atomic(void *) driver;

void *cvt_this_thread(void) {
  if (!this_thread.id) this_thread = (struct thread){pthread_self(), (pid_t)syscall(SYS_gettid)};
  return &this_thread;
}

void *cvt_driver(void) { return atomic_load_explicit(&driver, memory_order_relaxed); }
void *cvt_set_driver(void *thread) { return atomic_exchange_explicit(&driver, thread, memory_order_relaxed); }

void *cvt_pause_driver(void) {
  void *self = &this_thread;
  return atomic_compare_exchange_strong(&driver, &self, NULL) ? &this_thread : NULL;
}

void cvt_resume_driver(void *thread) {
  if (thread) cvt_set_driver(thread);
}

bool cvt_is_driver_main(void) {
  const struct thread *thread = cvt_driver();
  return thread && thread->id == getpid();
}

bool cvt_does_driver_sleep(void) {
  const struct thread *thread = cvt_driver();
  if (!thread) return false;
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread->id);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  // "1234 (name) S …": the name may contain parentheses.
  const char *end = count > 0 ? strrchr(text, ')') : NULL;
  return end && end[1] == ' ' && end[2] == 'S';
}

enum { deepest_stack = 64 };
static void *stack[deepest_stack];
static atomic_int stack_depth;

static void note_stack(int signal) { atomic_store(&stack_depth, backtrace(stack, deepest_stack)); }

int cvt_stack_of(void *thread, void **addresses, int capacity) {
  // Not blocked by Dispatch's threads, unlike most signals.
  enum { signal_number = SIGPROF };
  // Loads the library that unwinds the stack, because a signal handler must not load it.
  backtrace(stack, deepest_stack);
  atomic_store(&stack_depth, -1);
  struct sigaction action = {.sa_handler = note_stack, .sa_flags = SA_RESTART};
  if (sigaction(signal_number, &action, NULL) != 0 || pthread_kill(((struct thread *)thread)->thread, signal_number) != 0) return 0;
  for (int tries = 0; tries < 200 && atomic_load(&stack_depth) < 0; tries++) usleep(10000);
  int depth = atomic_load(&stack_depth);
  if (depth > capacity) depth = capacity;
  for (int i = 0; i < depth; i++) addresses[i] = stack[i];
  return depth < 0 ? 0 : depth;
}

int cvt_waiting_at(const void *task, void **addresses, int capacity) {
  if (cvt_is_complete(task) || cvt_is_running(task) || cvt_is_enqueued(task) || capacity < 1) return 0;
  addresses[0] = (void *)AT(uintptr_t, task, task_resume);
  int count = 1;
  for (const void *context = AT(void *, task, task_context); context && count < capacity; context = AT(void *, context, context_parent))
    addresses[count++] = (void *)AT(uintptr_t, context, context_resume);
  return count;
}

// The next step of a task that was given up: if the task is resumed, it waits again, for ever.
__attribute__((swiftasynccall)) static void wait_for_ever(__attribute__((swift_async_context)) void *context) { swift_task_suspend(); }

void cvt_give_up(const void *task) {
  if (cvt_is_running(task) || cvt_is_complete(task)) return;
  *(void **)((char *)task + task_resume) = (void *)&wait_for_ever;
}

#else

bool cvt_is_installed(void) { return false; }
bool cvt_is_main_thread(void) { return false; }
void *cvt_worker(void) { return 0; }
void cvt_set_worker(void *worker) {}
bool cvt_is_captured_thread(void) { return false; }
void cvt_become_captured_thread(void) {}
const void *cvt_current_task(void) { return 0; }
uint64_t cvt_task_id(const void *task) { return 0; }
bool cvt_is_task(const void *job) { return false; }
bool cvt_is_turn(const void *job) { return false; }
bool cvt_is_continuation(const void *job) { return false; }
void *cvt_this_thread(void) { return 0; }
void *cvt_driver(void) { return 0; }
void *cvt_set_driver(void *thread) { return 0; }
void *cvt_pause_driver(void) { return 0; }
void cvt_resume_driver(void *thread) {}
bool cvt_is_driver_main(void) { return false; }
bool cvt_does_driver_sleep(void) { return false; }
int cvt_stack_of(void *thread, void **addresses, int capacity) { return 0; }
bool cvt_is_child(const void *task) { return false; }
bool cvt_is_complete(const void *task) { return false; }
bool cvt_is_running(const void *task) { return false; }
bool cvt_is_cancelled(const void *task) { return false; }
bool cvt_is_enqueued(const void *task) { return false; }
void cvt_take_cancellation_back(const void *task) {}
int cvt_waiting_tasks(const void *job, const void **tasks, int capacity) { return 0; }
int cvt_backtrace(void **addresses, int capacity) { return 0; }
int cvt_waiting_at(const void *task, void **addresses, int capacity) { return 0; }
void cvt_give_up(const void *task) {}

#endif
