// One timerfd over all instants of the plan in their order: deadlines and cancels alike.
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../Shared/bench.h"

typedef struct { int64_t at, k; bool cancels; } Entry;

// A cancel goes before a deadline of the same instant; other equal instants go in the order of k.
static int order(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->cancels != y->cancels) return x->cancels ? -1 : 1;
  return x->k < y->k ? -1 : 1;
}

static void waitUntil(int descriptor, int64_t instant) {
  struct itimerspec time = {{0, 0}, {instant / 1000000000, instant % 1000000000}};
  uint64_t expirations;
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &time, NULL);
  if (read(descriptor, &expirations, sizeof expirations) < 0) exit(1);
}

int main(void) {
  FILE *plan = openPlan();
  long timers = number("timers"), count = 0, fires = 0;
  Entry *planned = calloc(2 * timers, sizeof *planned), *queue = calloc(2 * timers, sizeof *queue);
  bool *cancelled = calloc(timers, 1);
  Fired *fired = calloc(timers, sizeof *fired);
  while (readLine(plan)) {
    int64_t k = number("k"), cancel = number("cancel");
    planned[count++] = (Entry){number("due"), k, false};
    if (cancel >= 0) planned[count++] = (Entry){cancel, k, true};
  }
  int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct utsname kernel;
  uname(&kernel);
  printf("{\"ready\":true,\"version\":\"Linux %s\",\"rounding\":\"none\"}\n", kernel.release);
  while (readRequest()) {
    int64_t segment = number("segment"), start = number("start"), began = now();
    if (segment < 0) { sayFired(fired, fires); continue; }
    // Arms the timers of this segment: the kernel gets the first one, the queue keeps the others.
    memcpy(queue, planned, count * sizeof *queue);
    qsort(queue, count, sizeof *queue, order);
    memset(cancelled, 0, timers);
    fires = 0;
    int64_t late = now() - start;
    if (late >= 0) { sayLate(segment, late); continue; }
    for (Entry *next = queue; next < queue + count; next++) {
      if (cancelled[next->k]) continue;
      int64_t at = start + next->at;
      if (now() < at) waitUntil(descriptor, at);
      int64_t time = now();
      if (next->cancels) cancelled[next->k] = true;
      else fired[fires++] = (Fired){next->k, time - at};
    }
    sayMeasured(segment, began, now());
  }
}
