#define _GNU_SOURCE
#include "CVirtualTime.h"

// Work that leaves virtual time: Dispatch blocks, threads and URLSession tasks. Each begin is seen
// where the program calls the library, and counted until the work is done.
// The functions with _f are the Swift runtime's own and are left alone: its executors go through
// them.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// Thread Sanitizer defines Dispatch's functions itself, to know which thread waits for which.
#define CURFEW_LEAVES_DISPATCH_ALONE
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(CURFEW_LEAVES_DISPATCH_ALONE)
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The Swift side of this: it gives out one record for each piece of work, and takes it back when
// the work is done. Weak, so that this library links alone.
extern const void *curfew_escape_began(int kind, const void *parent, const void *object) __attribute__((weak));
extern void curfew_escape_ended(const void *escape) __attribute__((weak));
extern void curfew_waited_for(const void *queue) __attribute__((weak));

extern void *_Block_copy(const void *) __attribute__((weak));
extern void _Block_release(const void *) __attribute__((weak));
extern void dispatch_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_barrier_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_after_f(uint64_t, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_async_f(void *, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_notify_f(void *, void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_group_enter(void *) __attribute__((weak));
extern void dispatch_group_leave(void *) __attribute__((weak));
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

// The library that wants the work: the first above the caller that does not only pass it on, as
// Foundation does for an OperationQueue.
static enum library origin_of(void *caller) {
  pthread_once(&ranges_once, find_ranges);
  enum library library = library_of((uintptr_t)caller);
  if (library != passed_through && library != dispatch) return library;
  void *frames[24];
  int count = backtrace(frames, 24), index = 0;
  while (index < count && frames[index] != caller) index++;
  while (index < count && (library == passed_through || library == dispatch)) library = library_of((uintptr_t)frames[index++]);
  return library;
}

// MARK: What is counted

static bool sees_sessions;

// A record for work that begins here, or NULL if it is not counted.
static const void *begin(int kind, void *caller, const void *object) {
  if (__builtin_expect(!cvt_is_capturing(), 1) || !curfew_escape_began) return NULL;
  bool is_captured = cvt_clock() != NULL;
  if (!is_captured && !escape_of_thread) return NULL;
  if (caller) {
    enum library origin = origin_of(caller);
    if (origin == framework || (origin == networking && sees_sessions)) return NULL;
    // libdispatch starts threads to do what is counted already.
    if (kind == cvt_thread && library_of((uintptr_t)caller) == dispatch) return NULL;
  }
  return curfew_escape_began(kind, is_captured ? NULL : escape_of_thread, object);
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
// What follows the header in a block of dispatch_block_create; each use checks the mark.
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

typedef struct {
  void *block, *group;
  const void *escape;
} work;

static work *work_of(void *block, const void *escape) {
  work *made = malloc(sizeof *made);
  *made = (work){_Block_copy(block), NULL, escape};
  return made;
}

static void do_work(void *context) {
  work now = *(work *)context;
  free(context);
  const void *outer = enter(now.escape);
  ((struct block *)now.block)->invoke(now.block);
  _Block_release(now.block);
  leave(now.escape, outer);
  if (!now.group) return;
  dispatch_group_leave(now.group);
  dispatch_release(now.group);
}

#define CALLER __builtin_return_address(0)

static void seen_async(void *queue, void *block) {
  const void *escape = begin(cvt_block, CALLER, queue);
  if (escape) return (has_barrier(block) ? dispatch_barrier_async_f : dispatch_async_f)(queue, work_of(block, escape), do_work);
  REAL("dispatch_async", void, (void *, void *));
  real(queue, block);
}

static void seen_barrier_async(void *queue, void *block) {
  const void *escape = begin(cvt_block, CALLER, queue);
  if (escape) return dispatch_barrier_async_f(queue, work_of(block, escape), do_work);
  REAL("dispatch_barrier_async", void, (void *, void *));
  real(queue, block);
}

static void seen_group_async(void *group, void *queue, void *block) {
  const void *escape = begin(cvt_block, CALLER, queue);
  REAL("dispatch_group_async", void, (void *, void *, void *));
  if (!escape) return real(group, queue, block);
  work *made = work_of(block, escape);
  if (!has_barrier(block)) return dispatch_group_async_f(group, queue, made, do_work);
  // There is no form of it with a group, a barrier and a function.
  dispatch_retain(group);
  dispatch_group_enter(group);
  made->group = group;
  dispatch_barrier_async_f(queue, made, do_work);
}

// A barrier that a block brings along is lost with the forms below; such a block is not counted.
static void seen_after(uint64_t when, void *queue, void *block) {
  const uint64_t never = ~0ull;
  const void *escape = when == never || has_barrier(block) ? NULL : begin(cvt_delayed_block, CALLER, queue);
  if (escape) return dispatch_after_f(when, queue, work_of(block, escape), do_work);
  REAL("dispatch_after", void, (uint64_t, void *, void *));
  real(when, queue, block);
}

static void seen_group_notify(void *group, void *queue, void *block) {
  const void *escape = has_barrier(block) ? NULL : begin(cvt_block, CALLER, queue);
  if (escape) return dispatch_group_notify_f(group, queue, work_of(block, escape), do_work);
  REAL("dispatch_group_notify", void, (void *, void *, void *));
  real(group, queue, block);
}

// A block that was done before a wait for its queue has returned is not in doubt: no run has it
// otherwise.
static void seen_sync(void *queue, void *block) {
  REAL("dispatch_sync", void, (void *, void *));
  real(queue, block);
  if (__builtin_expect(cvt_clock() != NULL, 0) && curfew_waited_for) curfew_waited_for(queue);
}

static void seen_barrier_sync(void *queue, void *block) {
  REAL("dispatch_barrier_sync", void, (void *, void *));
  real(queue, block);
  if (__builtin_expect(cvt_clock() != NULL, 0) && curfew_waited_for) curfew_waited_for(queue);
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

// MARK: Threads

typedef struct {
  void *(*body)(void *);
  void *argument;
  const void *escape;
} thread_work;

static void end_thread(void *escape) { leave(escape, NULL); }

static void *do_thread_work(void *context) {
  thread_work now = *(thread_work *)context;
  free(context);
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
  const void *escape = begin(cvt_thread, CALLER, NULL);
  if (!escape) return real(thread, attributes, body, argument);
  thread_work *made = malloc(sizeof *made);
  *made = (thread_work){body, argument, escape};
  int error = real(thread, attributes, do_thread_work, made);
  if (error) {
    free(made);
    curfew_escape_ended(escape);
  }
  return error;
}

int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) WEAK_ALIAS("seen_pthread_create");

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

static __attribute__((swiftcall)) void seen_resume(__attribute__((swift_context)) void *task) {
  begin(cvt_session, NULL, task);
  real_resume(task);
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
  if (sees_escapes) see_sessions();
}

#else

const void *cvt_escape(void) { return 0; }
bool cvt_sees_escapes(void) { return false; }
bool cvt_is_session_over(const void *task) { return false; }

#endif
