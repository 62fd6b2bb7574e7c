/// Why a text does not mean what it should; what a person is told after the place.
package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence, without a full stop.
  package let message: String

  /// Where it is a word that nobody knows: that word.
  package let unknownWord: String?

  package init(_ message: String, unknownWord: String? = nil) {
    (self.message, self.unknownWord) = (message, unknownWord)
  }

  /// The message.
  package var description: String { message }
}

/// Durations as files write them: `250ms`, `30s`, `10m`, `2h`, `7d`, `1h30m`, `1h 30m`.
package enum DurationText {
  package static var rule: String { Units.time.rule }

  /// How many nanoseconds `text` means.
  package static func nanoseconds(in text: String) throws(Refusal) -> Int64 {
    do {
      return try Units.time.read(text)
    } catch {
      guard text.first?.isDigit == true,
        let odd = text.first(where: { !$0.isLetter && !$0.isDigit && $0 != " " })
      else { throw error }
      throw Refusal("'\(text)' is not \(odd == "." ? "whole" : "a duration"); \(rule)")
    }
  }

  /// So many nanoseconds in the longest unit that leaves a whole number: `30s`, `1500ms`, `0s`.
  package static func text(ofNanoseconds nanoseconds: Int64) -> String {
    let (count, unit) = Units.time.whole(nanoseconds)
    return count == 0 ? "0s" : "\(count)\(unit)"
  }

  /// A duration's text in three digits, as a person reads it: `36.6s` for `36601ms`; another text
  /// as it is.
  package static func readable(_ text: String) -> String {
    (try? nanoseconds(in: text)).map { HumanTime.rounded($0) } ?? text
  }
}
