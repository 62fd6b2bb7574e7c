import Curfew
import CurfewTesting
import Foundation
import Testing

/// The number of runs of a determinism test's body.
let runs = ProcessInfo.processInfo.environment["CURFEW_RUNS"].flatMap { Int($0) } ?? 10

/// Runs `body` several times, each time with a new device,
/// and returns the outcome, which is the same in all runs.
func outcome(
  under policy: PolicyFile = .ios13, _ body: @escaping @Sendable (Device) async throws -> String
) async throws -> String {
  var outcomes: [String: Int] = [:]
  for _ in 0..<runs {
    let outcome = try await withDevice(Device(policy: policy), reporting: []) { device in
      try await body(device)
    }
    outcomes[outcome, default: 0] += 1
  }
  #expect(outcomes.count == 1, "\(outcomes)")
  return outcomes.keys.first ?? ""
}

/// Lines from any thread.
final class Lines: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [String] = []

  func add(_ line: String) { lock.withLock { kept.append(line) } }
  var all: [String] { lock.withLock { kept } }
}
