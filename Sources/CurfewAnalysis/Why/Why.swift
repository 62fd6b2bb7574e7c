package import CurfewEngine
package import CurfewPolicy
package import CurfewTrace

/// Explains an app's state at an instant: the chain of causes that led to the state, from the
/// newest outside event.
///
/// The explanation uses only the lines of a trace, so it works for scenarios, traces of real hosts
/// and recordings of a device. Events outside the chain are left out; other apps appear only if
/// they caused a step.
///
///     let why = try Why("com.example.mail", at: .zero + .seconds(45), in: trace, under: policy)
///     for step in why.chain { print(step) }
package struct Why: Hashable, Sendable {
  /// The app.
  package let app: String
  /// The instant that is explained, after everything that happens at it.
  package let instant: Instant
  /// The app's state at that instant.
  package let state: AppState
  /// The instant at which the state began.
  package let since: Instant
  /// The steps that led to the state, in order; empty for an app that has never run.
  package let chain: [Step]
  /// The denials, since the app was last launched or woken, that kept it from starting or from
  /// continuing: for each kind and its reasons, the last denial.
  package let denials: [Denial]
  /// The assertions that keep the app running, in the order in which they began.
  package let holdings: [Holding]
  /// The steps up to the app's next change of state if nothing more happens from outside. Computed
  /// for an app that runs in the background, is inactive, or has a deferred session; empty if
  /// the state lasts. Nil for other apps, and if the lines are available but no engine is.
  package internal(set) var outlook: [Step]?

  /// A cause or a consequence.
  package struct Step: Hashable, Sendable {
    /// The number of its line in the trace, counted from 1 without the header; nil for
    /// a future step.
    package let line: Int?
    /// The instant of the step.
    package let instant: Instant
    /// The actor behind the step.
    package let owner: Owner
    /// A clause about the app, which is called `it`: `the user pressed Home`.
    package let words: String
    /// The rule of the rule book that the step follows from: `F6`; nil for an actor's own action.
    package let rule: String?
    /// The values of the policy, a manifest or the device behind the step, each with its place.
    package let facts: [Explanation.Fact]
  }

  /// The actor behind a step.
  package enum Owner: String, Hashable, Sendable, CaseIterable {
    /// The user.
    case user
    /// The world or the device: a delivered event, a battery that runs down.
    case world
    /// The app itself.
    case app
    /// Another app.
    case otherApp
    /// The system: the step follows from the rules.
    case system
  }

  /// A kind that was denied, how often, and for which reasons.
  package struct Denial: Hashable, Sendable {
    /// The kind that was asked for.
    package let kind: KindName
    /// The reasons of the denial.
    package let reasons: Denials
    /// The number of denials since the app was last launched or woken.
    package let count: Int
    /// The instants of the first and the last denial.
    package let first: Instant, last: Instant
    /// The explanations of the last denial, one for each reason.
    package let explanations: [Explanation]
  }

  /// An assertion that keeps an app running.
  package struct Holding: Hashable, Sendable {
    /// The kind: a task, a session or a wake.
    package let kind: KindName
    /// The task's name, or the identifier of the request that the wake came from.
    package let name: String?
    /// The number of the task or the wake.
    package let number: UInt32?
    /// The instant at which it began.
    package let since: Instant
  }

  /// The reason why the trace cannot answer the question.
  package enum Unknown: Error, Hashable, Sendable {
    /// The trace has no such app; `known` are the apps that it has.
    case app(String, known: [String])
    /// The trace ends before the instant; `isCut` if it is not whole.
    case instant(Instant, end: Instant, isCut: Bool)
  }
}

extension Why {
  /// Explains the state of `app` at `instant`; without an instant, at the app's last line.
  ///
  /// - Parameters:
  ///   - trace: The trace of the run.
  ///   - policy: The policy of the run, whose values explain it.
  /// - Throws: The app or instant that the trace does not have.
  /// - Complexity: O(lines).
  package init(_ app: String, at instant: Instant? = nil, in trace: Trace, under policy: PolicyFile)
    throws(Unknown)
  {
    let end = try trace.instant(instant, toAskOf: app)
    var reading = WhyReading(app, policy, TraceExplanations(policy: policy, header: trace.header))
    for line in trace.lines where line.time <= end { reading.add(line) }
    self = reading.why(at: end)
  }
}

extension Trace {
  /// The instant to explain: `instant` if given, otherwise that of the app's last line, or the
  /// trace's end if the app has no line.
  /// - Throws: An error if the trace has no such app, or ends before `instant`.
  package func instant(_ instant: Instant?, toAskOf app: String) throws(Why.Unknown) -> Instant {
    let known = appNames
    guard known.contains(app) else { throw .app(app, known: known) }
    let end = lines.last?.time ?? .zero
    guard let instant else { return lines.last { $0.app == app }?.time ?? end }
    guard instant <= end else { throw .instant(instant, end: end, isCut: !isWhole) }
    return instant
  }

  /// The names of all apps in the trace, in order.
  package var appNames: [String] {
    var names = header.apps
    var seen = Set(names)
    for case let name? in lines.lazy.map(\.app) where seen.insert(name).inserted {
      names.append(name)
    }
    return names + header.manifests.keys.sorted().filter { !seen.contains($0) }
  }
}
