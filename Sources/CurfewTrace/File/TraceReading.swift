import CurfewEngine
public import CurfewText
internal import Foundation

extension Trace {
  /// The number of lines between two calls of `isInterrupted`.
  package static let questionDistance = 1024

  /// Reads a trace file: a header, then a line for each event and action. Unknown keys are ignored.
  ///
  /// - Throws: An error for every line that could not be read, with its place; at most twenty.
  /// - Complexity: O(bytes).
  public static func decode(_ source: SourceFile) throws(FileErrors) -> Trace {
    guard let trace = try decode(source, isInterrupted: { _ in false }) else {
      preconditionFailure("A reading without isInterrupted was interrupted")
    }
    return trace
  }

  /// Reads a trace file. Returns nil if the caller interrupts.
  ///
  /// - Parameter isInterrupted: Called about every thousand lines, with the number of lines that
  ///   have been read.
  package static func decode(_ source: SourceFile, isInterrupted: (_ lines: Int) -> Bool)
    throws(FileErrors) -> Trace?
  {
    var text = source.text
    text.makeContiguousUTF8()
    var reader = TraceReader(file: source.name)
    let isRead = text.utf8.withContiguousStorageIfAvailable { bytes in
      reader.read(bytes, isInterrupted)
    }
    guard let isRead else { preconditionFailure("A contiguous text has contiguous bytes") }
    return isRead ? try reader.trace() : nil
  }
}

extension Trace {
  /// Reads the bytes of a trace, of any size. `name` is their name in errors.
  static func decode(_ bytes: [UInt8], name: String) throws(FileErrors) -> Trace {
    var reader = TraceReader(file: name)
    guard !bytes.isEmpty else { throw TraceReader.isEmpty(name) }
    guard bytes.withUnsafeBufferPointer({ reader.read($0, { _ in false }) }) else {
      preconditionFailure("A reading without isInterrupted was interrupted")
    }
    return try reader.trace()
  }
}

/// A trace of any size, read line by line on demand.
package struct TraceStream {
  /// The header.
  package let header: TraceHeader
  private var lines: TextLines
  private var reader: TraceReader
  private var line: [UInt8] = []

  /// Reads the header.
  /// - Throws: An error if there is no valid header.
  package init(_ lines: TextLines) throws(FileErrors) {
    (self.lines, reader) = (lines, TraceReader(file: lines.name))
    while reader.header == nil {
      guard let (isEnded, number) = try self.lines.next(into: &line) else {
        throw TraceReader.isEmpty(lines.name)
      }
      _ = try reader.read(line, number, isLast: !isEnded)
    }
    guard let header = reader.header else {
      preconditionFailure("A trace without a header has been refused")
    }
    self.header = header
  }

  /// Reads the next line; returns nil at the end.
  /// - Throws: The error in the line, with its place. The rest of the file has not been read.
  package mutating func next() throws(FileErrors) -> TraceLine? {
    while let (isEnded, number) = try lines.next(into: &line) {
      if let line = try reader.read(line, number, isLast: !isEnded) { return line }
    }
    return nil
  }
}

/// Reads a trace line by line.
struct TraceReader {
  private static let greatestNumberOfProblems = 20

  private let file: String
  private let decoder = JSONDecoder()
  private(set) var header: TraceHeader?
  /// Whether the header has a clock; nil before the header.
  private var hasClock: Bool?
  /// The apps that lines have named or may name. Lines share these strings, so that a million lines
  /// do not hold a copy each.
  private var apps: Set<String> = []
  /// The app that was named last; the next line usually names it again.
  private var lastApp: String?
  private var lines: [TraceLine] = []
  private var lastTime = Instant.zero
  private var hasEnded = false
  /// The clocks of the last line `resumed`.
  private var clocks: HostClocks?
  private var number = 0
  private var object = PlainObject()
  /// The place of the first empty line.
  private var emptyLine: Int?
  private var problems: [FileDiagnostic] = []

  init(file: String) { self.file = file }

  static func isEmpty(_ file: String) -> FileErrors {
    FileErrors([
      FileDiagnostic(at: SourcePlace(file: file, line: 1, column: 1), "the file is empty")
    ])
  }

  /// Returns the trace that was read if there were no errors.
  func trace() throws(FileErrors) -> Trace {
    guard let header, problems.isEmpty else { throw FileErrors(problems) }
    return Trace(header: header, lines: lines)
  }

  /// Returns false if the caller interrupted.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ isInterrupted: (Int) -> Bool) -> Bool {
    var line: [UInt8] = []
    var start = 0
    while start < bytes.count, problems.count < TraceReader.greatestNumberOfProblems {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      line.removeAll(keepingCapacity: true)
      line.append(contentsOf: bytes[start..<end])
      number += 1
      if number % Trace.questionDistance == 0, isInterrupted(number) { return false }
      do throws(Refusal) {
        if let line = try take(line, isLast: end == bytes.count) { lines.append(line) }
      } catch {
        problems.append(
          FileDiagnostic(at: SourcePlace(file: file, line: number, column: 1), error.message))
        if hasClock == nil { break }  // The file is not a trace.
      }
      start = end + 1
    }
    return true
  }

  /// Reads one line; returns nil for the header, and for an empty line at the end.
  mutating func read(_ line: [UInt8], _ number: Int, isLast: Bool) throws(FileErrors) -> TraceLine?
  {
    self.number = number
    do throws(Refusal) {
      return try take(line, isLast: isLast)
    } catch {
      throw FileErrors([
        FileDiagnostic(at: SourcePlace(file: file, line: number, column: 1), error.message)
      ])
    }
  }

  private mutating func take(_ line: [UInt8], isLast: Bool) throws(Refusal) -> TraceLine? {
    guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
      emptyLine = emptyLine ?? number
      return nil
    }
    guard let hasClock else {
      let header = try json(RawHeader.self, line).header()
      apps = Set(header.apps)
      self.hasClock = header.clock != nil
      self.header = header
      return nil
    }
    if let emptyLine {
      throw Refusal("line \(emptyLine) is empty; every line of a trace is an object")
    }
    var isCutOff = false
    if !object.scan(line, isCutOff: &isCutOff) {
      if isCutOff, isLast { throw Refusal("the last line is cut off: \(excerpt(line))") }
      object.take(try json([String: LooseValue].self, line))
    }
    do throws(Refusal) {
      var line = try object.line()
      try check(&line, hasClock)
      (lastTime, hasEnded) = (line.time, line.body == .end)
      return line
    } catch {
      throw error == PlainObject.mistyped ? Refusal("\(error.message): \(excerpt(line))") : error
    }
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws(Refusal) -> Value
  {
    do {
      return try decoder.decode(type, from: Data(line))
    } catch {
      let isOther = number == 1 && line.first != UInt8(ascii: "{")
      throw Refusal(
        "\(PlainObject.mistyped.message): \(excerpt(line))\(isOther ? "; 'simulate --trace' writes the trace of a scenario" : "")"
      )
    }
  }

  private func excerpt(_ line: [UInt8]) -> Substring {
    String(decoding: line, as: UTF8.self).prefix(60)
  }

  /// Checks the rules that involve more than one line.
  private mutating func check(_ line: inout TraceLine, _ hasClock: Bool) throws(Refusal) {
    if hasEnded { throw Refusal("a line after the end") }
    if line.time < lastTime {
      throw Refusal("time goes backwards, from \(lastTime.nanoseconds) to \(line.time.nanoseconds)")
    }
    switch line.body {
    case .event(let deed) where !hasClock && deed.verb == .begin:
      throw Refusal("only a trace whose header has a 'clock' may have a 'begin'")
    case .resumed(let now, _):
      if let clocks, clocks.boot == now.boot, clocks.uptime > now.uptime {
        throw Refusal(
          "the uptime of a boot goes backwards, from \(clocks.uptime) to \(now.uptime)")
      }
      clocks = now
    default: break
    }
    guard let app = line.app else { return }
    if case .event(let deed) = line.body, deed.verb == .addApp { apps.insert(app) }
    if app != lastApp { lastApp = try shared(app, hasClock) }
    line.app = lastApp
  }

  /// Returns the shared text of this app's name.
  private mutating func shared(_ app: String, _ hasClock: Bool) throws(Refusal) -> String {
    if let index = apps.firstIndex(of: app) { return apps[index] }
    // The header may omit the only app of a trace. The header of a trace that a person wrote may
    // omit all apps, which are then numbered in the order of their first lines.
    guard let header, header.apps.isEmpty, apps.isEmpty || !hasClock else {
      throw Refusal("the app '\(app)' is not one of the header's 'apps'")
    }
    apps.insert(app)
    return app
  }
}
