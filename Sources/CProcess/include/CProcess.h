#pragma once
#if defined(__linux__)
// A type of the C library in this header would belong to this module in Swift, so signal sets have
// the type void.

/// The arguments of this program, ended by null; null if the C library does not hand them out.
const char *_Nullable const *_Nullable cproc_arguments(void);

/// A program to start.
struct cproc_program {
  /// The words of the command, ended by null.
  const char *_Nullable const *_Nonnull words;
  /// A descriptor of the cgroup in which the process is born, or -1.
  int cgroup;
  /// The signal that the process gets when the thread that started it ends.
  int death_signal;
  /// The signals that the process blocks, and those that get their default action.
  const void *_Nonnull mask, *_Nonnull defaults;
};

/// Starts a program in the caller's process group and session.
/// - Returns: Its number, or an error number, negated. `is_exec` says whether exec failed.
int cproc_start(const struct cproc_program *_Nonnull program, int *_Nonnull is_exec);

/// fork. The child gets the signal when its parent ends.
int cproc_fork(int death_signal);

// Each of these returns an error number, negated, if it fails.

/// Whether the kernel has clone3: 0 if it has.
int cproc_check_clone3(void);
/// pidfd_open and pidfd_send_signal.
int cproc_open(int pid);
int cproc_send(int pidfd, int signal);
/// Ends the tracing of a child that waits for this process as its tracer. The child gets
/// the signal, unless that is 0.
int cproc_release(int pid, int signal);
/// A descriptor from which the signals of a set are read, without waiting.
int cproc_signalfd(const void *_Nonnull set);
/// The next signal, or 0. `is_kernels` says whether the kernel sent it, as for Ctrl-C.
int cproc_next_signal(int descriptor, int *_Nonnull is_kernels);
/// Whether a path is in a hierarchy of cgroups of version 2.
int cproc_is_cgroup(const char *_Nonnull path);
/// Makes this process the parent of its orphaned descendants.
int cproc_adopt_orphans(void);
#endif
