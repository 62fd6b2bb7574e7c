#include "Callers.h"

#ifdef CURFEW_REPLACES_FUNCTIONS
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

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
      {"libdispatch.so", dispatch}, {"libswiftDispatch.so", overlay}, {"libFoundation.so", foundation},
      {"libFoundationEssentials.so", dates}, {"lib_FoundationICU.so", dates}, {"libswiftCore.so", passed_through},
      {"libFoundationInternationalization.so", passed_through}, {"libFoundationNetworking.so", networking},
      {"libswift_Concurrency.so", concurrency}, {"libTesting.so", testing}, {"lib_Testing_Foundation.so", framework},
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

enum library library_of(const void *address) {
  pthread_once(&ranges_once, find_ranges);
  for (int i = 0; i < range_count; i++)
    if ((uintptr_t)address >= ranges[i].low && (uintptr_t)address < ranges[i].high) return ranges[i].library;
  return program;
}

static bool passes_on(enum library library) { return library >= overlay; }

// libTesting calls no function of Dispatch or Foundation, and libswift_Concurrency calls none for
// captured work. If one of them is found as a caller, it has called a function of the program that
// has ended in a jump.
static enum library library_for(const void *address) {
  enum library library = library_of(address);
  return library == testing || library == concurrency ? program : library;
}

// Foundation's own threads, which Process.run begins, count as the framework's, because they live
// as long as the process.
enum library origin_of(const void *caller) {
  enum library library = library_for(caller);
  if (!passes_on(library)) return library;
  static void *process_run;
  if (!process_run) process_run = dlsym(RTLD_DEFAULT, "$s10Foundation7ProcessC3runyyKF");
  enum { deepest = 24 };
  void *frames[deepest];
  int count = backtrace(frames, deepest), index = 0;
  while (index < count && frames[index] != caller) index++;
  while (index < count && (passes_on(library) || library == dispatch)) {
    Dl_info symbol;
    library = library_for(frames[index]);
    if (library == foundation && process_run && dladdr(frames[index], &symbol) && symbol.dli_saddr == process_run) return framework;
    index++;
  }
  return library;
}

#endif
