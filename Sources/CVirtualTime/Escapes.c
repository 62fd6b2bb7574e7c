#include "Escapes.h"

#ifdef CURFEW_IS_SANITIZED
bool cvt_is_sanitized(void) { return true; }
#else
bool cvt_is_sanitized(void) { return false; }
#endif

#ifdef CURFEW_SEES_ESCAPES
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

_Thread_local const void *escape_of_thread;
const void *cvt_escape(void) { return escape_of_thread; }

// MARK: Callers

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

bool is_dispatch(void *caller) {
  pthread_once(&ranges_once, find_ranges);
  return library_of((uintptr_t)caller) == dispatch;
}

// The library that the work is for: the first caller in the stack that does not only pass the work
// on, as Foundation does for an OperationQueue. Foundation's own threads, which Process.run begins,
// count as the framework's, because they live as long as the process.
static enum library origin_of(void *caller) {
  enum library library = library_of((uintptr_t)caller);
  if (library != passed_through) return library;
  static void *process_run;
  if (!process_run) process_run = dlsym(RTLD_DEFAULT, "$s10Foundation7ProcessC3runyyKF");
  void *frames[24];
  int count = backtrace(frames, 24), index = 0;
  while (index < count && frames[index] != caller) index++;
  while (index < count && (library == passed_through || library == dispatch)) {
    Dl_info symbol;
    library = library_of((uintptr_t)frames[index]);
    if (library == passed_through && process_run && dladdr(frames[index], &symbol) && symbol.dli_saddr == process_run) return framework;
    index++;
  }
  return library;
}

// MARK: Records

static bool are_sessions_seen;

const void *begin_escape(cvt_work work, void *caller) {
  if (__builtin_expect(!cvt_is_capturing(), 1) || !curfew_escape_began) return NULL;
  bool is_captured = cvt_clock() != NULL;
  if (!is_captured && !escape_of_thread) return NULL;
  if (caller) {
    // Calls that libdispatch makes itself: threads for blocks that are already counted,
    // notifications, I/O channels.
    if (is_dispatch(caller)) return NULL;
    enum library origin = origin_of(caller);
    if (origin == framework || (origin == networking && are_sessions_seen)) return NULL;
  }
  work.parent = is_captured ? NULL : escape_of_thread;
  return curfew_escape_began(&work);
}

const void *enter_escape(const void *escape) {
  const void *outer = escape_of_thread;
  escape_of_thread = escape;
  curfew_escape_runs(escape);
  return outer;
}

void leave_escape(const void *escape, const void *outer) {
  escape_of_thread = outer;
  curfew_escape_ended(escape);
}

// MARK: Start

static bool sees_escapes;
bool cvt_sees_escapes(void) { return sees_escapes; }

__attribute__((constructor)) static void look(void) {
  sees_escapes = curfew_escape_began && sees_blocks() && sees_waits() && sees_threads();
  are_sessions_seen = sees_escapes && sees_sessions();
}

#else

const void *cvt_escape(void) { return 0; }
bool cvt_is_main_queue(const void *queue) { return false; }
bool cvt_is_item_cancelled(const void *item) { return false; }
bool cvt_is_serial(const void *queue) { return false; }
bool cvt_share_queue(const void *a, const void *b) { return a == b; }
void cvt_retain_dispatch_object(const void *object) {}
void cvt_release_dispatch_object(const void *object) {}
bool cvt_sees_escapes(void) { return false; }
bool cvt_is_session_over(const void *task) { return false; }

#endif
