import CurfewEngine
import CurfewPolicy
import CurfewText

/// The change to a request, without its reason.
enum RequestWord: String, CaseIterable, FileNamed {
  case submit, replace, start, cancel, refused

  var fileName: String { rawValue }

  init(_ change: RequestChange) {
    switch change {
    case .submitted: self = .submit
    case .replaced: self = .replace
    case .started: self = .start
    case .cancelled: self = .cancel
    case .refused: self = .refused
    }
  }
}

extension TraceLine.TaskChange: FileNamed {
  /// The name in files.
  package var fileName: String { rawValue }
}

extension TraceLine.WakeChange: FileNamed {
  /// The name in files.
  package var fileName: String { rawValue }

  /// The change of a wake that reached this limit.
  init(_ limit: RunLimit) {
    switch limit {
    case .length: self = .overrun
    case .budget: self = .overBudget
    case .warning: self = .unhandled
    }
  }
}

extension TraceLine.SessionChange: FileNamed {
  /// The name in files.
  package var fileName: String { rawValue }

  init(_ change: SessionChange) {
    switch change {
    case .began: self = .begin
    case .ended: self = .end
    case .denied: self = .denied
    case .overran: self = .overrun
    case .overBudget: self = .overBudget
    case .deferred: self = .defer
    case .renewed: self = .renew
    }
  }

  /// The change in words.
  var words: String {
    switch self {
    case .begin: "on"
    case .end: "off"
    case .denied: "denied"
    case .warning: "expiration handler"
    case .overrun: "overran"
    case .overBudget: "used up its budget"
    case .defer: "deferred"
    case .renew: "renewed"
    }
  }
}

extension Notation<Instant> {
  static var instant: Notation {
    Notation(.wholeNumber(0...Int64.max)) { plain in
      if case .number(let number) = plain { Instant(nanoseconds: number) } else { nil }
    } write: {
      .number($0.nanoseconds)
    }
  }
}

extension Notation<Interval> {
  /// Nanoseconds: the notation in traces for times that an app reads.
  static var nanoseconds: Notation {
    Notation(.wholeNumber(0...Int64.max)) { plain in
      if case .number(let number) = plain { Interval(nanoseconds: number) } else { nil }
    } write: {
      .number($0.nanoseconds)
    }
  }
}

extension Notation<TaskID> {
  static var task: Notation {
    Notation(.wholeNumber(0...Int64(UInt32.max))) { plain throws(Refusal) in
      guard case .number(let number) = plain else { throw Refusal("'task' must be a number here") }
      return UInt32(exactly: number).map(TaskID.init)
    } write: {
      .number(Int64($0.rawValue))
    }
  }
}

extension Notation<WakeID> {
  static var wake: Notation {
    Notation(.wholeNumber(1...Int64(UInt32.max))) { plain throws(Refusal) in
      guard case .number(let number) = plain else { throw Refusal("'wake' must be a number") }
      guard let id = UInt32(exactly: number), id > 0 else {
        throw Refusal("wakes are numbered from 1, found \(number)")
      }
      return WakeID(rawValue: id)
    } write: {
      .number(Int64($0.rawValue))
    }
  }
}

extension Notation<TraceLine.DeliveredCallback> {
  /// Reads a name of either vocabulary, and writes UIKit's name.
  static var callback: Notation {
    Notation(
      .text,
      text: { name throws(Refusal) in
        guard let callback = CallbackNames.callback(named: name) else {
          throw Refusal("there is no callback '\(name)'")
        }
        return callback
      }, { CallbackNames.uikit.name(of: $0) })
  }
}

extension Notation<Int64> {
  static var number: Notation {
    Notation(.wholeNumber(0...Int64.max)) { plain in
      if case .number(let number) = plain { number } else { nil }
    } write: {
      .number($0)
    }
  }
}
