internal import Foundation

extension Trace {
  /// Reads a trace file: a header, then a line for each event and action. Keys that this version does not know are ignored.
  ///
  /// - Throws: Every line that could not be read, with its place.
  public static func decode(_ source: SourceFile) throws(FileErrors) -> Trace {
    let decoder = JSONDecoder()
    var header: TraceHeader?
    var lines: [TraceLine] = []
    var problems: [FileDiagnostic] = []
    for (index, text) in source.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where !text.isEmpty {
      let place = SourcePlace(file: source.name, line: index + 1, column: 1)
      do {
        let data = Data(text.utf8)
        if header == nil {
          header = try decoder.decode(RawHeader.self, from: data).header()
        } else {
          lines.append(try decoder.decode(RawLine.self, from: data).line())
        }
      } catch let refusal as Refusal {
        problems.append(FileDiagnostic(at: place, refusal.message))
      } catch {
        problems.append(FileDiagnostic(at: place, "not a trace's line: \(text.prefix(60))"))
      }
      if header == nil { break }  // whatever else the file is, it is no trace
      guard problems.count < 20 else { break }
    }
    if header == nil, problems.isEmpty {
      problems.append(FileDiagnostic(file: source.name, "a trace begins with a header line; this file is empty"))
    }
    guard let header, problems.isEmpty else { throw FileErrors(problems) }
    return Trace(header: header, lines: lines)
  }
}

/// An object of a trace as it is written, with all its keys optional.
protocol RawObject: Decodable {}

extension RawObject {
  /// The value of a key that must be there.
  func need<Value>(_ value: Value?, _ key: String) throws(Refusal) -> Value {
    guard let value else { throw Refusal("the key '\(key)' is missing") }
    return value
  }

  /// The value that `text`, under `key`, is the name of.
  func named<Value: FileNamed>(_ text: String?, _ key: String) throws(Refusal) -> Value {
    guard let value = Value(fileName: try need(text, key)) else { throw unknown(text, key) }
    return value
  }

  func unknown(_ text: String?, _ key: String) -> Refusal {
    Refusal("'\(key)' has the unknown value '\(text ?? "")'")
  }
}
