// Methods of Foundation's classes that this package replaces.
#ifndef METHODS_H
#define METHODS_H

#include "Escapes.h"

#ifdef CURFEW_SEES_ESCAPES

typedef __attribute__((swiftcall)) void (*method)(__attribute__((swift_context)) void *);

// Replaces a method in a class. Returns whether the class has it.
__attribute__((visibility("hidden"))) bool replace_method(const char *class, method real, method seen);

#endif
#endif
