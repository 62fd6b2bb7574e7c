public import CurfewEngine
public import CurfewPolicy

/// The end of an app's process: the instant, the reason, and the tasks that were open.
public struct ProcessEnd: Sendable {
  /// The app's name.
  public let app: String
  /// The instant of the end.
  public let instant: Instant
  /// The reason, in MetricKit's terms.
  public let reason: TerminationReason
  /// The code that a crash report would have, if it has one.
  public let code: TerminationCode?
  /// The callback that overran, if the watchdog terminated the process.
  public let callback: Callback?
  /// The kind of assertion that overran; `finiteTask` for a grant.
  public let kind: KindName?
  /// The delay of the decision to warn, if the host was so late that the grant or the wake was
  /// already over and the app was not warned in time (rules F6, W6). nil for any other end,
  /// and always on a virtual clock.
  public let late: Duration?
  /// The status, the signal or the error, if the end has one (rule D2).
  public let exit: ExitDetail?
  /// The process's open tasks, in the order in which they were begun.
  public let openTasks: [OpenTask]
  /// The text of the thrown error or of the exception that ended the process, if any.
  public let error: String?
  /// The places at which the process's threads were blocked in a virtual test, and the jobs of
  /// its main thread that waited behind them.
  let blocked: (any BlockedPlaces)?
  /// The process's blocked threads, and the jobs of its main thread that waited, one per line:
  /// "a thread waits in Client.expire() at /path/Client.swift:31". Empty if no thread was blocked,
  /// or without virtual time for Swift's concurrency (module `CurfewTesting`).
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  public var blockedPlaces: [String] { blocked?.lines ?? [] }
  /// The cause, with the place where it is written.
  public let explanation: Explanation
  /// The instant and cause of the engine's decision.
  package let making: Making

  /// The cause in words: `tasks.grant is 30s (Policies/ios13.yaml:12:18, documented)`. If an error
  /// or an exception has ended the process, its text, followed by the value of the policy that
  /// made it an end, if there is one.
  public var because: String {
    guard let error else { return explanation.because }
    return explanation.fact.owner == .policy ? "\(error), and \(explanation.because)" : error
  }
}

/// The instant and cause of a decision, as a load test measures them.
package struct Making: Hashable, Sendable {
  /// The time of the clock after the engine had decided; on a virtual clock the instant of
  /// the decision.
  package let decided: Instant
  /// Whether the clock's own tick found the decision due; false if a call did.
  package let isByTick: Bool
}

/// A background task that its app has not ended.
public struct OpenTask: Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// The task's name.
  public let name: String
  /// The identifier that `beginBackgroundTask` returned.
  public let identifier: BackgroundTaskIdentifier
  /// The time for which the task had been open.
  public let age: Duration
  /// The place that began the task (rule F6).
  public let origin: CallSite
}

/// A place in a program.
public struct CallSite: Hashable, Sendable, CustomStringConvertible {
  /// Stored as literals, because a place is noted with every task, but few places are ever read.
  private let file: StaticString
  private let toldLine: Int
  /// The caller found in the stack; only for a call through a protocol whose methods do not pass
  /// the place.
  private let caller: (any CallerPlace)?

  /// The line, counted from 1; 0 if unknown.
  public var line: Int { caller?.location?.line ?? toldLine }

  /// Module and file, as in `#fileID`; empty if unknown.
  public var fileID: String { caller?.location?.fileID ?? "\(file)" }

  /// `Mail/Uploader.swift:12`, or `an unknown place`. If the program has no debug information,
  /// the text says so.
  public var description: String {
    if self == .unknown {
      return "an unknown place" + (caller == nil ? "" : " (no debug information)")
    }
    return "\(fileID):\(line)"
  }

  /// The call site of a call through a protocol whose methods do not pass it.
  package static let unknown = CallSite("", 0)

  init(_ fileID: StaticString, _ line: UInt) { (file, toldLine, caller) = (fileID, Int(line), nil) }

  /// The call site of such a call, in a test whose stack can be read.
  init(_ caller: any CallerPlace) { (file, toldLine, self.caller) = ("", 0, caller) }

  /// Whether both are the same place.
  public static func == (a: CallSite, b: CallSite) -> Bool {
    a.line == b.line && a.fileID == b.fileID
  }

  /// Hashes file and line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fileID)
    hasher.combine(line)
  }
}

/// A decision whether an app may run in the background, with every reason against it.
public struct Decision: Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// The instant of the decision.
  public let instant: Instant
  /// The kind that was requested.
  public let kind: KindName
  /// The reasons of the denial; empty if the request was allowed.
  public let reasons: Denials
  /// The time until a budget or an interval allows the request again; nil unless a budget or an
  /// interval denied it and the time is known.
  public let retryAfter: Duration?
  /// For each reason, the cause, the place where it is written, and the change that would remove
  /// the reason; empty if the request was allowed.
  public let explanations: [Explanation]

  /// Whether the request was allowed.
  public var isAllowed: Bool { reasons.isEmpty }

  /// The explanations in words, one text for each reason.
  public var explanation: [String] { explanations.map(\.description) }
}
