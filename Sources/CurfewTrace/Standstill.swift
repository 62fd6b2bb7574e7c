public import CurfewEngine
import CurfewPolicy
import CurfewText

/// The reason why time stands still in a run: apps answer a callback by causing it again at
/// the same instant (rule C4).
public struct Standstill: Hashable, Sendable {
  /// The steps that an app takes whenever a callback is called.
  public struct Answer: Hashable, Sendable {
    /// The app's name.
    public let app: String
    /// The callback; nil if the app acts by itself, for example at the end of its work.
    public let callback: AppCall?
    /// The steps, each word once; empty if the app only schedules something again.
    public let steps: [InputVerb]

    /// Creates an answer.
    package init(app: String, callback: AppCall?, steps: [InputVerb]) {
      (self.app, self.callback, self.steps) = (app, callback, steps)
    }
  }

  /// The instant at which time stands still.
  public let instant: Instant
  /// The answers that cause each other, in order.
  public let answers: [Answer]

  /// Converts a driver's standstill: names replace the numbers of apps.
  ///
  /// - Parameters:
  ///   - app: Returns the name of an app.
  ///   - planner: Returns the name of the app for which the host has planned something under this
  ///     number, if the host knows it.
  package init(
    _ found: Driver.Standstill, app: (AppID) -> String, planner: (UInt32) -> String? = { _ in nil }
  ) {
    instant = found.instant
    answers = found.answers.compactMap { answer in
      let verbs = answer.events.map(\.verb).reduce(into: [InputVerb]()) {
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
  /// The clause about this answer in a sentence.
  fileprivate func clause(after last: Standstill.Answer?) -> String {
    let words = steps.isEmpty ? "something" : steps.map(\.name).joined(separator: ", ")
    guard let callback else {
      return last?.app == app
        ? " and then \(words)" : "\(last == nil ? "" : ", and ")'\(app)' does \(words) by itself"
    }
    return
      "\(last == nil ? "" : ", and ")'\(app)' does \(words) whenever \(callback.fileName) is called"
  }
}
