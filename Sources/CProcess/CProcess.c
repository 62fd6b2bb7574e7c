#if defined(__linux__)
#define _GNU_SOURCE
#include "CProcess.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

// A name that older headers lack.
#define INTO_CGROUP 0x200000000ULL

struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  uint64_t set_tid, set_tid_size, cgroup;
};

static const char *const *arguments_of_program;

#ifdef __GLIBC__
// glibc hands them to constructors; other C libraries do not.
__attribute__((constructor)) static void keep(int count, const char *const *arguments) {
  (void)count;
  arguments_of_program = arguments;
}
#endif

const char *const *cproc_arguments(void) { return arguments_of_program; }

static int answer(long result) { return result < 0 ? -errno : (int)result; }

// Whether the parent lives, which alone can read from the pipe. The child dies with it from now on.
// The parent's number would not do: it is 0 for the first process of a PID namespace.
static int has_parent(int death_signal, const int ends[2]) {
  struct pollfd reader = { .fd = ends[1] };
  close(ends[0]);
  return prctl(PR_SET_PDEATHSIG, death_signal) == 0 && poll(&reader, 1, 0) == 0;
}

static void become(const struct cproc_program *program) {
  for (int number = 1; number < NSIG; number++)
    if (sigismember(program->defaults, number) == 1) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, program->mask, NULL);
  execvp(program->words[0], (char *const *)program->words);
}

int cproc_start(const struct cproc_program *program, int *is_exec) {
  int ends[2], error = 0;
  *is_exec = 0;
  if (pipe2(ends, O_CLOEXEC)) return -errno;
  struct arguments arguments = {
    .flags = INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)program->cgroup,
  };
  // Kernels before 5.7 cannot place a process, and filters of system calls refuse clone3.
  long pid = program->cgroup < 0 ? fork() : syscall(SYS_clone3, &arguments, sizeof arguments);
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

int cproc_release(int pid, int signal) {
  return answer(ptrace(PTRACE_DETACH, pid, NULL, (void *)(intptr_t)signal));
}

int cproc_signalfd(const void *set) {
  return answer(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int cproc_next_signal(int descriptor, int *is_kernels) {
  struct signalfd_siginfo signal;
  if (read(descriptor, &signal, sizeof signal) != sizeof signal) return 0;
  *is_kernels = signal.ssi_code > 0;
  return (int)signal.ssi_signo;
}

int cproc_is_cgroup(const char *path) {
  struct statfs information;
  return !statfs(path, &information) && information.f_type == CGROUP2_SUPER_MAGIC;
}

int cproc_adopt_orphans(void) { return answer(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }
#endif
