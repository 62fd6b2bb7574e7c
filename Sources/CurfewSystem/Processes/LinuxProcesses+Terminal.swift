#if os(Linux)
  import CProcess
  import Foundation

  extension LinuxProcesses {
    package func takeStop(of process: Int32) -> Int32? { LinuxProcesses.takeStop(of: process) }

    static func takeStop(of process: Int32) -> Int32? {
      var news = siginfo_t()
      guard waitid(P_PID, id_t(process), &news, WSTOPPED | WNOHANG) == 0, news.si_signo == SIGCHLD
      else { return nil }
      let signal = news._sifields._sigchld.si_status
      if news.si_code == CLD_STOPPED { return signal }
      release(process, with: signal)
      return nil
    }

    /// Lets a process run that waits for its tracer. A process that asks to be traced
    /// (PTRACE_TRACEME) has its parent as the tracer, and this program traces none.
    ///
    /// - Parameter signal: The signal at which it waits. SIGTRAP is that of the tracing itself.
    static func release(_ process: Int32, with signal: Int32) {
      _ = cproc_release(process, signal & 0x7f == SIGTRAP ? 0 : signal & 0x7f)
    }

    /// A standard stream that is the terminal of this session; nil for none.
    private var terminal: Int32? {
      [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].first { tcgetpgrp($0) > 0 }
    }

    package var hasTerminal: Bool {
      // The standard streams may be files.
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
      if terminal >= 0 { close(terminal) }
      return terminal >= 0
    }

    package func stop(by signal: Int32) { LinuxProcesses.stop(by: signal) }

    static func stop(by signal: Int32) {
      var pending = sigset_t()
      // `fg` continues this process and the command one after the other.
      if sigpending(&pending) == 0, sigismember(&pending, SIGCONT) == 1 { return }
      raise(signal)
      // The signal is blocked, and stops this program here. SIGCONT takes back one that waits.
      var (stop, before) = (set(of: [signal]), sigset_t())
      sigprocmask(SIG_UNBLOCK, &stop, &before)
      sigprocmask(SIG_SETMASK, &before, nil)
    }

    package func takeTerminalBack() {
      guard let terminal else { return }
      let group = tcgetpgrp(terminal)
      guard group != getpgrp(), kill(-group, 0) < 0, errno == ESRCH else { return }
      // This signal would stop a process that is not in front.
      var (stop, before) = (sigset_t(), sigset_t())
      sigemptyset(&stop)
      sigaddset(&stop, SIGTTOU)
      pthread_sigmask(SIG_BLOCK, &stop, &before)
      tcsetpgrp(terminal, getpgrp())
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    // MARK: Children from before

    /// Goes on in a child if this process has children, which it had before it became this program.
    /// Their orphans must not become a command's. The parent passes signals on, and ends as
    /// the child does.
    package static func leaveChildren(listeningTo numbers: [Int32]) throws(SystemError) {
      guard hasChildren else { return }
      let (signals, before) = try listen(to: numbers)
      let child = cproc_fork(SIGKILL)
      guard child >= 0 else { throw SystemError(code: -child, attempt: "fork") }
      if child > 0 { pass(signals, to: child) }
      close(signals)
      var mask = before
      sigprocmask(SIG_SETMASK, &mask, nil)
    }

    private static func pass(_ signals: Int32, to child: Int32) -> Never {
      while true {
        var watched = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
        _ = poll(&watched, 1, -1)
        guard let (number, isKernels) = takeSignal(signals) else { continue }
        if number == SIGCHLD {
          if let signal = takeStop(of: child) { stop(by: signal) }
          var status: Int32 = 0
          if waitpid(child, &status, WNOHANG) == child {
            _exit(status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
          }
        } else if ProcessNews.isForOne(number, isKernels: isKernels) {
          kill(child, number)
        }
      }
    }
  }
#endif
