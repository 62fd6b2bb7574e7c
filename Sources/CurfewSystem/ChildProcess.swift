import Foundation

/// A program that was started with pipes to its standard input and output. It is the leader of
/// a process group of its own, so that a Ctrl-C at the terminal does not reach it and all its own
/// children end with it.
package final class ChildProcess {
  /// The number of the process and of its group.
  package let identifier: Int32
  private var input: Int32
  private let output: Int32
  private var isReaped = false
  /// Bytes that were read after the last line.
  private var pending: [UInt8] = []

  /// Starts `/bin/bash -c command`.
  ///
  /// - Parameters:
  ///   - folder: The working directory.
  ///   - environment: Variables in addition to those of this process.
  ///   - errors: The path of the file that standard error goes to; it is created or emptied.
  package init(
    shell command: String, in folder: String, environment: [String: String], errors: String
  ) throws(SystemError) {
    var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&toChild) == 0 else { throw SystemError(attempt: "create a pipe") }
    guard pipe(&fromChild) == 0 else {
      let code = errno
      for number in toChild { close(number) }
      throw SystemError(code: code, attempt: "create a pipe")
    }
    for number in toChild + fromChild { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    variables["CURFEW_BENCH_FOLDER"] = folder
    // `posix_spawn` cannot change the folder on every system, but the shell can.
    let arguments = ["bash", "-c", "cd \"$CURFEW_BENCH_FOLDER\" && \(command)"]
    let result = ChildProcess.spawn(
      arguments, variables.map { "\($0.key)=\($0.value)" }, toChild[0], fromChild[1], errors)
    close(toChild[0])
    close(fromChild[1])
    (input, output, identifier) = (toChild[1], fromChild[0], result.identifier)
    guard result.code == 0 else {
      isReaped = true
      throw SystemError(code: result.code, attempt: "start bash")
    }
    ChildGroups.add(identifier)
  }

  deinit {
    kill()
    if input >= 0 { close(input) }
    close(output)
  }

  /// Starts bash as the leader of a process group, with these descriptors as its input and output.
  static func spawn(
    _ arguments: [String], _ variables: [String], _ input: Int32, _ output: Int32, _ errors: String
  ) -> (code: Int32, identifier: Int32) {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    // Signals that this process ignores or blocks would stay so in the child.
    var (ignored, blocked) = (sigset_t(), sigset_t())
    sigfillset(&ignored)
    sigemptyset(&blocked)
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    var words = arguments.map { strdup($0) } + [nil]
    var settings = variables.map { strdup($0) } + [nil]
    defer { for text in words + settings { free(text) } }
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, "/bin/bash", &actions, &attributes, &words, &settings)
    return (code, identifier)
  }

  // MARK: Lines

  /// The next event on the child's standard output.
  package enum Heard: Equatable {
    /// A line, without its end.
    case line([UInt8])
    /// The output was closed. `rest` is a line without an end.
    case end(rest: [UInt8])
    /// No line came in time.
    case silence
    /// A line was longer than the limit.
    case overlong
    /// A signal asks this process to end.
    case interrupted
  }

  /// Writes a line and its end; returns false if the child has closed its standard input.
  /// The caller has to ignore SIGPIPE.
  package func say(_ line: String) -> Bool {
    let bytes = Array((line + "\n").utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count > 0 { done += count } else if errno != EINTR { return false }
    }
    return true
  }

  /// Closes the child's standard input.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The size limit of a line: 256 MiB, ten times the longest answer of a million timers.
  private static let lineLimit = 256 << 20

  /// Waits for the next line.
  package func hear(within seconds: Double) -> Heard {
    let limit = SystemClock.monotonic.now + Int64(seconds * 1e9)
    var searched = 0
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(pending[..<end])
        pending.removeSubrange(...end)
        return .line(line)
      }
      searched = pending.count
      guard searched <= ChildProcess.lineLimit else { return .overlong }
      let left = limit - SystemClock.monotonic.now
      if Interrupt().isRequested { return .interrupted }
      guard left > 0 else { return .silence }
      var question = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      // A signal may arrive just before the wait, so a wait is short.
      guard poll(&question, 1, Int32(min(100, left / 1_000_000 + 1))) > 0 else { continue }
      let count = read(output, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return .end(rest: pending) }
      pending += chunk[..<count]
    }
  }

  // MARK: The end

  /// The way in which a process ended.
  package enum Ending: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signaled(Int32)

    package var description: String {
      switch self {
      case .exited(let code): "exited with \(code)"
      case .signaled(let number):
        "was ended by signal \(number) (\(String(cString: strsignal(number))))"
      }
    }
  }

  /// Waits until the child has ended; returns nil if it has not ended in time.
  package func ending(within seconds: Double) -> Ending? {
    let limit = SystemClock.monotonic.now + Int64(seconds * 1e9)
    while true {
      var status: Int32 = 0
      let answer = waitpid(identifier, &status, WNOHANG)
      if answer == identifier {
        isReaped = true
        ChildGroups.remove(identifier)
        // The group may have other processes, which nobody waits for.
        _ = Foundation.kill(-identifier, SIGKILL)
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .signaled(signal)
      }
      if answer < 0, errno != EINTR { return nil }
      if SystemClock.monotonic.now >= limit || Interrupt().isRequested { return nil }
      usleep(2_000)
    }
  }

  /// Ends the process and its group, unless it has ended.
  package func kill() {
    guard !isReaped else { return }
    isReaped = true
    _ = Foundation.kill(-identifier, SIGKILL)
    ChildGroups.remove(identifier)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
  }
}
