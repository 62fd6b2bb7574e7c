import Foundation

/// The amount of work in a test: little in `swift test`, which answers quickly, and as much as
/// `CURFEW_RUNS` says in `.ci/run` and `.ci/long`.
package enum Campaign {
  /// The number of `CURFEW_RUNS`; nil if it is not set.
  package static let runs: Int? = ProcessInfo.processInfo.environment["CURFEW_RUNS"].map { text in
    guard let runs = Int(text), runs > 0 else {
      fatalError("CURFEW_RUNS must be a whole number from 1, found '\(text)'")
    }
    return runs
  }

  /// Whether a quick answer is wanted.
  package static var isQuick: Bool { runs == nil }

  /// The number of runs: that of `CURFEW_RUNS`, or `usual`.
  package static func runs(_ usual: Int) -> Int { runs ?? usual }

  /// The seeds of a property test: `CURFEW_SEED` alone if it is set. Otherwise they begin at
  /// `CURFEW_FIRST` or 0, and their number is that of `CURFEW_RUNS` or `usual`.
  package static func seeds(_ usual: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["CURFEW_SEED"].flatMap({ UInt64($0) }) { return seed..<seed + 1 }
    let first = environment["CURFEW_FIRST"].flatMap { UInt64($0) } ?? 0
    return first..<first + UInt64(runs(usual))
  }

  /// `usual` elements at equal distances; all of them under `CURFEW_RUNS`.
  package static func some<Element>(_ usual: Int, of all: [Element]) -> [Element] {
    guard isQuick, all.count > usual else { return all }
    return (0..<usual).map { all[$0 * all.count / usual] }
  }
}
