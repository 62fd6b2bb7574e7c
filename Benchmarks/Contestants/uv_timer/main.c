// One uv_timer for each timer and each cancel; uv_timer_start of an active timer for a restart.
#include <uv.h>

#include "../Shared/bench.h"

typedef struct { uv_timer_t timer; int64_t k, due, cancel; } Timer;
typedef struct { int64_t k, due; } Restart;

static Timer *timers, *cancels;
static Fired *fired;
static long fires;
static int64_t start;

static void fire(uv_timer_t *timer) {
  int64_t time = now();
  Timer *t = (Timer *)timer;
  fired[fires++] = (Fired){t->k, time - start - t->due};
}
static void cancel(uv_timer_t *timer) { uv_timer_stop(&timers[((Timer *)timer)->k].timer); }
static void count(uv_handle_t *timer, void *sum) { *(long *)sum += uv_is_active(timer); }

static uint64_t milliseconds(int64_t nanoseconds) { return (nanoseconds + 999999) / 1000000; }

// The loop's time is the clock's, rounded down; an instant rounded up never fires early on it.
static void arm(Timer *t, uv_timer_cb callback, int64_t instant) {
  uint64_t at = milliseconds(instant), time = uv_now(uv_default_loop());
  uv_timer_start(&t->timer, callback, at > time ? at - time : 0, 0);
}

// Cancels are started first: those of the deadline's own millisecond then fire before it.
static void runDeadlines(int64_t segment, long n) {
  int64_t began = now();
  fires = 0;
  uv_update_time(uv_default_loop());
  for (long k = 0; k < n; k++)
    if (timers[k].cancel >= 0) arm(&cancels[k], cancel, start + timers[k].cancel);
  for (long k = 0; k < n; k++) arm(&timers[k], fire, start + timers[k].due);
  int64_t late = now() - start;
  if (late < 0) {
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    sayMeasured(segment, began, now());
  } else {
    for (long k = 0; k < n; k++) uv_timer_stop(&timers[k].timer), uv_timer_stop(&cancels[k].timer);
    sayLate(segment, late);
  }
}

static void runRestarts(int64_t segment, const Restart *list, long restarts, long rounds) {
  int64_t began = now();
  for (long round = 0; round < rounds; round++)
    for (const Restart *r = list; r < list + restarts; r++) {
      Timer *t = &timers[r->k];
      uv_timer_start(&t->timer, fire, milliseconds(r->due), 0);
      t->due = r->due;
    }
  sayMeasured(segment, began, now());
}

int main(void) {
  FILE *plan = openPlan();
  long n = number("timers"), restarts = number("restarts"), rounds = number("rounds");
  timers = calloc(n, sizeof *timers), cancels = calloc(restarts < 0 ? n : 0, sizeof *cancels);
  fired = calloc(n, sizeof *fired);
  Restart *list = calloc(restarts < 0 ? 0 : restarts, sizeof *list), *end = list;
  for (long k = 0; k < n && readLine(plan); k++) {
    timers[k].k = k, timers[k].due = number("due"), timers[k].cancel = number("cancel");
    uv_timer_init(uv_default_loop(), &timers[k].timer);
    if (restarts >= 0) uv_timer_start(&timers[k].timer, fire, milliseconds(timers[k].due), 0);
    else cancels[k].k = k, uv_timer_init(uv_default_loop(), &cancels[k].timer);
  }
  while (readLine(plan)) sscanf(line, "[%" SCNd64 ",%" SCNd64, &end->k, &end->due), end++;
  printf("{\"ready\":true,\"version\":\"libuv %s\",\"rounding\":\"up to 1 ms\"}\n",
         uv_version_string());
  while (readRequest()) {
    int64_t segment = number("segment");
    start = number("start");
    if (segment >= 0 && restarts < 0) runDeadlines(segment, n);
    else if (segment >= 0) runRestarts(segment, list, restarts, rounds);
    else if (restarts < 0) sayFired(fired, fires);
    else {
      uint64_t sum = 0;
      long outstanding = 0;
      // The loop has the deadlines in milliseconds. It has not run, so its time has not changed.
      for (long k = 0; k < n; k++) {
        uint64_t left = uv_timer_get_due_in(&timers[k].timer);
        sum += left == milliseconds(timers[k].due) ? timers[k].due : left;
      }
      uv_walk(uv_default_loop(), count, &outstanding);
      printf("{\"answer\":%" PRId64 ",\"sum\":\"%" PRIu64 "\",\"outstanding\":%ld}\n",
             number("answer"), sum, outstanding);
    }
  }
}
