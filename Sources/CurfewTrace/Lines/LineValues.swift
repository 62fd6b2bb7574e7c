public import CurfewEngine
import CurfewManifest
import CurfewText

/// The values of a line of any type but an event's: what its keys are read into and written from. Which of them a type has, its row in the table says.
struct LineValues {
  var from: AppState?
  var to: AppState?
  var callback: TraceLine.DeliveredCallback?
  var taskChange: TraceLine.TaskChange?
  var wakeChange: TraceLine.WakeChange?
  var sessionChange: SessionChange?
  var requestChange: RequestWord?
  var fate: LocalNotificationFate?
  var task: TaskID?
  var name: String?
  var value: String?
  var id: String?
  var kind: AssertionKind?
  var reason: ExpirationReason?
  var end: TerminationReason?
  var error: TaskRequestError?
  var allowed: Bool?
  var reasons: DenialReasons?
  var due: Instant?
  var next: Instant?
  var state: AppState?
  var remaining: Interval?
  var code: TerminationCode?
  var tasks: [String]?
  /// How old they are; not in the line.
  var ages: [Interval] = []
  var diagnostic: Diagnostic?
  var verb: String?
  var dropped: Int64?

  /// The value of a key that must be there: reading has seen to it.
  func need<Value>(_ path: KeyPath<LineValues, Value?>) -> Value {
    guard let value = self[keyPath: path] else { preconditionFailure("A line lacks a value that its row needs") }
    return value
  }
}

/// What became of a request, without why.
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
  public var fileName: String { rawValue }
}

extension TraceLine.WakeChange: FileNamed {
  /// The name in files.
  public var fileName: String { rawValue }
}

extension SessionChange: FileNamed, CaseIterable {
  /// The name in files.
  public var fileName: String {
    switch self {
    case .began: "begin"
    case .ended: "end"
    case .denied: "denied"
    }
  }

  /// Every value, in order.
  public static var allCases: [SessionChange] { [.began, .ended, .denied] }
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
  /// In nanoseconds, as traces have what an app reads.
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
      guard case .number(let number) = plain else { throw Refusal("'task' is a number here") }
      return UInt32(exactly: number).map(TaskID.init)
    } write: {
      .number(Int64($0.rawValue))
    }
  }
}

extension Notation<TraceLine.DeliveredCallback> {
  /// In either vocabulary; written in UIKit's.
  static var callback: Notation {
    Notation(
      .text,
      text: { name throws(Refusal) in
        guard let callback = CallbackNames.callback(named: name) else { throw Refusal("no callback is called '\(name)'") }
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
