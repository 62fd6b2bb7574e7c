import Foundation

/// A process that ends the groups of children after this process has ended in a way that lets it
/// do nothing more, such as SIGKILL. Its input is a pipe whose only writer is this process, so the
/// end of the input is the end of this process. It waits in `read` and uses no processor time
/// while children are measured.
struct ChildGuard {
  /// Each line has `+` or `-` and a group. At the end, the groups that remain are ended.
  private static let script = """
    while read -r sign group; do
      if [ "$sign" = + ]; then groups[group]=1; else unset "groups[group]"; fi
    done
    for group in "${!groups[@]}"; do kill -KILL -- "-$group"; done
    """

  private let input: Int32

  /// Starts the process; nil if it cannot be started. Children are then measured without it.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
    for number in ends { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    let result = ChildProcess.spawn(
      ["bash", "-c", ChildGuard.script], [], ends[0], output, "/dev/null")
    close(ends[0])
    close(output)
    guard result.code == 0 else {
      close(ends[1])
      return nil
    }
    input = ends[1]
  }

  func add(_ group: pid_t) { say("+ \(group)\n") }

  func remove(_ group: pid_t) { say("- \(group)\n") }

  /// Writes a line, which a pipe takes as a whole. The caller has to ignore SIGPIPE.
  private func say(_ line: String) {
    let bytes = Array(line.utf8)
    while write(input, bytes, bytes.count) < 0, errno == EINTR {}
  }
}
