/// The reason why a text is invalid; errors show it after the place.
package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence, without a full stop.
  package let message: String

  /// The unknown word, if that is the reason.
  package let unknownWord: String?

  package init(_ message: String, unknownWord: String? = nil) {
    (self.message, self.unknownWord) = (message, unknownWord)
  }

  /// The message.
  package var description: String { message }
}

/// Durations as written in files: `250ms`, `30s`, `10m`, `2h`, `7d`, `1h30m`, `1h 30m`.
package enum DurationText {
  package static var rule: String { Units.time.rule }

  /// The number of nanoseconds that `text` means.
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

  /// The nanoseconds as text, in the longest unit that leaves a whole number: `30s`,
  /// `1500ms`, `0s`.
  package static func text(ofNanoseconds nanoseconds: Int64) -> String {
    let (count, unit) = Units.time.whole(nanoseconds)
    return count == 0 ? "0s" : "\(count)\(unit)"
  }

  /// Returns a duration's text rounded to three digits, for people: `36.6s` for `36601ms`. Any
  /// other text is returned unchanged.
  package static func readable(_ text: String) -> String {
    (try? nanoseconds(in: text)).map { HumanTime.rounded($0) } ?? text
  }
}
