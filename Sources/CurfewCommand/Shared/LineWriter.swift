import CurfewSystem

/// What a command writes its results to, line by line or in records of bytes: standard output,
/// or a file that somebody has named.
///
/// It gets whole lines, also where it cannot take all of them. From its first failure on it
/// takes nothing.
final class LineWriter {
  /// What messages call it.
  let name: String
  /// Why it takes nothing more.
  private(set) var loss: OutputLoss?
  private let descriptor: Descriptor
  private var isOpen = true
  private var pending: [UInt8] = []
  /// Where records end in `pending`; empty where lines are written.
  private var recordEnds: [Int] = []

  private init(name: String, descriptor: Descriptor) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Standard output, which is never closed.
  static func standardOutput() -> LineWriter {
    LineWriter(name: "standard output", descriptor: .standardOutput)
  }

  /// Makes the file, or empties it.
  convenience init(path: String) throws(OutputLoss) {
    do { self.init(name: path, descriptor: try Descriptor(path: path)) } catch {
      throw OutputLoss(name: path, error: error)
    }
  }

  /// Adds a line end.
  func write(_ line: String) throws(OutputLoss) {
    pending.append(contentsOf: line.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Adds a record of bytes, which are no lines; a file has lines or records, never both.
  func write(_ record: [UInt8]) throws(OutputLoss) {
    guard !record.isEmpty else { return }
    pending.append(contentsOf: record)
    recordEnds.append(pending.count)
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Brings everything to the file.
  func flush() throws(OutputLoss) {
    try check()
    let (lines, ends) = (pending, recordEnds)
    pending.removeAll(keepingCapacity: true)
    recordEnds.removeAll(keepingCapacity: true)
    guard loss == nil, let failure = descriptor.write(lines) else { return }
    // The beginning of a line or a record goes, so that what is left of a trace is a trace.
    let line =
      ends.isEmpty
      ? lines[..<failure.written].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } : nil
    let end = line ?? ends.last { $0 <= failure.written } ?? 0
    if failure.written > 0 { descriptor.takeBack(failure.written - end) }
    try lose(failure.error)
  }

  /// Brings everything to the file and closes it; standard output stays open.
  func close() throws(OutputLoss) {
    guard isOpen else { return }
    isOpen = false
    let flushed = Result { () throws(OutputLoss) in try flush() }
    if descriptor != .standardOutput {
      do { try descriptor.close() } catch { try lose(error) }
    }
    try flushed.get()
  }

  /// Finds out whether whoever read this has gone, although there is nothing to write.
  func lookForReader() throws(OutputLoss) {
    guard isOpen, loss == nil else { return try check() }
    do { try descriptor.lookForReader() } catch { try lose(error) }
  }

  /// Whether it takes nothing more, so that there is no use in going on.
  var isCutOff: Bool { loss?.endsRun ?? false }

  /// Throws if it takes nothing more.
  func check() throws(OutputLoss) {
    if let loss, loss.endsRun { throw loss }
  }

  private func lose(_ error: SystemError) throws(OutputLoss) {
    loss = loss ?? OutputLoss(name: name, error: error)
    try check()
  }
}

/// An output that takes nothing more.
struct OutputLoss: Error {
  /// What messages call it.
  let name: String
  let error: SystemError

  /// Whether there is no use in going on. A standard output that was closed when the program
  /// started is none: whoever does that wants the other files.
  var endsRun: Bool { !error.isClosed }
}
