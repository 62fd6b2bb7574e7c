import CurfewEngine
import CurfewSystem
public import CurfewText

/// Keeps a trace in memory, as bytes: about 100 for each line.
public final class MemorySink: TraceSink, @unchecked Sendable {
  private let lock = Lock()
  // The lock guards all properties below.
  private var content: [UInt8] = []
  /// The lines that know more than their text, with their indices. A line of a file lacks
  /// an objection, the ages of tasks, and the details of an end.
  private var richLines: [(index: Int, line: TraceLine)] = []

  /// Creates an empty sink.
  public init() {}

  /// Appends whole steps.
  public func write(_ steps: [UInt8]) { lock.withLock { content += steps } }

  /// The bytes so far.
  public var bytes: [UInt8] { lock.withLock { content } }

  /// The bytes so far, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The trace so far; its last line is an `end` only if the recording has ended.
  ///
  /// - Throws: An error if nothing has been written, or if the bytes are not a recorder's.
  /// - Complexity: O(bytes).
  public func trace() throws(FileErrors) -> Trace {
    let (bytes, rich) = lock.withLock { (content, richLines) }
    var trace = try Trace.decode(bytes, name: "the recording")
    for (index, line) in rich where index < trace.lines.count { trace.lines[index] = line }
    return trace
  }

  /// Keeps lines that know more than their text.
  func keep(_ lines: [(index: Int, line: TraceLine)]) { lock.withLock { richLines += lines } }
}

extension TraceLine {
  /// Whether the line, read from its text, may be unequal to the line.
  var isRich: Bool {
    switch body {
    case .terminated, .diagnostic, .callback(.event): true
    default: false
    }
  }
}
