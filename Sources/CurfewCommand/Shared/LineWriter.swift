import CurfewSystem

/// An output of a command, written in lines or in records of bytes: standard output, or a file that
/// an option names.
///
/// The output holds whole lines even if a write fails. After its first failure nothing more
/// is written.
final class LineWriter {
  /// The output's name in messages.
  let name: String
  /// The failure that ended the output; nil if there was none.
  private(set) var loss: OutputLoss?
  private let descriptor: Descriptor
  private var isOpen = true
  private var pending: [UInt8] = []
  /// The ends of the records in `pending`; empty if lines are written.
  private var recordEnds: [Int] = []

  private init(name: String, descriptor: Descriptor) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Standard output, which is never closed.
  static func standardOutput() -> LineWriter {
    LineWriter(name: "standard output", descriptor: .standardOutput)
  }

  /// Creates or empties the file.
  convenience init(path: String) throws(OutputLoss) {
    do { self.init(name: path, descriptor: try Descriptor(path: path)) } catch {
      throw OutputLoss(name: path, error: error)
    }
  }

  /// Writes a line and a line end.
  func write(_ line: String) throws(OutputLoss) {
    pending.append(contentsOf: line.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Writes whole lines, each with its line end.
  func write(lines: [UInt8]) throws(OutputLoss) {
    pending.append(contentsOf: lines)
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Writes a record of bytes. A file has lines or records, never both.
  func write(_ record: [UInt8]) throws(OutputLoss) {
    guard !record.isEmpty else { return }
    pending.append(contentsOf: record)
    recordEnds.append(pending.count)
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Writes everything to the file.
  func flush() throws(OutputLoss) {
    try check()
    let (lines, ends) = (pending, recordEnds)
    pending.removeAll(keepingCapacity: true)
    recordEnds.removeAll(keepingCapacity: true)
    guard loss == nil, let failure = descriptor.write(lines) else { return }
    // Removes an incomplete line or record, so that an incomplete trace is still valid.
    let line =
      ends.isEmpty
      ? lines[..<failure.written].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } : nil
    let end = line ?? ends.last { $0 <= failure.written } ?? 0
    if failure.written > 0 { descriptor.takeBack(failure.written - end) }
    try lose(failure.error)
  }

  /// Writes everything to the file and closes it; standard output stays open.
  func close() throws(OutputLoss) {
    guard isOpen else { return }
    isOpen = false
    let flushed = Result { () throws(OutputLoss) in try flush() }
    if descriptor != .standardOutput {
      do { try descriptor.close() } catch { try lose(error) }
    }
    try flushed.get()
  }

  /// Checks whether the output's reader is gone, even if there is nothing to write.
  func lookForReader() throws(OutputLoss) {
    guard isOpen, loss == nil else { return try check() }
    do { try descriptor.lookForReader() } catch { try lose(error) }
  }

  /// Whether the output failed in a way that makes continuing useless.
  var isCutOff: Bool { loss?.endsRun ?? false }

  /// Throws the loss if `isCutOff`.
  func check() throws(OutputLoss) {
    if let loss, loss.endsRun { throw loss }
  }

  private func lose(_ error: SystemError) throws(OutputLoss) {
    loss = loss ?? OutputLoss(name: name, error: error)
    try check()
  }
}

/// The failure of an output.
struct OutputLoss: Error {
  /// The output's name in messages.
  let name: String
  let error: SystemError

  /// Whether continuing is useless. Continuing makes sense if standard output was closed when
  /// the program started: the caller then wants the other files.
  var endsRun: Bool { !error.isClosed }
}
