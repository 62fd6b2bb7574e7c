#if defined(__linux__)
#define _GNU_SOURCE
#include "CProcess.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
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

// Whether the parent lives, which alone can read from the pipe. The child dies with it from now on.
// The parent's number would not do: it is 0 for the first process of a PID namespace.
static int has_parent(int death_signal, const int ends[2]) {
  struct pollfd reader = { .fd = ends[1] };
  close(ends[0]);
  return prctl(PR_SET_PDEATHSIG, death_signal) == 0 && poll(&reader, 1, 0) == 0;
}

void cproc_block(cproc_signals signals) {
  sigset_t mask = set(signals);
  sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void become(const struct cproc_program *program) {
  for (int number = 1; number < NSIG; number++)
    if (program->defaults >> (number - 1) & 1) signal(number, SIG_DFL);
  cproc_block(program->mask);
  execvp(program->words[0], (char *const *)program->words);
}

static long create(struct arguments *arguments, int *pidfd) {
  arguments->pidfd = (uint64_t)(uintptr_t)pidfd;
  long pid = syscall(SYS_clone3, arguments, sizeof *arguments);
  // Kernels before 5.3 have no clone3, and filters of system calls refuse it.
  if (pid >= 0 || arguments->flags & INTO_CGROUP || (errno != ENOSYS && errno != EPERM)) return pid;
  if ((pid = fork()) <= 0 || (*pidfd = cproc_open((int)pid)) >= 0) return pid;
  int failure = -*pidfd;
  kill((pid_t)pid, SIGKILL);
  waitpid((pid_t)pid, NULL, 0);
  errno = failure;
  return -1;
}

int cproc_start(const struct cproc_program *program, int *pidfd, int *is_exec) {
  int ends[2], error = 0;
  *is_exec = 0;
  if (pipe2(ends, O_CLOEXEC)) return -errno;
  struct arguments arguments = {
    .flags = WITH_PIDFD | CLEAR_HANDLERS | (program->cgroup < 0 ? 0 : INTO_CGROUP),
    .exit_signal = SIGCHLD, .cgroup = program->cgroup < 0 ? 0 : program->cgroup,
  };
  long pid = create(&arguments, pidfd);
  if (pid == 0) {
    if (!has_parent(program->death_signal, ends)) _exit(127);
    become(program);
    error = errno;
    (void)!write(ends[1], &error, sizeof error);
    _exit(127);
  }
  int failure = errno;
  close(ends[1]);
  ssize_t count = 0;
  if (pid > 0) do count = read(ends[0], &error, sizeof error); while (count < 0 && errno == EINTR);
  close(ends[0]);
  if (pid < 0) return -failure;
  if (count != sizeof error) return (int)pid;
  waitpid((pid_t)pid, NULL, 0);
  close(*pidfd);
  *is_exec = 1;
  return -error;
}

int cproc_fork(int death_signal) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -errno;
  pid_t pid = fork();
  if (pid == 0 && !has_parent(death_signal, ends)) _exit(127);
  int result = answer(pid);
  close(ends[1]);
  // The parent keeps the other end, because the child may not have looked yet.
  if (pid < 0) close(ends[0]);
  return result;
}

int cproc_check_clone3(void) {
  // A size of 0 is too small, so the call creates nothing.
  return syscall(SYS_clone3, NULL, 0) < 0 && errno != EINVAL ? -errno : 0;
}

int cproc_open(int pid) { return answer(syscall(SYS_pidfd_open, pid, 0)); }

int cproc_send(int pidfd, int signal) {
  return answer(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int cproc_stopped_by(int pid) {
  siginfo_t news = { .si_signo = 0 };
  return waitid(P_PID, (id_t)pid, &news, WSTOPPED | WNOHANG) ? 0 : news.si_status;
}

int cproc_is_cgroup(const char *path) {
  struct statfs information;
  return !statfs(path, &information) && information.f_type == CGROUP2_SUPER_MAGIC;
}

int cproc_adopt_orphans(void) { return answer(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

int cproc_listen(cproc_signals signals, cproc_signals *before) {
  sigset_t heard = set(signals), old;
  struct sigaction action;
  // A blocked signal is never ignored, so these are left alone.
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&heard, number) == 1 && !sigaction(number, NULL, &action)
        && action.sa_handler == SIG_IGN) sigdelset(&heard, number);
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
