import CurfewEngine
public import CurfewText

/// The outcome of an expectation in a run.
public struct ExpectationVerdict: Sendable, CustomStringConvertible {
  /// An outcome.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The run meets the expectation.
    case met
    /// The run does not meet it.
    case failed
    /// The run was cut before this could be decided.
    case undecided
  }

  /// The expectation.
  public let expectation: ScenarioExpectation
  /// The outcome.
  public let outcome: Outcome
  /// The lines that the run has instead of the expected ones, in words; nil for none.
  public let found: String?

  /// The place of the expectation in the file.
  public var place: SourcePlace { expectation.place }

  /// `expected {at: 33s, …}, found it at 35s`.
  public var description: String {
    "expected \(expectation.text)" + (found.map { ", found \($0)" } ?? "")
  }
}
