#include "Escapes.h"
#include "Methods.h"

#ifdef CURFEW_SEES_ESCAPES

typedef __attribute__((swiftcall)) uint8_t (*session_state)(__attribute__((swift_context)) const void *);
static method real_resume, real_cancel, real_suspend;
static session_state state_of_session;
enum { session_completed = 3 };

bool cvt_is_session_over(const void *task) {
  if (!state_of_session) return false;
  // Foundation reads the state by `sync` on the task's queue. This must not count as a wait
  // of captured work: the caller holds the lock under which such a wait would be noted.
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
  const void *escape = begin_escape((cvt_work){.kind = cvt_session, .object = task}, NULL);
  if (!escape) return real_resume(task);
  curfew_escape_starts(escape, hand_over_session, swift_retain(task), now, 0);
  swift_release((void *)escape);
}

// Hands the task over first: a task that is cancelled or suspended before it is handed over would
// be resumed afterwards.
static __attribute__((swiftcall)) void seen_cancel(__attribute__((swift_context)) void *task) {
  if (cvt_is_capturing()) curfew_hand_over_session(task);
  real_cancel(task);
}

static __attribute__((swiftcall)) void seen_suspend(__attribute__((swift_context)) void *task) {
  if (cvt_is_capturing()) curfew_hand_over_session(task);
  real_suspend(task);
}

bool sees_sessions(void) {
  static const char *const classes[] = {
      "$s20FoundationNetworking14URLSessionTaskCN",         "$s20FoundationNetworking18URLSessionDataTaskCN",
      "$s20FoundationNetworking20URLSessionUploadTaskCN",   "$s20FoundationNetworking22URLSessionDownloadTaskCN",
      "$s20FoundationNetworking20URLSessionStreamTaskCN",   "$s20FoundationNetworking23URLSessionWebSocketTaskCN",
  };
  real_resume = (method)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC6resumeyyF");
  real_cancel = (method)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC6cancelyyF");
  real_suspend = (method)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC7suspendyyF");
  state_of_session = (session_state)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC5stateAC5StateOvg");
  if (!real_resume || !real_cancel || !real_suspend || !state_of_session) return false;
  bool is_seen = false;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    if (replace_method(classes[i], real_resume, seen_resume)) is_seen = true;
    replace_method(classes[i], real_cancel, seen_cancel);
    replace_method(classes[i], real_suspend, seen_suspend);
  }
  return is_seen;
}

#endif
