import CurfewEngine
import CurfewPolicy
import CurfewText

/// A line as a person reads it.
package struct LineWords: Sendable {
  /// What happened, in a tone that a terminal may show.
  package var text: String
  package var tone: Tone
  /// What belongs to it, in no tone.
  package var rest: String

  /// How much it matters.
  package enum Tone: Sendable { case deed, plain, remark, refusal }

  init(_ text: String, _ tone: Tone = .plain, rest: String = "") {
    (self.text, self.tone, self.rest) = (text, tone, rest)
  }
}

extension TraceLine {
  /// Its words; callbacks are called by `names`.
  package func words(_ names: CallbackNames) -> LineWords {
    var values = LineValues()
    switch body {
    case .event(let deed): return LineWords("\(deed)", .deed)
    case .callback(let callback): return LineWords(names.name(of: callback))
    default: return LineType.of(body, &values)?.words(values) ?? LineWords("")
    }
  }
}

// What several words are made of.

extension LineValues {
  var quotedName: String { "'\(name ?? "")'" }

  /// What a process has left open, and how long that was.
  var leaks: String { tasks == nil ? "" : ", left open: " + openTasks }

  /// Whether the host was too late to warn of a process's end.
  var lateness: String {
    late.map { ", the host came \(HumanTime.rounded($0.nanoseconds)) too late to warn" } ?? ""
  }

  /// Tasks by their names, and how long they have been open.
  var openTasks: String {
    (tasks ?? []).enumerated().map { index, name in
      "'\(name)'" + (index < ages.count ? ", begun \(HumanTime.text(ages[index])) ago" : "")
    }.joined(separator: "; ")
  }
}

extension RequestWord {
  var words: String {
    switch self {
    case .submit: "submitted"
    case .replace: "submitted, in the place of the one before"
    case .start: "starts"
    case .cancel: "cancelled"
    case .refused: "refused"
    }
  }
}

extension TraceLine.WakeChange {
  var words: String {
    switch self {
    case .begin: "delivered"
    case .complete: "completed"
    case .warning: "about to end: expiration handler"
    case .overrun: "not completed in its time"
    case .overBudget: "not completed, and its budget is used up"
    }
  }
}
