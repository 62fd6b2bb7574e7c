/// The stack of the thread that creates this value; symbols are looked up on demand.
package struct CallStack: Sendable {
  private let frames = Frames.ofThread

  /// Records the stack of the calling thread.
  package init() {}

  /// Module and file, as in `#fileID`, and the line, of the program's innermost frame; nil if
  /// the program has no debug information.
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  package var location: (fileID: String, line: Int)? {
    guard let found = frames.found, let source = found.source else { return nil }
    return (found.fileID(source.path), source.line)
  }
}
