import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The trace of the shipped day.
private func dayTrace() throws -> Trace {
  var simulation = Simulation(try .shippedDay())
  var lines: [TraceLine] = []
  _ = try simulation.run { lines.append($0) }
  return Trace(header: simulation.header, lines: lines)
}

/// A trace written as text.
final class TraceWriting: Work {
  private let trace: Trace
  private let rounds: Int
  private let expected: Int
  private var bytes = 0

  init(rounds: Int) throws {
    (trace, self.rounds) = (try dayTrace(), rounds)
    expected = trace.text.utf8.count * rounds
  }

  func run() { for _ in 0..<rounds { bytes += trace.text.utf8.count } }

  var mistake: String? { difference("bytes", bytes, expected) }
}

/// A trace read from its text and replayed.
final class TraceReplay: Work {
  private let text: [UInt8]
  private let expected: Trace
  private let rounds: Int
  private(set) var mistake: String?

  init(rounds: Int) throws {
    (expected, self.rounds) = (try dayTrace(), rounds)
    text = Array(expected.text.utf8)
  }

  func run() {
    do {
      for _ in 0..<rounds {
        let trace = try Trace.decode(SourceFile(name: "day.jsonl", bytes: text))
        mistake = try Replay.run(trace, under: .load("ios13")).map { "\($0)" }
        if trace.lines.count != expected.lines.count { mistake = "\(trace.lines.count) lines" }
      }
    } catch {
      mistake = "\(error)"
    }
  }
}

/// A policy loaded with its parents.
final class PolicyLoading: Work {
  private let rounds: Int
  private let expected = PolicyFile.ios13.digest
  private(set) var mistake: String?

  init(rounds: Int) { self.rounds = rounds }

  func run() {
    do {
      for _ in 0..<rounds {
        let digest = try PolicyFile.load("ios13").digest
        if digest != expected { mistake = "the digest \(digest) instead of \(expected)" }
      }
    } catch {
      mistake = "\(error)"
    }
  }
}

extension Trace {
  fileprivate var text: String {
    header.json + "\n" + lines.map { $0.json() + "\n" }.joined()
  }
}
