public import CurfewEngine
import CurfewPolicy
import CurfewText

/// Why time stands still in a run: apps answer what they are called with by causing it again at the
/// same instant (rule C4).
public struct Standstill: Hashable, Sendable {
  /// An app's steps whenever one callback is called.
  public struct Answer: Hashable, Sendable {
    /// The app's name.
    public let app: String
    /// The callback; nil if the app acts by itself, at the end of its work for example.
    public let callback: Moment?
    /// Its steps, each word once; none if it only sets off something anew.
    public let steps: [Verb]

    /// An answer of these parts.
    package init(app: String, callback: Moment?, steps: [Verb]) {
      (self.app, self.callback, self.steps) = (app, callback, steps)
    }
  }

  /// Where time stands still.
  public let instant: Instant
  /// The answers that cause one another, in order.
  public let answers: [Answer]

  /// A driver's standstill in names.
  ///
  /// - Parameters:
  ///   - app: The name of an app.
  ///   - planner: The name of the app for which the host has planned something under this number,
  ///     if the host knows it.
  package init(
    _ found: Driver.Standstill, app: (AppID) -> String, planner: (UInt32) -> String? = { _ in nil }
  ) {
    instant = found.instant
    answers = found.answers.compactMap { answer in
      let verbs = answer.events.map(\.verb).reduce(into: [Verb]()) {
        if !$0.contains($1) { $0.append($1) }
      }
      switch answer.cause {
      case .called(let caller, let moment):
        return Answer(app: app(caller), callback: moment, steps: verbs)
      case .due(let number):
        let name = planner(number) ?? answer.events.lazy.compactMap(\.app).first.map(app)
        return name.map { Answer(app: $0, callback: nil, steps: verbs) }
      }
    }
  }
}

extension Standstill: CustomStringConvertible {
  /// `time stands still at 6h: 'up' does stopSession, startSession whenever
  /// sessionExpirationHandler is called`.
  public var description: String {
    let clauses = answers.enumerated().map { index, answer in
      answer.clause(after: index > 0 ? answers[index - 1] : nil)
    }
    let cause =
      clauses.isEmpty ? "steps that no app has caused cause one another" : clauses.joined()
    return "time stands still at \(HumanTime.text(instant)): \(cause)"
  }
}

extension Standstill.Answer {
  /// In a sentence of them.
  fileprivate func clause(after last: Standstill.Answer?) -> String {
    let words = steps.isEmpty ? "something" : steps.map(\.name).joined(separator: ", ")
    guard let callback else {
      return last?.app == app
        ? " and then \(words)" : "\(last == nil ? "" : ", and ")'\(app)' does \(words) of itself"
    }
    return
      "\(last == nil ? "" : ", and ")'\(app)' does \(words) whenever \(callback.fileName) is called"
  }
}
