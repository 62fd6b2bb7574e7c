#pragma once
#include <stdbool.h>
#include <stddef.h>

/// A file that every copy of Curfew carries, byte for byte.
struct csf_file {
  /// Its path from the project's folder: `Policies/ios13.yaml`.
  const char *_Nonnull path;
  const unsigned char *_Nonnull bytes;
  size_t length;
  /// Whether it is a policy.
  bool is_profile;
};

/// How many there are.
size_t csf_count(void);

/// The file of this place, from 0; there has to be one.
const struct csf_file *_Nonnull csf_file_at(size_t place);
