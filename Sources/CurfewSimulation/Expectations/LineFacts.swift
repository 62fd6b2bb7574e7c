import CurfewEngine
import CurfewText
import CurfewTrace

/// The values of a line that expectations are compared with.
struct LineFacts {
  /// The `event` of a task whose begin returned 0. A line shows this only by the task's number, 0,
  /// which an author of an expectation would not think of.
  static let invalid = "invalid"

  let line: TraceLine
  let keys: LineKeys

  init?(_ line: TraceLine) {
    guard let keys = LineKeys(line) else { return nil }
    (self.line, self.keys) = (line, keys)
  }

  /// The value under `key`. Lists are sorted, because no expectation asks for an order.
  subscript(key: String) -> Plain? {
    if key == "event", case .task(.begin, .invalid, _) = line.body {
      return .text(LineFacts.invalid)
    }
    return keys[key]?.unordered
  }

  /// The number of values in `pattern` that this line does not have.
  func differences(from pattern: LinePattern) -> Int {
    pattern.values.count { self[$0.key] != $0.value }
  }
}

extension Plain {
  /// A list sorted by its words; other values are unchanged.
  var unordered: Plain { if case .texts(let texts) = self { .texts(texts.sorted()) } else { self } }
}
