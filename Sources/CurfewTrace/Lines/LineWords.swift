import CurfewEngine
import CurfewPolicy
import CurfewText

/// A line in words.
package struct LineWords: Sendable {
  /// The main text, in a tone that a terminal may show.
  package var text: String
  package var tone: Tone
  /// The details, without a tone.
  package var rest: String

  /// The weight of the text.
  package enum Tone: Sendable { case deed, plain, remark, refusal }

  init(_ text: String, _ tone: Tone = .plain, rest: String = "") {
    (self.text, self.tone, self.rest) = (text, tone, rest)
  }
}

extension TraceLine {
  /// The line in words; callbacks have the names of `names`.
  package func words(_ names: CallbackNames) -> LineWords {
    var values = LineValues()
    switch body {
    case .event(let deed): return LineWords("\(deed)", .deed)
    case .callback(let callback): return LineWords(names.name(of: callback))
    default: return LineType.of(body, &values)?.words(values) ?? LineWords("")
    }
  }
}

// Parts that several texts share.

extension LineValues {
  var quotedName: String { "'\(name ?? "")'" }

  /// The tasks that a process has left open, with their ages.
  var leaks: String { tasks == nil ? "" : ", left open: " + openTasks }

  /// Words about a host that was too late to warn of a process's end.
  var lateness: String {
    late.map { ", the host came \(HumanTime.rounded($0.nanoseconds)) too late to warn" } ?? ""
  }

  /// The names of the tasks, with their ages.
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
    case .replace: "submitted, replacing the earlier one"
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
    case .unhandled: "about to end, without an expiration handler: ended, unsuccessful"
    }
  }
}
