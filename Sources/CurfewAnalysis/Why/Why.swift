package import CurfewEngine
package import CurfewPolicy
package import CurfewTrace

/// Why an app is as it is at an instant: its state, and the chain of causes that led there, from
/// the last that came from outside.
///
/// Made from the lines of a trace alone, so that scenarios, traces of real hosts and recordings
/// of a device share it. What happened beside the chain is left out: other apps are told of only
/// where they caused something.
///
///     let why = try Why("com.example.mail", at: .zero + .seconds(45), in: trace, under: policy)
///     for step in why.chain { print(step) }
package struct Why: Hashable, Sendable {
  /// The app.
  package let app: String
  /// What was looked at: after everything that happens at this instant.
  package let instant: Instant
  /// What the app is then.
  package let state: AppState
  /// Since when.
  package let since: Instant
  /// What led there, in order; nothing for an app that has never run.
  package let chain: [Step]
  /// What was asked for and denied since the app was started or woken last, the last of each kind
  /// and its reasons: what kept it from being started, or from staying.
  package let denials: [Denial]
  /// What keeps it running, in the order in which it was begun.
  package let holdings: [Holding]
  /// What comes of it if nobody does anything more, up to the next change of its state: of an app
  /// that runs in the background, is on its way, or has a session that is put off. Empty where
  /// it stays so; nil of other apps, and where no engine could be asked, as where lines are all
  /// there is.
  package internal(set) var outlook: [Step]?

  /// A cause, or what follows from one.
  package struct Step: Hashable, Sendable {
    /// The place of its line among the trace's, from 1 without the header; what is to come
    /// has none.
    package let line: Int?
    /// When.
    package let instant: Instant
    /// Whose doing it is.
    package let owner: Owner
    /// What happened, a clause about the app, which is called `it`: `the user pressed Home`.
    package let words: String
    /// The rule of the rule book that has it so: `F6`; nil for what is somebody's doing.
    package let rule: String?
    /// The values of the policy, or of a manifest or the device, that say so, each with its place.
    package let facts: [Explanation.Fact]
  }

  /// Whose doing a step is.
  package enum Owner: String, Hashable, Sendable, CaseIterable {
    /// The user's.
    case user
    /// The world's, or the device's: an event that comes in, a battery that runs down.
    case world
    /// The app's own.
    case app
    /// Another app's.
    case otherApp
    /// The system's: it follows from the rules.
    case system
  }

  /// What was denied, how often, and why.
  package struct Denial: Hashable, Sendable {
    /// What was asked for.
    package let kind: KindName
    /// Why not.
    package let reasons: Denials
    /// How often in that time.
    package let count: Int
    /// When first, and when last.
    package let first: Instant, last: Instant
    /// The same reason by reason, of the last.
    package let explanations: [Explanation]
  }

  /// Something that keeps an app running.
  package struct Holding: Hashable, Sendable {
    /// What it is: a task, a session or a wake, by its kind.
    package let kind: KindName
    /// A task's name, or the identifier of the request that a wake came from.
    package let name: String?
    /// A task's number, or a wake's.
    package let number: UInt32?
    /// Since when.
    package let since: Instant
  }

  /// Why it cannot be told.
  package enum Unknown: Error, Hashable, Sendable {
    /// The trace has no such app; those that it has.
    case app(String, known: [String])
    /// The trace ends sooner; `isCut` where it has no end of its own.
    case instant(Instant, end: Instant, isCut: Bool)
  }
}

extension Why {
  /// Why `app` is as it is at `instant`; without one, at its last line: the end of its life, where
  /// it has one.
  ///
  /// - Parameters:
  ///   - trace: What happened.
  ///   - policy: The policy that it happened under, whose values say why.
  /// - Throws: What the trace does not know.
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
  /// The instant that is meant: the one that is given, or that of the app's last line, or the end
  /// where it has none.
  /// - Throws: Where the trace has no such app, or ends before it.
  package func instant(_ instant: Instant?, toAskOf app: String) throws(Why.Unknown) -> Instant {
    let known = appNames
    guard known.contains(app) else { throw .app(app, known: known) }
    let end = lines.last?.time ?? .zero
    guard let instant else { return lines.last { $0.app == app }?.time ?? end }
    guard instant <= end else { throw .instant(instant, end: end, isCut: lines.last?.body != .end) }
    return instant
  }

  /// Every app that it names, in order.
  package var appNames: [String] {
    var names = header.apps
    var seen = Set(names)
    for case let name? in lines.lazy.map(\.app) where seen.insert(name).inserted {
      names.append(name)
    }
    return names + header.manifests.keys.sorted().filter { !seen.contains($0) }
  }
}
