import Foundation

/// Standard input, output and error, one of which a program may be started without: `curfew simulate >&-`.
enum StandardDescriptors {
  /// Occupies those of the three that are closed, so that no file that is opened later becomes standard output and has the report written into it.
  ///
  /// By `/dev/null`, the wrong way round: who reads or writes there is told that it cannot be done, as without it.
  static func occupyClosed() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is the one that is given.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
