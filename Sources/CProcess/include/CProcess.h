#pragma once
#if defined(__linux__)

/// Signals: bit n - 1 for signal n.
typedef unsigned long long cproc_signals;

/// A program to start.
struct cproc_program {
  /// The words of the command, ended by null.
  const char *_Nullable const *_Nonnull words;
  /// A descriptor of the cgroup in which the process is born, or -1.
  int cgroup;
  /// The signal that the process gets when the thread that started it ends.
  int death_signal;
  /// The signals that the process blocks, and those that get their default action.
  cproc_signals mask, defaults;
};

/// Starts a program in the caller's process group and session. Without clone3 the program can have
/// no cgroup.
/// - Returns: Its number, or an error number, negated. `is_exec` says whether exec failed.
int cproc_start(
  const struct cproc_program *_Nonnull program, int *_Nonnull pidfd, int *_Nonnull is_exec);

/// fork. The child gets the signal when its parent ends.
int cproc_fork(int death_signal);

/// Whether the kernel has clone3: 0, or an error number, negated.
int cproc_check_clone3(void);

/// pidfd_open and pidfd_send_signal.
int cproc_open(int pid);
int cproc_send(int pidfd, int signal);

/// The signal that has stopped a child since the last call; 0 for none.
int cproc_stopped_by(int pid);

/// Whether a path is in a hierarchy of cgroups of version 2.
int cproc_is_cgroup(const char *_Nonnull path);

/// Makes this process the parent of its orphaned descendants.
int cproc_adopt_orphans(void);

/// A descriptor from which signals are read, without those that this process ignores. Blocks the
/// signals; `before` are those that were blocked before.
int cproc_listen(cproc_signals signals, cproc_signals *_Nonnull before);
/// Blocks these signals and no others.
void cproc_block(cproc_signals signals);
/// The next signal, or 0. `is_kernels` says whether the kernel sent it, as for Ctrl-C.
int cproc_next_signal(int descriptor, int *_Nonnull is_kernels);

/// Gives this thread real-time priority, which children do not inherit.
int cproc_run_first(void);
/// Gives this thread the usual priority again.
int cproc_run_usually(void);
#endif
