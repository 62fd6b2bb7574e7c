import CurfewEngine

/// Writes the lines of a trace to a sink, step by step.
///
/// Invariants: after a failure, or after the end, there is no sink and nothing is pending.
struct StepWriter {
  private var sink: (any TraceSink)?
  /// The sink, if it keeps lines that know more than their text.
  private let memory: MemorySink?
  private let names: CallbackNames
  /// The header until it is written: before the first line. It is behind a reference, because
  /// every line looks whether it is there.
  private indirect enum OpenHeader {
    case none
    case header(TraceHeader)
  }
  private var open: OpenHeader
  var pending: [UInt8] = []
  var quoted = QuotedTexts()
  private var richLines: [(index: Int, line: TraceLine)] = []
  private var lineCount = 0
  /// The cause for which the recording has ended early.
  private(set) var failure: (any Error)?

  init(_ header: TraceHeader, names: CallbackNames = .uikit, to sink: any TraceSink) {
    (open, self.names, self.sink) = (.header(header), names, sink)
    memory = sink as? MemorySink
  }

  /// Continues after lines that the sink has already.
  init(appendingTo sink: any TraceSink) {
    (open, names, self.sink) = (.none, .uikit, sink)
    memory = nil
  }

  var isOpen: Bool { sink != nil }
  /// The number of bytes that wait for the end of their step.
  var pendingCount: Int { pending.count }
  /// The header while it can still be changed.
  var openHeader: TraceHeader? { if case .header(let header) = open { header } else { nil } }

  /// Changes the header, which is open.
  mutating func change(_ header: TraceHeader) { open = .header(header) }

  /// Adds a line to the current step.
  mutating func append(_ line: TraceLine) {
    guard sink != nil else { return }
    if memory != nil, line.isRich { richLines.append((lineCount, line)) }
    beginLine()
    append(line.json(names))
  }

  /// Counts a line, and writes the header before the first one.
  mutating func beginLine() {
    if case .header = open { closeHeader() }
    lineCount += 1
  }

  /// Fixes the header: it becomes a part of the current step.
  mutating func closeHeader() {
    guard let header = openHeader, sink != nil else { return }
    open = .none
    append(header.json)
  }

  private mutating func append(_ text: String) {
    pending.append(contentsOf: text.utf8)
    pending.append(UInt8(ascii: "\n"))
  }

  /// Passes the current step to the sink. If the sink fails, the recording ends before this step.
  mutating func finishStep() {
    guard !pending.isEmpty, let sink else { return }
    do {
      try sink.write(pending)
      if let memory, !richLines.isEmpty { memory.keep(richLines) }
    } catch {
      failure = error
      self.sink = nil
    }
    pending.removeAll(keepingCapacity: pending.capacity <= StepWriter.keptCapacity)
    richLines.removeAll(keepingCapacity: true)
  }

  /// The greatest buffer that is kept for the next step. A step of 10,000 apps needs more once.
  private static let keptCapacity = 1 << 20

  /// Ends the recording: the sink gets the current step, and is released.
  mutating func finish() {
    finishStep()
    (sink, open) = (nil, .none)
  }
}
