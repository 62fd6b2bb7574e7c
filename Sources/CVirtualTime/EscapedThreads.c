#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES
#include <pthread.h>
#include <semaphore.h>

typedef struct {
  void *(*body)(void *);
  void *argument;
  const void *escape;
  // The thread is created at once, but begins its body when it is handed over.
  sem_t is_handed_over;
} thread_work;

static void hand_over_thread(void *context) { sem_post(&((thread_work *)context)->is_handed_over); }

static void end_thread(void *escape) { leave_escape(escape, NULL); }

static void *do_thread_work(void *context) {
  thread_work *work = context;
  struct {
    void *(*body)(void *);
    void *argument;
    const void *escape;
  } now = {work->body, work->argument, work->escape};
  void *result;
  // A thread may end before its body runs, by pthread_cancel, or inside its body, by pthread_exit.
  pthread_cleanup_push(end_thread, (void *)now.escape);
  while (sem_wait(&work->is_handed_over) != 0) {}
  sem_destroy(&work->is_handed_over);
  free(work);
  enter_escape(now.escape);
  result = now.body(now.argument);
  pthread_cleanup_pop(1);
  return result;
}

static int seen_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  REAL(pthread_create, int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
  const void *escape = library_of(CALLER) == testing ? NULL : begin_escape((cvt_work){.kind = cvt_thread}, CALLER);
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
  REAL(pthread_join, int, (pthread_t, void **));
  if (is_captured()) while (curfew_hand_over_next()) {}
  return real(thread, result);
}

int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) REPLACES(pthread_create);
int pthread_join(pthread_t, void **) REPLACES(pthread_join);

bool sees_threads(void) { return IS_REPLACED(pthread_create) && IS_REPLACED(pthread_join); }

#endif
