package import CurfewEngine
public import CurfewText

/// What a scenario says must come of it: a line under its `expect:`. (Swift Testing has an
/// `Expectation` of its own.)
public struct ScenarioExpectation: Sendable {
  /// Where it is written.
  public let place: SourcePlace
  /// As it is written, in one line: `{at: 33s, app: com.example.mail, expiration: upload}`.
  public let text: String
  /// When; nil for whenever.
  package let at: Span<Instant>?
  /// Whose; nil for anybody's.
  package let app: String?
  /// Which lines of the run it is about.
  package let lines: LinePattern
  /// What is to be so of them.
  package let claim: Claim

  /// What an expectation says of the lines that it is about.
  package enum Claim: Hashable, Sendable {
    /// There is one.
    case happens
    /// There are so many.
    case counts(Span<Int64>)
    /// The app is in this state, at each of the instants.
    case holds(state: String)
  }
}

/// Lines of a run that are alike in some of what they say.
package struct LinePattern: Sendable {
  /// Their `type`.
  package let type: String
  /// The key that says what a line is about.
  package let subject: String
  /// What a line has under these keys; nil for nothing.
  package let values: [(key: String, value: Plain?)]
}
