// Waits of Foundation on condition variables, and its sleeps: NSCondition, OperationQueue,
// NotificationCenter and Thread.sleep. A captured thread that waits steps aside.
#include "Clocks.h"
#include "Escapes.h"
#include "Methods.h"

#ifdef CURFEW_SEES_ESCAPES
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The C library has older functions of these names, which a look-up without a version may find.
#define REAL_CONDITION(name, arguments) \
  static int(*real) arguments; \
  if (!real) real = (int(*) arguments)dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2"); \
  if (!real) real = (int(*) arguments)dlsym(RTLD_NEXT, #name)

// A captured thread that waits on a condition variable.
struct waiter {
  const pthread_cond_t *condition;
  struct waiter *next;
  bool is_signalled;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiter *waiters;
static atomic_int waiter_count;

static void add(struct waiter *waiter) {
  pthread_mutex_lock(&lock);
  struct waiter **end = &waiters;
  while (*end) end = &(*end)->next;
  *end = waiter;
  atomic_fetch_add(&waiter_count, 1);
  pthread_mutex_unlock(&lock);
}

static void take_away(struct waiter *waiter) {
  pthread_mutex_lock(&lock);
  struct waiter **place = &waiters;
  while (*place && *place != waiter) place = &(*place)->next;
  if (*place) {
    *place = waiter->next;
    atomic_fetch_sub(&waiter_count, 1);
  }
  pthread_mutex_unlock(&lock);
}

static void signal_waiters(const pthread_cond_t *condition, bool is_broadcast) {
  if (__builtin_expect(atomic_load_explicit(&waiter_count, memory_order_relaxed) == 0, 1)) return;
  pthread_mutex_lock(&lock);
  for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
    if (waiter->condition != condition || waiter->is_signalled) continue;
    waiter->is_signalled = true;
    if (!is_broadcast) break;
  }
  pthread_mutex_unlock(&lock);
}

static bool is_signalled(struct waiter *waiter) {
  pthread_mutex_lock(&lock);
  bool is_signalled = waiter->is_signalled;
  pthread_mutex_unlock(&lock);
  return is_signalled;
}

static int real_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  REAL_CONDITION(pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *));
  return real(condition, mutex, deadline);
}

// If nothing is left that may run, only a thread outside virtual time can end the wait.
static void wait_a_moment(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  enum { moment = 1000000, second = 1000000000 };
  struct timespec deadline;
  real_clock(CLOCK_REALTIME, &deadline);
  deadline.tv_nsec += moment;
  deadline.tv_sec += deadline.tv_nsec / second;
  deadline.tv_nsec %= second;
  real_timedwait(condition, mutex, &deadline);
}

struct wait {
  struct waiter waiter;
  pthread_cond_t *condition;
  pthread_mutex_t *mutex;
};

static bool is_over(void *context) { return is_signalled(&((struct wait *)context)->waiter); }

// A thread that never goes on takes no signal.
static void drop(void *context) { take_away(&((struct wait *)context)->waiter); }

void short_sleep(void *context) {
  REAL(nanosleep, int, (const struct timespec *, struct timespec *));
  const struct timespec moment = {.tv_nsec = 1000000};
  real(&moment, NULL);
}

static void rest(void *context) {
  struct wait *wait = context;
  if (pthread_mutex_trylock(wait->mutex) != 0) return short_sleep(NULL);
  if (!is_over(wait)) wait_a_moment(wait->condition, wait->mutex);
  pthread_mutex_unlock(wait->mutex);
}

static int real_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  REAL_CONDITION(pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *));
  return real(condition, mutex);
}

static bool is_free(void *mutex) {
  if (pthread_mutex_trylock(mutex) != 0) return false;
  pthread_mutex_unlock(mutex);
  return true;
}

// Locks the mutex again. A thread outside virtual time holds it for a moment after its signal, and
// time must not pass meanwhile. Later, a captured thread that waits may hold it, and goes on first.
static void lock_again(pthread_mutex_t *mutex) {
  enum { moments = 10 };
  for (int moment = 0; moment < moments; moment++) {
    if (pthread_mutex_trylock(mutex) == 0) return;
    short_sleep(NULL);
  }
  while (pthread_mutex_trylock(mutex) != 0) {
    if (curfew_wait(INT64_MAX, is_free, short_sleep, NULL, mutex) != capture_ended) continue;
    pthread_mutex_lock(mutex);
    return;
  }
}

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t instant) {
  struct wait wait = {{.condition = condition}, condition, mutex};
  add(&wait.waiter);
  pthread_mutex_unlock(mutex);
  int end = curfew_wait_for(condition, instant, is_over, rest, drop, &wait);
  lock_again(mutex);
  take_away(&wait.waiter);
  if (end == is_done || wait.waiter.is_signalled) return 0;
  return end == capture_ended && instant == INT64_MAX ? real_wait(condition, mutex) : ETIMEDOUT;
}

int64_t instant_ahead(int64_t nanoseconds) {
  int64_t now = virtual_now();
  return nanoseconds > INT64_MAX - now ? INT64_MAX : now + nanoseconds;
}

// NSCondition.wait() ends in a jump to pthread_cond_wait, which then sees the caller of the method.
// Other waits of a program's own code on condition variables are not followed. Programs cannot
// inherit from NSCondition, so one class has the method.
static method real_condition_wait;
static _Thread_local const void *caller_of_method;

static __attribute__((swiftcall)) void seen_condition_wait(__attribute__((swift_context)) void *condition) {
  if (is_captured()) caller_of_method = CALLER;
  real_condition_wait(condition);
  caller_of_method = NULL;
}

static int seen_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  const void *caller = caller_of_method;
  // The thread may call this function again before it returns.
  caller_of_method = NULL;
  if (caller ? !is_followed(caller) : !is_foundations(CALLER) || !is_followed(CALLER)) return real_wait(condition, mutex);
  return wait_until(condition, mutex, INT64_MAX);
}

static int seen_pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
  if (!is_foundations(CALLER)) return real_timedwait(condition, mutex, deadline);
  if (!is_followed(CALLER)) {
    struct timespec moved = real_deadline(deadline);
    return real_timedwait(condition, mutex, &moved);
  }
  struct timespec date = virtual_date();
  int64_t seconds = deadline->tv_sec - date.tv_sec;
  if (seconds > INT64_MAX / 2000000000) return wait_until(condition, mutex, INT64_MAX);
  return wait_until(condition, mutex, instant_ahead(seconds * 1000000000 + deadline->tv_nsec - date.tv_nsec));
}

static int seen_pthread_cond_signal(pthread_cond_t *condition) {
  REAL_CONDITION(pthread_cond_signal, (pthread_cond_t *));
  signal_waiters(condition, false);
  return real(condition);
}

static int seen_pthread_cond_broadcast(pthread_cond_t *condition) {
  REAL_CONDITION(pthread_cond_broadcast, (pthread_cond_t *));
  signal_waiters(condition, true);
  return real(condition);
}

// Whether a library of the system calls, which sleeps until other programs have done something.
static bool is_of_system(const void *caller) {
  Dl_info info;
  if (library_of(caller) != program || dladdr(caller, &info) == 0 || !info.dli_fname) return false;
  return strncmp(info.dli_fname, "/lib", 4) == 0 || strncmp(info.dli_fname, "/usr/lib", 8) == 0;
}

// Thread.sleep sleeps until the uptime, a floating-point number, has reached the end. The sum of
// its start and its span may be rounded up. Then a remainder is left that no sleep can end, since
// virtual time stands still; so the next read of the uptime is beyond it.
static _Thread_local int64_t uptime_of_waking;

static bool is_remainder(const struct timespec *span) {
  enum { most = 1000 };
  if (span->tv_sec != 0 || span->tv_nsec >= most || uptime_of_waking != virtual_uptime()) return false;
  uptime_of_waking = 0;
  uptime_ahead = 10 * most;
  return true;
}

// A sleep of captured work takes virtual time: Thread.sleep, and the C functions that Swift code
// calls. A loop that sleeps until a date would otherwise never end.
static int sleep_for(const struct timespec *span, struct timespec *rest, const void *caller) {
  REAL(nanosleep, int, (const struct timespec *, struct timespec *));
  if (!is_followed(caller) || is_of_system(caller)) return real(span, rest);
  bool is_by_foundation = library_of(caller) == foundation;
  if (is_by_foundation && is_remainder(span)) return 0;
  int64_t seconds = span->tv_sec < INT64_MAX / 2000000000 ? span->tv_sec : INT64_MAX / 2000000000;
  // Foundation cuts the fraction off.
  int64_t nanoseconds = span->tv_nsec + (is_by_foundation && span->tv_nsec % 1000 == 999);
  int64_t instant = instant_ahead(seconds * 1000000000 + nanoseconds);
  if (curfew_wait(instant, NULL, short_sleep, NULL, NULL) == capture_ended) return real(span, rest);
  if (is_by_foundation) uptime_of_waking = virtual_uptime();
  return 0;
}

static int seen_nanosleep(const struct timespec *span, struct timespec *rest) {
  return sleep_for(span, rest, CALLER);
}

static int seen_usleep(useconds_t microseconds) {
  const struct timespec span = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
  return sleep_for(&span, NULL, CALLER);
}

static unsigned seen_sleep(unsigned seconds) {
  struct timespec span = {.tv_sec = seconds}, rest = {0};
  return sleep_for(&span, &rest, CALLER) == 0 ? 0 : rest.tv_sec;
}

int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *) REPLACES(pthread_cond_wait);
int pthread_cond_timedwait(pthread_cond_t *restrict, pthread_mutex_t *restrict, const struct timespec *restrict)
    REPLACES(pthread_cond_timedwait);
int pthread_cond_signal(pthread_cond_t *) REPLACES(pthread_cond_signal);
int pthread_cond_broadcast(pthread_cond_t *) REPLACES(pthread_cond_broadcast);
int nanosleep(const struct timespec *, struct timespec *) REPLACES(nanosleep);
int usleep(useconds_t) REPLACES(usleep);
unsigned sleep(unsigned) REPLACES(sleep);

bool sees_conditions(void) {
  real_condition_wait = (method)dlsym(RTLD_DEFAULT, "$s10Foundation11NSConditionC4waityyF");
  return real_condition_wait && replace_method("$s10Foundation11NSConditionCN", real_condition_wait, seen_condition_wait) && IS_REPLACED(pthread_cond_wait) && IS_REPLACED(pthread_cond_timedwait) && IS_REPLACED(pthread_cond_signal) &&
         IS_REPLACED(pthread_cond_broadcast) && IS_REPLACED(nanosleep) && IS_REPLACED(usleep) && IS_REPLACED(sleep);
}

#endif
