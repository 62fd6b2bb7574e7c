package import CurfewEngine
public import CurfewText

/// An entry of a scenario's `expect:` list. (Swift Testing has an `Expectation` of its own.)
public struct ScenarioExpectation: Sendable {
  /// The place in the file.
  public let place: SourcePlace
  /// The text of the expectation,
  /// in one line: `{at: 33s, app: com.example.mail, expiration: upload}`.
  public let text: String
  /// The expected time; nil for any time.
  package let at: Span<Instant>?
  /// The expected app; nil for any app.
  package let app: String?
  /// The lines that the expectation is about.
  package let lines: LinePattern
  /// The claim about these lines.
  package let claim: Claim

  /// A claim about the lines that match.
  package enum Claim: Hashable, Sendable {
    /// At least one line matches.
    case happens
    /// The number of matching lines lies in this span.
    case counts(Span<Int64>)
    /// The app is in this state at each of the instants.
    case holds(state: String)
  }
}

/// A pattern that lines of a run are matched against.
package struct LinePattern: Sendable {
  /// The `type` of the lines.
  package let type: String
  /// The key that names the subject of a line.
  package let subject: String
  /// The wanted values by key; nil for a key that the line must not have.
  package let values: [(key: String, value: Plain?)]
}
