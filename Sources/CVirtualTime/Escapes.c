#define _GNU_SOURCE
#include "CVirtualTime.h"

// Work that leaves virtual time: Dispatch blocks, threads and URLSession tasks. Each begin is seen
// where the program calls the library, and counted until the work is done.
// Dispatch's functions with _f are the Swift runtime's own and are left alone: its executors go
// through them.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// Thread Sanitizer defines Dispatch's functions itself, to know which thread waits for which.
#define CURFEW_LEAVES_DISPATCH_ALONE
#endif
#endif

bool cvt_is_sanitized(void) {
#ifdef CURFEW_LEAVES_DISPATCH_ALONE
  return true;
#else
  return false;
#endif
}

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(CURFEW_LEAVES_DISPATCH_ALONE)
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

// The Swift side of this: it gives out one record for each piece of work, says when the work is
// handed over, and takes the record back when the work is done. Weak, so that this library links
// alone.
extern const void *curfew_escape_began(const cvt_work *work) __attribute__((weak));
extern void curfew_escape_starts(const void *escape, void (*start)(void *), void *context, uint64_t when, uint64_t delay) __attribute__((weak));
extern void curfew_escape_ended(const void *escape) __attribute__((weak));
extern void curfew_escape_signals(const void *escape, const void *object) __attribute__((weak));
extern void curfew_escape_signalled(void) __attribute__((weak));
extern void curfew_waited_for(const void *object, int extent) __attribute__((weak));
extern bool curfew_hand_over_next(void) __attribute__((weak));
extern void curfew_hand_over_queue(const void *queue) __attribute__((weak));

extern void *_Block_copy(const void *) __attribute__((weak));
extern void _Block_release(const void *) __attribute__((weak));
extern void dispatch_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_barrier_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_after_f(uint64_t, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_notify_f(void *, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_enter(void *) __attribute__((weak));
void dispatch_group_leave(void *);
extern void *dispatch_queue_create(const char *, void *) __attribute__((weak));
extern void *dispatch_get_global_queue(intptr_t, uintptr_t) __attribute__((weak));
extern uint64_t dispatch_time(uint64_t, int64_t) __attribute__((weak));
extern char _dispatch_main_q, _dispatch_queue_attr_concurrent __attribute__((weak));
extern void dispatch_retain(void *) __attribute__((weak));
extern void dispatch_release(void *) __attribute__((weak));
// Blocks that dispatch_block_create has made are known by the function that they call.
extern const void *const _dispatch_block_special_invoke __attribute__((weak));

#define REAL(name, result, arguments) \
  static result(*real) arguments; \
  if (!real) real = (result(*) arguments)dlsym(RTLD_NEXT, name)

// The work that this thread is doing, if it is work that captured work has begun outside virtual
// time.
static _Thread_local const void *escape_of_thread;
const void *cvt_escape(void) { return escape_of_thread; }

// MARK: Who calls

enum library { program, dispatch, passed_through, framework, networking };
typedef struct {
  uintptr_t low, high;
  enum library library;
} range;
enum { most_ranges = 16 };
static range ranges[most_ranges];
static int range_count;
static pthread_once_t ranges_once = PTHREAD_ONCE_INIT;

static int add_range(struct dl_phdr_info *info, size_t size, void *context) {
  static const struct {
    const char *name;
    enum library library;
  } known[] = {
      {"libdispatch.so", dispatch}, {"libswiftDispatch.so", passed_through}, {"libswiftCore.so", passed_through},
      {"libFoundation.so", passed_through}, {"libFoundationEssentials.so", passed_through}, {"libFoundationNetworking.so", networking},
      {"libswift_Concurrency.so", framework}, {"libTesting.so", framework}, {"lib_Testing_Foundation.so", framework},
      {"lib_TestingInterop.so", framework}, {"libXCTest.so", framework},
  };
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  for (size_t i = 0; i < sizeof known / sizeof *known && range_count < most_ranges; i++) {
    if (strcmp(name, known[i].name) != 0) continue;
    range found = {UINTPTR_MAX, 0, known[i].library};
    for (int segment = 0; segment < info->dlpi_phnum; segment++) {
      if (info->dlpi_phdr[segment].p_type != PT_LOAD) continue;
      uintptr_t low = info->dlpi_addr + info->dlpi_phdr[segment].p_vaddr;
      uintptr_t high = low + info->dlpi_phdr[segment].p_memsz;
      if (low < found.low) found.low = low;
      if (high > found.high) found.high = high;
    }
    ranges[range_count++] = found;
  }
  return 0;
}

static void find_ranges(void) { dl_iterate_phdr(add_range, NULL); }

static enum library library_of(uintptr_t address) {
  for (int i = 0; i < range_count; i++)
    if (address >= ranges[i].low && address < ranges[i].high) return ranges[i].library;
  return program;
}

static bool is_dispatch(void *caller) {
  pthread_once(&ranges_once, find_ranges);
  return library_of((uintptr_t)caller) == dispatch;
}

// The library that wants the work: the first above the caller that does not only pass it on, as
// Foundation does for an OperationQueue.
static enum library origin_of(void *caller) {
  enum library library = library_of((uintptr_t)caller);
  if (library != passed_through) return library;
  void *frames[24];
  int count = backtrace(frames, 24), index = 0;
  while (index < count && frames[index] != caller) index++;
  while (index < count && (library == passed_through || library == dispatch)) library = library_of((uintptr_t)frames[index++]);
  return library;
}

// MARK: What is counted

static bool sees_sessions;

// A record for work that begins here, or NULL if it is not counted.
static const void *begin(cvt_work work, void *caller) {
  if (__builtin_expect(!cvt_is_capturing(), 1) || !curfew_escape_began) return NULL;
  bool is_captured = cvt_clock() != NULL;
  if (!is_captured && !escape_of_thread) return NULL;
  if (caller) {
    // Calls that libdispatch makes to itself: threads for blocks that are counted already,
    // notifications, I/O channels.
    if (is_dispatch(caller)) return NULL;
    enum library origin = origin_of(caller);
    if (origin == framework || (origin == networking && sees_sessions)) return NULL;
  }
  work.parent = is_captured ? NULL : escape_of_thread;
  return curfew_escape_began(&work);
}

static const void *enter(const void *escape) {
  const void *outer = escape_of_thread;
  escape_of_thread = escape;
  return outer;
}

static void leave(const void *escape, const void *outer) {
  escape_of_thread = outer;
  curfew_escape_ended(escape);
}

// MARK: Dispatch

struct block {
  const void *isa;
  int32_t flags, reserved;
  void (*invoke)(void *);
};
// The fields after the header of a block that dispatch_block_create has made; each use checks the
// mark.
struct created_block {
  struct block block;
  const void *descriptor;
  uint64_t mark, flags;
};
enum { created_mark = 0xd159b10c, is_barrier = 1 };

// A block that dispatch_block_create has made, for a DispatchWorkItem, keeps its own cancellation,
// waits and notifications where it is called directly. Its barrier it would lose.
static bool is_created(const struct block *block) {
  return &_dispatch_block_special_invoke && (const void *)block->invoke == _dispatch_block_special_invoke &&
         ((const struct created_block *)block)->mark == created_mark;
}

static bool has_barrier(const void *block) { return is_created(block) && (((const struct created_block *)block)->flags & is_barrier); }

// A piece of work with what it takes to hand it over. Captured work's own is handed over when
// captured work is at rest.
typedef struct {
  void *block, *queue, *group;
  const void *escape;
  uint64_t when;
  bool is_barrier;
} work;

enum { now = 0 };
static const uint64_t forever = ~0ull;

static work *work_of(void *block, void *queue, const void *escape) {
  work *made = calloc(1, sizeof *made);
  made->block = _Block_copy(block);
  made->queue = queue;
  made->escape = escape;
  dispatch_retain(queue);
  return made;
}

static void do_work(void *context) {
  work now = *(work *)context;
  free(context);
  const void *outer = enter(now.escape);
  ((struct block *)now.block)->invoke(now.block);
  _Block_release(now.block);
  // Before the record says that it is done: whoever has waited for that looks at the group next.
  if (now.group) dispatch_group_leave(now.group);
  leave(now.escape, outer);
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

#define CALLER __builtin_return_address(0)

static bool begin_block(void *queue, void *group, void *block, bool is_barrier, void *caller) {
  is_barrier = is_barrier || has_barrier(block);
  const void *item = is_created(block) ? block : NULL;
  const void *escape =
      begin((cvt_work){.kind = cvt_block, .queue = queue, .group = group, .item = item, .is_barrier = is_barrier}, caller);
  if (!escape) return false;
  work *made = work_of(block, queue, escape);
  made->is_barrier = is_barrier;
  if (group) {
    // The group is not empty from here on, even if the block is handed over later.
    dispatch_retain(group);
    dispatch_group_enter(group);
    made->group = group;
  }
  curfew_escape_starts(escape, hand_over_block, made, now, 0);
  return true;
}

static void seen_async(void *queue, void *block) {
  if (begin_block(queue, NULL, block, false, CALLER)) return;
  REAL("dispatch_async", void, (void *, void *));
  real(queue, block);
}

static void seen_barrier_async(void *queue, void *block) {
  if (begin_block(queue, NULL, block, true, CALLER)) return;
  REAL("dispatch_barrier_async", void, (void *, void *));
  real(queue, block);
}

static void seen_group_async(void *group, void *queue, void *block) {
  if (begin_block(queue, group, block, false, CALLER)) return;
  REAL("dispatch_group_async", void, (void *, void *, void *));
  real(group, queue, block);
}

// How far away an instant of Dispatch is, in nanoseconds; the largest number if it is one of the
// wall clock's.
static uint64_t delay_until(uint64_t when) {
  if (when == now) return 0;
  if (when >> 62) return forever;
  uint64_t instant = dispatch_time(now, 0);
  return when > instant ? when - instant : 0;
}

// A barrier that a block brings along is lost with the forms below; such a block is not counted.
static void seen_after(uint64_t when, void *queue, void *block) {
  const void *escape =
      when == forever || has_barrier(block) ? NULL : begin((cvt_work){.kind = cvt_delayed_block, .queue = queue}, CALLER);
  REAL("dispatch_after", void, (uint64_t, void *, void *));
  if (!escape) return real(when, queue, block);
  work *made = work_of(block, queue, escape);
  made->when = when;
  curfew_escape_starts(escape, hand_over_delayed_block, made, when, delay_until(when));
}

static bool is_empty(void *group) {
  REAL("dispatch_group_wait", intptr_t, (void *, uint64_t));
  return real(group, now) == 0;
}

static void seen_group_notify(void *group, void *queue, void *block) {
  // An empty group notifies at once, whatever enters it before the block is handed over.
  if (cvt_is_capturing() && !has_barrier(block) && is_empty(group) && begin_block(queue, NULL, block, false, CALLER)) return;
  const void *escape = has_barrier(block) ? NULL : begin((cvt_work){.kind = cvt_block, .queue = queue}, CALLER);
  REAL("dispatch_group_notify", void, (void *, void *, void *));
  if (!escape) return real(group, queue, block);
  work *made = work_of(block, queue, escape);
  dispatch_retain(group);
  made->group = group;
  curfew_escape_starts(escape, hand_over_notification, made, now, 0);
}

// MARK: Waits of captured work

// How many blocks of a queue may run at once, where a libdispatch keeps it; nowhere if it is
// another one than this was made for.
static size_t width_offset;
enum { most_width_offset = 160, width_of_serial = 1, width_of_concurrent = 0xffe, width_of_global = 0xfff };

static uint16_t width_of(const void *queue) {
  uint16_t width;
  if (!width_offset) return width_of_global;
  memcpy(&width, (const char *)queue + width_offset, sizeof width);
  return width;
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

static bool is_captured(void) { return __builtin_expect(cvt_clock() != NULL, 0) && curfew_waited_for; }

// A block that was done before a wait for its queue has returned is not in doubt: no run has it
// otherwise. A serial queue does everything before; a concurrent one does all that is before its
// last barrier; a global one waits for nothing.
static void seen_sync(void *queue, void *block) {
  REAL("dispatch_sync", void, (void *, void *));
  if (!is_captured()) {
    // The blocks that were begun before come before, as on any serial queue.
    if (escape_of_thread && cvt_is_capturing()) curfew_hand_over_queue(queue);
    return real(queue, block);
  }
  curfew_hand_over_queue(queue);
  real(queue, block);
  uint16_t width = width_of(queue);
  if (width != width_of_global) curfew_waited_for(queue, width == width_of_serial ? cvt_all : cvt_to_barrier);
}

static void seen_barrier_sync(void *queue, void *block) {
  REAL("dispatch_barrier_sync", void, (void *, void *));
  if (!is_captured()) return real(queue, block);
  curfew_hand_over_queue(queue);
  real(queue, block);
  if (width_of(queue) != width_of_global) curfew_waited_for(queue, cvt_all);
}

// Work is handed over piece by piece until the awaited piece has come, so that each run does the
// same pieces before. Real time decides whether a wait with a limit succeeds, so it vouches for
// nothing.
static intptr_t wait_for(void *object, uint64_t limit, int extent, intptr_t (*real)(void *, uint64_t)) {
  if (!is_captured() || limit == now) return real(object, limit);
  intptr_t result;
  do { result = real(object, now); } while (result != 0 && curfew_hand_over_next());
  if (result != 0) result = real(object, limit);
  if (limit == forever) curfew_waited_for(object, extent);
  return result;
}

static intptr_t seen_semaphore_wait(void *semaphore, uint64_t limit) {
  REAL("dispatch_semaphore_wait", intptr_t, (void *, uint64_t));
  return wait_for(semaphore, limit, cvt_first, real);
}

static intptr_t seen_group_wait(void *group, uint64_t limit) {
  REAL("dispatch_group_wait", intptr_t, (void *, uint64_t));
  return wait_for(group, limit, cvt_all, real);
}

static intptr_t seen_block_wait(void *block, uint64_t limit) {
  REAL("dispatch_block_wait", intptr_t, (void *, uint64_t));
  return wait_for(block, limit, cvt_all, real);
}

// Whether work outside virtual time of a capture that is on makes the signal. libdispatch wakes its
// own threads by semaphores.
static bool signals_by_program(void *caller) {
  return __builtin_expect(escape_of_thread != NULL, 0) && cvt_is_capturing() && !is_dispatch(caller);
}

static intptr_t seen_semaphore_signal(void *semaphore) {
  REAL("dispatch_semaphore_signal", intptr_t, (void *));
  if (!signals_by_program(CALLER)) return real(semaphore);
  // Known before the waiting thread goes on, and said when it may.
  curfew_escape_signals(escape_of_thread, semaphore);
  intptr_t result = real(semaphore);
  curfew_escape_signalled();
  return result;
}

static void seen_group_leave(void *group) {
  REAL("dispatch_group_leave", void, (void *));
  if (!signals_by_program(CALLER)) return real(group);
  curfew_escape_signals(escape_of_thread, group);
  real(group);
  curfew_escape_signalled();
}

// Weak, so that a libdispatch that is linked statically has its own.
#define WEAK_ALIAS(name) __attribute__((weak, alias(name)))
void dispatch_async(void *, void *) WEAK_ALIAS("seen_async");
void dispatch_barrier_async(void *, void *) WEAK_ALIAS("seen_barrier_async");
void dispatch_group_async(void *, void *, void *) WEAK_ALIAS("seen_group_async");
void dispatch_after(uint64_t, void *, void *) WEAK_ALIAS("seen_after");
void dispatch_group_notify(void *, void *, void *) WEAK_ALIAS("seen_group_notify");
void dispatch_sync(void *, void *) WEAK_ALIAS("seen_sync");
void dispatch_barrier_sync(void *, void *) WEAK_ALIAS("seen_barrier_sync");
intptr_t dispatch_semaphore_wait(void *, uint64_t) WEAK_ALIAS("seen_semaphore_wait");
intptr_t dispatch_semaphore_signal(void *) WEAK_ALIAS("seen_semaphore_signal");
intptr_t dispatch_group_wait(void *, uint64_t) WEAK_ALIAS("seen_group_wait");
void dispatch_group_leave(void *) WEAK_ALIAS("seen_group_leave");
intptr_t dispatch_block_wait(void *, uint64_t) WEAK_ALIAS("seen_block_wait");

// MARK: Threads

typedef struct {
  void *(*body)(void *);
  void *argument;
  const void *escape;
  // The thread exists at once, and begins with its body when it is handed over.
  sem_t is_handed_over;
} thread_work;

static void hand_over_thread(void *context) { sem_post(&((thread_work *)context)->is_handed_over); }

static void end_thread(void *escape) { leave(escape, NULL); }

static void *do_thread_work(void *context) {
  thread_work *work = context;
  while (sem_wait(&work->is_handed_over) != 0) {}
  struct {
    void *(*body)(void *);
    void *argument;
    const void *escape;
  } now = {work->body, work->argument, work->escape};
  sem_destroy(&work->is_handed_over);
  free(work);
  enter(now.escape);
  void *result;
  // A thread may end inside its body, by pthread_exit.
  pthread_cleanup_push(end_thread, (void *)now.escape);
  result = now.body(now.argument);
  pthread_cleanup_pop(1);
  return result;
}

static int seen_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  REAL("pthread_create", int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
  const void *escape = begin((cvt_work){.kind = cvt_thread}, CALLER);
  if (!escape) return real(thread, attributes, body, argument);
  thread_work *made = calloc(1, sizeof *made);
  made->body = body;
  made->argument = argument;
  made->escape = escape;
  sem_init(&made->is_handed_over, 0, 0);
  int error = real(thread, attributes, do_thread_work, made);
  if (error == 0) {
    curfew_escape_starts(escape, hand_over_thread, made, now, 0);
  } else {
    free(made);
    curfew_escape_ended(escape);
  }
  return error;
}

static int seen_pthread_join(pthread_t thread, void **result) {
  REAL("pthread_join", int, (pthread_t, void **));
  if (is_captured()) while (curfew_hand_over_next()) {}
  return real(thread, result);
}

int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) WEAK_ALIAS("seen_pthread_create");
int pthread_join(pthread_t, void **) WEAK_ALIAS("seen_pthread_join");

// MARK: URLSession

typedef __attribute__((swiftcall)) void (*session_resume)(__attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) uint8_t (*session_state)(__attribute__((swift_context)) const void *);
static session_resume real_resume;
static session_state state_of_session;
enum { session_completed = 3 };

bool cvt_is_session_over(const void *task) {
  if (!state_of_session) return false;
  // The answer comes by way of `sync` on the task's queue, which is no wait of captured work: the
  // caller holds the lock under which that would be noted.
  const int64_t *clock = cvt_clock();
  cvt_set_clock(NULL);
  uint8_t state = state_of_session((void *)task);
  cvt_set_clock(clock);
  return state == session_completed;
}

extern void *swift_retain(void *) __attribute__((weak));
extern void swift_release(void *) __attribute__((weak));

static void hand_over_session(void *task) {
  real_resume(task);
  swift_release(task);
}

static __attribute__((swiftcall)) void seen_resume(__attribute__((swift_context)) void *task) {
  const void *escape = begin((cvt_work){.kind = cvt_session, .object = task}, NULL);
  if (!escape) return real_resume(task);
  curfew_escape_starts(escape, hand_over_session, swift_retain(task), now, 0);
  swift_release((void *)escape);
}

// The layout of a class's metadata in Swift 6.3, from the address that its symbol has.
enum { metadata_size = 0x20, metadata_before = 0x24, first_method = 0x28 };

// `resume` is a method that classes override, so a call goes through the class: there it is
// replaced. The library's own symbol cannot be, since it is protected.
static bool replace_resume(const char *class) {
  char *metadata = dlsym(RTLD_DEFAULT, class);
  if (!metadata) return false;
  uint32_t size = *(uint32_t *)(metadata + metadata_size), before = *(uint32_t *)(metadata + metadata_before);
  if (before > size || size > 1 << 16) return false;
  bool is_found = false;
  for (uint32_t offset = first_method; offset + sizeof(void *) <= size - before; offset += sizeof(void *)) {
    session_resume *method = (session_resume *)(metadata + offset);
    if (*method == real_resume) {
      *method = seen_resume;
      is_found = true;
    }
  }
  return is_found;
}

static void see_sessions(void) {
  static const char *const classes[] = {
      "$s20FoundationNetworking14URLSessionTaskCN",         "$s20FoundationNetworking18URLSessionDataTaskCN",
      "$s20FoundationNetworking20URLSessionUploadTaskCN",   "$s20FoundationNetworking22URLSessionDownloadTaskCN",
      "$s20FoundationNetworking20URLSessionStreamTaskCN",   "$s20FoundationNetworking23URLSessionWebSocketTaskCN",
  };
  real_resume = (session_resume)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC6resumeyyF");
  state_of_session = (session_state)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC5stateAC5StateOvg");
  if (!real_resume || !state_of_session) return;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (replace_resume(classes[i])) sees_sessions = true;
}

// MARK: At start

static bool sees_escapes;
bool cvt_sees_escapes(void) { return sees_escapes; }

// The dynamic linker gives libraries the first definition that it finds; a libdispatch that is
// linked statically has called its own by then.
__attribute__((constructor)) static void look(void) {
  void (*volatile defined)(void *, void *) = dispatch_async;
  sees_escapes = curfew_escape_began && dispatch_async_f && defined == seen_async && dlsym(RTLD_DEFAULT, "dispatch_async") == (void *)seen_async;
  if (!sees_escapes) return;
  find_width();
  see_sessions();
}

#else

const void *cvt_escape(void) { return 0; }
bool cvt_is_main_queue(const void *queue) { return false; }
void cvt_retain_dispatch_object(const void *object) {}
void cvt_release_dispatch_object(const void *object) {}
bool cvt_sees_escapes(void) { return false; }
bool cvt_is_session_over(const void *task) { return false; }

#endif
