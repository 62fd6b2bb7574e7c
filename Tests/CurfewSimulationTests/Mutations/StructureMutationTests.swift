import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

/// Policies and expectations with changed structure: no trap, no hang, no error without a place,
/// and the same outcome in every process.
///
/// `CURFEW_SEED=17` runs only seed 17. `CURFEW_RUNS=100000` runs 100,000 seeds. `CURFEW_FIRST=17`
/// begins with seed 17.
@Suite(.inTurn) struct StructureMutationTests {
  /// A case takes milliseconds. These limits, in seconds of the process's own time and of the wall,
  /// are far above any file that a person writes; other programs may be using the machine.
  private static let longest = (processor: 60, wall: UInt32(900))

  @Test(arguments: [
    FileDiagnostic(file: "a", "no place"),
    FileDiagnostic(at: SourcePlace(file: "b", line: 1, column: 1), "another file"),
    FileDiagnostic(at: SourcePlace(file: "a", line: 3, column: 1), "below the end"),
    FileDiagnostic(at: SourcePlace(file: "a", line: 1, column: 5), "behind the line"),
    FileDiagnostic(at: SourcePlace(file: "a", line: 1, column: 1), ""),
  ])
  func `an error that does not say what is wrong, and where in the file, is a fault`(
    _ error: FileDiagnostic
  ) {
    #expect(throws: MutationFault.self) {
      try MutationFault.check(FileErrors([error]), in: ["a": "one\n"])
    }
  }

  @Test func `changed policies and expectations give the same outcome in two processes`()
    async throws
  {
    let all = Campaign.seeds(4)
    let (one, other) = try await StructureMutationTests.outcomes(of: all)
    #expect(
      one.first != other.first, "two processes hash alike: is SWIFT_DETERMINISTIC_HASHING set?")
    let wrong = zip(one, other).dropFirst().filter {
      $0 != $1 || $0.contains("fault:") || !$0.contains(": ")
    }
    for (line, second) in wrong.prefix(10) {
      Issue.record(
        "\(line)\n\(second)\nreplay with: CURFEW_SEED=\(line.prefix { $0 != ":" }) swift test --filter StructureMutationTests"
      )
    }
    guard wrong.isEmpty else { return }
    #expect(
      one.count == all.count + 1 && other.count == all.count + 1,
      "it ended at \(one.last ?? "nothing")")
    // In a small sample every case may be readable.
    guard all.count >= 40 else { return }
    let read = one.count { $0.contains(": read") }
    #expect(read > all.count / 20 && read < all.count * 19 / 20, "\(read) of \(all.count) read")
  }

  /// A line for each seed, from two processes; the first line shows how a process hashes.
  /// If a case traps or takes too long, its line has the seed without an outcome; an alarm ends
  /// a slow process.
  private static func outcomes(of seeds: Range<UInt64>) async throws -> ([String], [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "curfew-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["one", "other"].map { folder.appendingPathComponent($0).path }
    async let one: Void = run(seeds, files[0])
    async let other: Void = run(seeds, files[1])
    _ = await (one, other)
    let lines = try files.map {
      try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\u{1F}").map(String.init)
    }
    return (lines[0], lines[1])
  }

  private static func run(_ seeds: Range<UInt64>, _ path: String) async {
    let (first, last) = (seeds.lowerBound, seeds.upperBound - 1)
    await #expect(processExitsWith: .success, "a trap, or a case that takes too long") {
      [first = first as UInt64, last = last as UInt64, path = path as String] in
      let corpus = try MutationCorpus()
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let file = try #require(FileHandle(forWritingAtPath: path))
      file.write(Data("\("hash".hashValue)".utf8))
      for seed in first...last {
        file.write(Data("\u{1F}\(seed):".utf8))
        StructureMutationTests.limitTime()
        let told = StructureMutationTests.outcome(of: seed, corpus, isWhole: first == last)
        file.write(Data(" \(told)".utf8))
      }
    }
  }

  /// Sets an alarm that ends this process unless it is set again in time.
  private static func limitTime() {
    var limit = itimerval(
      it_interval: timeval(), it_value: timeval(tv_sec: longest.processor, tv_usec: 0))
    #if canImport(Glibc)
      setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &limit, nil)
    #else
      setitimer(ITIMER_PROF, &limit, nil)
    #endif
    alarm(longest.wall)
  }

  /// The outcome of a seed: its text if the seed is run alone, and otherwise a digest of the text.
  private static func outcome(of seed: UInt64, _ corpus: MutationCorpus, isWhole: Bool) -> String {
    do {
      var outcome: MutationOutcome
      if seed % 3 < 2 {
        var mutation = PolicyMutation(seed: seed, corpus)
        outcome = try mutation.outcome()
      } else {
        outcome = try ExpectationMutation(seed: seed, corpus).outcome()
      }
      return
        "\(outcome.isRead ? "read" : "refused") \(isWhole ? outcome.text : String(outcome.digest, radix: 16))"
    } catch {
      return "fault: \(error)"
    }
  }
}
