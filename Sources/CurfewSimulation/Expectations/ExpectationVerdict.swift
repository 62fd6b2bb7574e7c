import CurfewEngine
public import CurfewText

/// Whether what a scenario expects has come to be.
public struct ExpectationVerdict: Sendable, CustomStringConvertible {
  /// How it came out.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// It is so.
    case met
    /// It is not so.
    case failed
    /// The run was cut before anybody could tell.
    case undecided
  }

  /// What was expected.
  public let expectation: ScenarioExpectation
  /// How it came out.
  public let outcome: Outcome
  /// Where it is not so: what there was instead, in words; nil where nothing can be said.
  public let found: String?

  /// Where the expectation is written.
  public var place: SourcePlace { expectation.place }

  /// `expected {at: 33s, …}, found it at 35s`.
  public var description: String {
    "expected \(expectation.text)" + (found.map { ", found \($0)" } ?? "")
  }
}
