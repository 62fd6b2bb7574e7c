#include "Clocks.h"
#include "Escapes.h"

#ifdef CURFEW_IS_SANITIZED
bool cvt_is_sanitized(void) { return true; }
#else
bool cvt_is_sanitized(void) { return false; }
#endif

#ifdef CURFEW_SEES_ESCAPES

_Thread_local const void *escape_of_thread;
const void *cvt_escape(void) { return escape_of_thread; }

// MARK: Records

static bool sees_escapes, are_sessions_seen;
bool cvt_sees_escapes(void) { return sees_escapes; }

const void *begin_escape(cvt_work work, void *caller) {
  if (__builtin_expect(!cvt_is_capturing(), 1) || !curfew_escape_began) return NULL;
  bool is_captured = cvt_clock() != NULL;
  if (!is_captured && !escape_of_thread) return NULL;
  if (caller) {
    // Calls that libdispatch makes itself: threads for blocks that are already counted,
    // notifications, I/O channels.
    if (library_of(caller) == dispatch) return NULL;
    enum library origin = origin_of(caller);
    if (origin == framework || (origin == networking && are_sessions_seen)) return NULL;
    // A task that is not captured may run on a captured thread.
    if (is_captured && curfew_is_by_us && !curfew_is_by_us()) return NULL;
  }
  work.parent = is_captured ? NULL : escape_of_thread;
  return curfew_escape_began(&work);
}

bool is_followed(const void *caller) {
  return is_captured() && sees_escapes && cvt_is_capturing() && library_of(caller) != dispatch && is_for_captured_work(caller);
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

__attribute__((constructor)) static void look(void) {
  sees_escapes = curfew_escape_began && sees_blocks() && sees_queue_frames() && sees_waits() && sees_conditions() && sees_sources() && sees_threads();
  are_sessions_seen = sees_escapes && sees_sessions();
}

#else

const void *cvt_escape(void) { return 0; }
bool cvt_is_main_queue(const void *queue) { return false; }
bool cvt_is_item_cancelled(const void *item) { return false; }
bool cvt_is_on_main_thread(const void *queue) { return false; }
bool cvt_is_barrier(const void *block) { return false; }
bool cvt_exclude_each_other(const void *queue, bool is_barrier, const void *other, bool is_other_barrier) { return false; }
bool cvt_is_global(const void *queue) { return false; }
bool cvt_is_group_empty(const void *group) { return true; }
void cvt_run_block(void *block, bool is_queue_free) {}
bool cvt_is_serial(const void *queue) { return false; }
bool cvt_is_suspended(const void *queue) { return false; }
void cvt_end_timers(void) {}
bool cvt_is_in_run_loop(void) { return false; }
const void *cvt_leave_queues(void) { return NULL; }
void cvt_enter_queues(const void *frames) {}
bool cvt_runs_run_loop(void) { return false; }
bool cvt_share_queue(const void *a, const void *b) { return a == b; }
void cvt_retain_dispatch_object(const void *object) {}
void cvt_release_dispatch_object(const void *object) {}
bool cvt_sees_escapes(void) { return false; }
bool cvt_is_session_over(const void *task) { return false; }

#endif
