#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES

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
  const void *escape = begin_escape((cvt_work){.kind = cvt_session, .object = task}, NULL);
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

bool sees_sessions(void) {
  static const char *const classes[] = {
      "$s20FoundationNetworking14URLSessionTaskCN",         "$s20FoundationNetworking18URLSessionDataTaskCN",
      "$s20FoundationNetworking20URLSessionUploadTaskCN",   "$s20FoundationNetworking22URLSessionDownloadTaskCN",
      "$s20FoundationNetworking20URLSessionStreamTaskCN",   "$s20FoundationNetworking23URLSessionWebSocketTaskCN",
  };
  real_resume = (session_resume)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC6resumeyyF");
  state_of_session = (session_state)dlsym(RTLD_DEFAULT, "$s20FoundationNetworking14URLSessionTaskC5stateAC5StateOvg");
  if (!real_resume || !state_of_session) return false;
  bool is_seen = false;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (replace_resume(classes[i])) is_seen = true;
  return is_seen;
}

#endif
