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

/// Returns the number of files.
size_t csf_count(void);

/// Returns the file at an index from 0 to `csf_count()` - 1.
const struct csf_file *_Nonnull csf_file_at(size_t place);
