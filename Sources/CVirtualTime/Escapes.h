// Work that leaves virtual time: Dispatch blocks, threads and URLSession tasks. Each begin is seen
// where the program calls the library, and counted until the work is done.
// Dispatch's functions with _f are the Swift runtime's own and are left alone: its executors go
// through them.
#ifndef ESCAPES_H
#define ESCAPES_H

#define _GNU_SOURCE
#include "CVirtualTime.h"

// Thread Sanitizer defines Dispatch's functions itself, to know which thread waits for which.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CURFEW_IS_SANITIZED
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(CURFEW_IS_SANITIZED)
#define CURFEW_SEES_ESCAPES

#include <dlfcn.h>
#include <stdlib.h>

// The Swift side of this: it gives out one record for each piece of work, says when the work
// is handed over, and takes the record back when the work is done. Weak, so that this library
// links alone.
extern const void *curfew_escape_began(const cvt_work *work) __attribute__((weak));
extern void curfew_escape_starts(const void *escape, void (*start)(void *), void *context, uint64_t when, uint64_t delay)
    __attribute__((weak));
extern void curfew_escape_runs(const void *escape) __attribute__((weak));
extern void curfew_escape_ended(const void *escape) __attribute__((weak));
extern void curfew_escape_signals(const void *escape, const void *object) __attribute__((weak));
extern void curfew_escape_signalled(void) __attribute__((weak));
extern void curfew_waited_for(const void *object, int extent) __attribute__((weak));
extern bool curfew_hand_over_next(void) __attribute__((weak));
extern void curfew_hand_over_queue(const void *queue) __attribute__((weak));
extern void curfew_hand_over_session(const void *task) __attribute__((weak));

extern void dispatch_retain(void *) __attribute__((weak));
extern void dispatch_release(void *) __attribute__((weak));
extern char _dispatch_main_q __attribute__((weak));

// DISPATCH_TIME_NOW and DISPATCH_TIME_FOREVER.
enum { now = 0 };
static const uint64_t forever = ~0ull;

// The library's own function, behind the one that is replaced.
#define REAL(name, result, arguments) \
  static result(*real) arguments; \
  if (!real) real = (result(*) arguments)dlsym(RTLD_NEXT, #name)

// A replaced function is weak, so that a libdispatch that is linked statically has its own.
#define REPLACES(name) __attribute__((weak, alias("seen_" #name)))

// Whether the whole program calls the replaced function. The dynamic linker gives libraries the
// first definition that it finds; a libdispatch that is linked statically has called its own.
#define IS_REPLACED(name) \
  ({ \
    void *volatile defined = (void *)name; \
    defined == (void *)seen_##name && dlsym(RTLD_DEFAULT, #name) == defined; \
  })

#define CALLER __builtin_return_address(0)

#pragma GCC visibility push(hidden)

// The work that this thread is doing, if it is work that captured work has begun outside
// virtual time.
extern _Thread_local const void *escape_of_thread;

// Whether libdispatch itself makes a call.
bool is_dispatch(void *caller);

// A record for work that begins here, or NULL if it is not counted.
const void *begin_escape(cvt_work work, void *caller);

// This thread does such work until it leaves it, which takes the record back.
// - Returns: The work that the thread did before.
const void *enter_escape(const void *escape);
void leave_escape(const void *escape, const void *outer);

// Whether a block that dispatch_block_create has made is a barrier.
bool has_barrier(const void *block);

// Whether this thread runs captured work.
static inline bool is_captured(void) { return __builtin_expect(cvt_clock() != NULL, 0) && curfew_waited_for; }

// Whether each part sees what it is for, found out at start.
bool sees_blocks(void);
bool sees_waits(void);
bool sees_threads(void);
bool sees_sessions(void);

#pragma GCC visibility pop
#endif
#endif
