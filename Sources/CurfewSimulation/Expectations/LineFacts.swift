import CurfewEngine
import CurfewText
import CurfewTrace

/// What expectations look at in a line.
struct LineFacts {
  /// What becomes of a task that is answered 0: lines have the number for it, and nobody would look
  /// for that.
  static let invalid = "invalid"

  let line: TraceLine
  let keys: LineKeys

  init?(_ line: TraceLine) {
    guard let keys = LineKeys(line) else { return nil }
    (self.line, self.keys) = (line, keys)
  }

  /// What stands under `key`; lists are in order of their words, for no expectation asks
  /// for another.
  subscript(key: String) -> Plain? {
    if key == "event", case .task(.begin, .invalid, _) = line.body {
      return .text(LineFacts.invalid)
    }
    return keys[key]?.unordered
  }

  /// How many of what `pattern` asks for are otherwise.
  func differences(from pattern: LinePattern) -> Int {
    pattern.values.count { self[$0.key] != $0.value }
  }
}

extension Plain {
  /// A list in order of its words; anything else as it is.
  var unordered: Plain { if case .texts(let texts) = self { .texts(texts.sorted()) } else { self } }
}
