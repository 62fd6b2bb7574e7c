// The protocol `bench/1` and its plans, for contestants in C and C++.
#pragma once
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *line;  // The line that was read last.
static size_t room;

static inline int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline bool readLine(FILE *file) { return getline(&line, &room, file) >= 0; }

// The text after `"name":` in the line, or a null pointer.
static inline char *value(const char *name) {
  char key[32];
  snprintf(key, sizeof key, "\"%s\":", name);
  char *found = strstr(line, key);
  return found ? found + strlen(key) : NULL;
}

// The number of that name in the line; -1 if it has none.
static inline int64_t number(const char *name) {
  char *text = value(name);
  return text ? strtoll(text, NULL, 10) : -1;
}

// Reads the request that names the plan, opens the plan and reads its header.
static inline FILE *openPlan(void) {
  char *path = readLine(stdin) ? value("plan") : NULL;
  char *end = path ? strchr(path + 1, '"') : NULL;
  if (!end) exit(1);
  *end = 0;
  FILE *plan = fopen(path + 1, "r");
  if (!plan) perror(path + 1);
  if (!plan || !readLine(plan)) exit(1);
  return plan;
}

// Reads the next request; false at the end.
static inline bool readRequest(void) {
  fflush(stdout);
  return readLine(stdin) && !value("end");
}

static inline void sayMeasured(int64_t segment, int64_t began, int64_t ended) {
  printf("{\"segment\":%" PRId64 ",\"began\":%" PRId64 ",\"ended\":%" PRId64 "}\n", segment, began,
         ended);
}

static inline void sayLate(int64_t segment, int64_t by) {
  printf("{\"segment\":%" PRId64 ",\"late\":%" PRId64 "}\n", segment, by);
}

// The timers that fired, in their order: the answer to `deadlines/1`.
typedef struct { int64_t k, late; } Fired;

static inline void sayFired(const Fired *fired, long count) {
  printf("{\"answer\":%" PRId64 ",\"late\":[", number("answer"));
  for (long i = 0; i < count; i++)
    printf("%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", fired[i].k, fired[i].late);
  puts("]}");
}
