#if os(Linux)
  import CProcess
  import Foundation

  extension LinuxProcesses {
    /// The signals that end a program by default and that another program sends, except KILL, those
    /// of faults, and PIPE and XFSZ, which Curfew ignores. Numbers 32 and 33 are the C library's.
    package static let ending =
      [
        SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
        SIGIO, SIGPWR, SIGSTKFLT, SIGSYS,
      ] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())

    static func set(of numbers: [Int32]) -> sigset_t {
      var set = sigset_t()
      sigemptyset(&set)
      for number in numbers { sigaddset(&set, number) }
      return set
    }

    /// Blocks signals, SIGCHLD, SIGCONT and those by which a terminal stops programs, without those
    /// that this process ignores.
    /// - Returns: A descriptor from which the signals are read, and the mask before.
    static func listen(to numbers: [Int32]) throws(SystemError) -> (Int32, before: sigset_t) {
      // An ignored SIGCHLD would keep statuses from `waitpid`.
      signal(SIGCHLD, SIG_DFL)
      // A blocked signal is never ignored, so these are left alone.
      let others = [SIGCHLD, SIGCONT] + ProcessNews.stopping
      var heard = set(of: (numbers + others).filter { !isIgnored($0) })
      var before = sigset_t()
      guard sigprocmask(SIG_BLOCK, &heard, &before) == 0 else {
        throw SystemError(attempt: "block signals")
      }
      let descriptor = cproc_signalfd(&heard)
      guard descriptor >= 0 else {
        throw SystemError(code: -descriptor, attempt: "listen to signals")
      }
      return (descriptor, before)
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
      var action = sigaction()
      return sigaction(signal, nil, &action) == 0
        && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
          == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Takes the next signal from a descriptor of `listen`; nil if there is none. The kernel itself
    /// sends one for Ctrl-C.
    static func takeSignal(_ descriptor: Int32) -> (number: Int32, isKernels: Bool)? {
      var isKernels: Int32 = 0
      let number = cproc_next_signal(descriptor, &isKernels)
      return number > 0 ? (number, isKernels != 0) : nil
    }
  }
#endif
