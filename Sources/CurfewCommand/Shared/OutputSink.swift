import CurfewTrace

/// Writes a recording to an output of a command. A loss is the output's: it ends the run, or it is
/// reported at the end, as for any other line.
final class OutputSink: TraceSink, @unchecked Sendable {
  private let writer: LineWriter

  init(_ writer: LineWriter) { self.writer = writer }

  func write(_ steps: [UInt8]) throws { try writer.write(lines: steps) }
}
