#if defined(__linux__)
#define _GNU_SOURCE
#include "CProcess.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Names that older headers lack.
#define INTO_CGROUP 0x200000000ULL
#define CLEAR_HANDLERS 0x100000000ULL
#define WITH_PIDFD 0x1000ULL

struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  uint64_t set_tid, set_tid_size, cgroup;
};

static int answer(long result) { return result < 0 ? -errno : (int)result; }

static sigset_t set(cproc_signals signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int number = 1; number < NSIG; number++)
    if (signals >> (number - 1) & 1) sigaddset(&set, number);
  return set;
}

static void become(const struct cproc_program *program, pid_t parent) {
  for (int number = 1; number < NSIG; number++)
    if (program->defaults >> (number - 1) & 1) signal(number, SIG_DFL);
  // If the parent ends before this call, nobody sends the signal.
  if (prctl(PR_SET_PDEATHSIG, program->death_signal) || getppid() != parent) return;
  sigset_t mask = set(program->mask);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  execvp(program->words[0], (char *const *)program->words);
}

int cproc_start(const struct cproc_program *program, int *pidfd, int *is_exec) {
  int errors[2], descriptor = -1, error = 0;
  *is_exec = 0;
  if (pipe2(errors, O_CLOEXEC)) return -errno;
  struct arguments arguments = {
    .flags = WITH_PIDFD | CLEAR_HANDLERS | (program->cgroup < 0 ? 0 : INTO_CGROUP),
    .pidfd = (uint64_t)(uintptr_t)&descriptor, .exit_signal = SIGCHLD,
    .cgroup = program->cgroup < 0 ? 0 : program->cgroup,
  };
  pid_t parent = getpid();
  long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    become(program, parent);
    error = errno;
    (void)!write(errors[1], &error, sizeof error);
    _exit(127);
  }
  int failure = errno;
  close(errors[1]);
  ssize_t count = 0;
  if (pid > 0) do count = read(errors[0], &error, sizeof error); while (count < 0 && errno == EINTR);
  close(errors[0]);
  if (pid < 0) return -failure;
  if (count == sizeof error) {
    waitpid((pid_t)pid, NULL, 0);
    close(descriptor);
    *is_exec = 1;
    return -error;
  }
  *pidfd = descriptor;
  return (int)pid;
}

int cproc_check_clone3(void) {
  // A size of 0 is too small, so the call creates nothing.
  return syscall(SYS_clone3, NULL, 0) < 0 && errno != EINVAL ? -errno : 0;
}

int cproc_open(int pid) { return answer(syscall(SYS_pidfd_open, pid, 0)); }

int cproc_send(int pidfd, int signal) {
  return answer(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int cproc_adopt_orphans(void) { return answer(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

int cproc_listen(cproc_signals signals, cproc_signals *before) {
  sigset_t heard = set(signals), old;
  if (sigprocmask(SIG_BLOCK, &heard, &old)) return -errno;
  *before = 0;
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&old, number) == 1) *before |= 1ULL << (number - 1);
  return answer(signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
}

int cproc_next_signal(int descriptor, int *is_kernels) {
  struct signalfd_siginfo signal;
  if (read(descriptor, &signal, sizeof signal) != sizeof signal) return 0;
  *is_kernels = signal.ssi_code > 0;
  return (int)signal.ssi_signo;
}

int cproc_run_first(void) {
  struct sched_param priority = { .sched_priority = 1 };
  return answer(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority));
}

int cproc_run_usually(void) {
  struct sched_param priority = { .sched_priority = 0 };
  return answer(sched_setscheduler(0, SCHED_OTHER, &priority));
}
#endif
