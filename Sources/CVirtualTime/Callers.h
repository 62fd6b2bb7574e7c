// The libraries that call the functions which this package replaces. A replacement often serves
// only some callers: a client's `Date()` follows a device, but the test framework's does not.
#ifndef CALLERS_H
#define CALLERS_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>

// Thread Sanitizer defines functions itself, to know which thread waits for which.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CURFEW_IS_SANITIZED
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define CURFEW_REPLACES_FUNCTIONS

#include <dlfcn.h>

// The original function, which is replaced.
#define REAL(name, result, arguments) \
  static result(*real) arguments; \
  if (!real) real = (result(*) arguments)dlsym(RTLD_NEXT, #name)

// A replaced function is weak, so that a statically linked library keeps its own.
#define REPLACES(name) __attribute__((weak, alias("seen_" #name)))

// Whether the whole program calls the replacement. The dynamic linker gives libraries the first
// definition that it finds; a statically linked library calls its own.
#define IS_REPLACED(name) \
  ({ \
    void *volatile defined = (void *)name; \
    defined == (void *)seen_##name && dlsym(RTLD_DEFAULT, #name) == defined; \
  })

#define CALLER __builtin_return_address(0)

#pragma GCC visibility push(hidden)

// Foundation reads dates in the libraries `dates`. The libraries from `overlay` to `passed_through`
// make calls for their callers.
enum library { program, dispatch, framework, concurrency, testing, networking, overlay, foundation, dates, passed_through };

// The library that contains an address.
enum library library_of(const void *address);

// The library that a call is for: the first caller in the stack that does not only pass the call
// on, as Foundation does for an OperationQueue.
enum library origin_of(const void *caller);

#pragma GCC visibility pop
#endif
#endif
