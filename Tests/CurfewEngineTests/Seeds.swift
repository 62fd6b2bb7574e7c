import Foundation

/// The seeds that a property test runs: the one that `CURFEW_SEED` names, or the first so many; `CURFEW_RUNS` asks for more of them.
func seeds(_ count: UInt64) -> [UInt64] {
  let environment = ProcessInfo.processInfo.environment
  if let seed = environment["CURFEW_SEED"].flatMap({ UInt64($0) }) { return [seed] }
  return Array(0..<(environment["CURFEW_RUNS"].flatMap { UInt64($0) } ?? count))
}
