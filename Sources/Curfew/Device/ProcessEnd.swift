public import CurfewEngine
public import CurfewPolicy

/// The end of an app's process: when, why, and what it left open.
public struct ProcessEnd: Sendable {
  /// The app's name.
  public let app: String
  /// When.
  public let instant: Instant
  /// Why, in MetricKit's words.
  public let reason: TerminationReason
  /// The code that a crash report would have, where there is one.
  public let code: TerminationCode?
  /// The callback that overran, for a watchdog's kill.
  public let callback: Callback?
  /// The kind of assertion that ran out; `finiteTask` for a grant.
  public let kind: KindName?
  /// How late its warning was decided, where the host came so late that the grant, or the wake, was
  /// over by then: nobody was warned in time (rules F6, W6). nil for any other end, and always on
  /// a virtual clock.
  public let late: Duration?
  /// The tasks that it held open, in the order in which they were begun.
  public let openTasks: [OpenTask]
  /// What a thrown error said that ended it.
  public let error: String?
  /// What ended it, and where that is written.
  public let explanation: Explanation
  /// How the engine came to it.
  package let making: Making

  /// The same in words: `tasks.grant is 30s (Policies/ios13.yaml:11:18, documented)`.
  public var because: String { explanation.because }
}

/// When and by whom something was decided, which a load test wants to know.
package struct Making: Hashable, Sendable {
  /// The clock, read once more when the engine had decided; on a virtual clock the instant itself.
  package let decided: Instant
  /// Whether the clock's own tick found it due, and not somebody's call just then.
  package let isByTick: Bool
}

/// A background task that its app has not ended.
public struct OpenTask: Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// The task's.
  public let name: String
  /// What `beginBackgroundTask` answered.
  public let identifier: BackgroundTaskIdentifier
  /// How long it had been open.
  public let age: Duration
  /// Who began it (rule F6).
  public let origin: CallSite
}

/// A place in a program.
public struct CallSite: Hashable, Sendable, CustomStringConvertible {
  /// As it stands in the program: a place is noted with every task, and read of few.
  private let file: StaticString
  private let toldLine: Int
  /// Where a call through a protocol came from, whose methods do not tell it.
  private let caller: (any CallerPlace)?

  /// From 1; 0 where nobody knows.
  public var line: Int { caller?.location?.line ?? toldLine }

  /// Module and file, as `#fileID` has them; empty where nobody knows.
  public var fileID: String { caller?.location?.fileID ?? "\(file)" }

  /// `Mail/Uploader.swift:12`, or `an unknown place`, with the reason if it is that the program has
  /// no debug information.
  public var description: String {
    if self == .unknown {
      return "an unknown place" + (caller == nil ? "" : " (no debug information)")
    }
    return "\(fileID):\(line)"
  }

  /// Of a call through a protocol whose methods do not tell it.
  package static let unknown = CallSite("", 0)

  init(_ fileID: StaticString, _ line: UInt) { (file, toldLine, caller) = (fileID, Int(line), nil) }

  /// The place of such a call, in a test whose stack can be read.
  init(_ caller: any CallerPlace) { (file, toldLine, self.caller) = ("", 0, caller) }

  /// Whether both name the same place.
  public static func == (a: CallSite, b: CallSite) -> Bool {
    a.line == b.line && a.fileID == b.fileID
  }

  /// Feeds file and line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fileID)
    hasher.combine(line)
  }
}

/// Whether something may run in the background, and if not every reason.
public struct Decision: Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// When.
  public let instant: Instant
  /// What was asked for.
  public let kind: KindName
  /// What denied it; empty if it was allowed.
  public let reasons: Denials
  /// How long until a budget or an interval allows it again, where they denied it and that
  /// is known.
  public let retryAfter: Duration?
  /// For each reason what says so, where that is written, and what would change it; empty if it
  /// was allowed.
  public let explanations: [Explanation]

  /// Whether it may.
  public var isAllowed: Bool { reasons.isEmpty }

  /// The explanations in words, one text for each reason.
  public var explanation: [String] { explanations.map(\.description) }
}
