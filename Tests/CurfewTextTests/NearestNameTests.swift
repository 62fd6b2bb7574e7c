import CurfewText
import Foundation
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// The nearest name, and the number of searches for it. Each search compares all names.
@Suite(.inTurn) struct NearestNameTests {
  private final class Names: @unchecked Sendable {
    private let lock = NSLock()
    private var names: [String] = []

    var all: [String] { lock.withLock { names } }
    func add(_ name: String) { lock.withLock { names.append(name) } }
  }

  /// The names that `body` searches for.
  private func searches(_ body: () -> Void) -> [String] {
    let names = Names()
    NearestName.$onSearch.withValue({ names.add($0) }) { body() }
    return names.all
  }

  /// A scenario with many apps, in whose timeline every name has a different prefix.
  private func generated(apps: Int, steps: Int, _ prefix: String = "com.exmaple") -> String {
    var lines = ["curfew: scenario/1", "name: Generated", "policy: ios13", "apps:"]
    for app in 0..<apps { lines.append("  com.example.app\(app): {}") }
    lines.append("timeline:")
    for step in 0..<steps {
      lines.append("  - {at: \(step)s, do: launch, app: \(prefix).app\(step % apps)}")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test
  func `a misspelt prefix in a generated file causes only as many searches as printed errors`()
    throws
  {
    var found: [String] = []
    let searched = searches { found = scenarioErrors(generated(apps: 300, steps: 3000)) }
    #expect(found.count == 101 && found.last == "mail.yaml: error: and 2900 more errors")
    #expect(
      found.first
        == "mail.yaml:306:31: error: unknown app 'com.exmaple.app0'; did you mean 'com.example.app0'?"
    )
    #expect(searched == (0..<100).map { "com.exmaple.app\($0)" })
  }

  @Test func `the same unknown name is searched for once`() {
    var found: [String] = []
    let searched = searches { found = scenarioErrors(generated(apps: 3, steps: 60)) }
    #expect(
      found.count == 60 && found.allSatisfy { $0.contains("; did you mean 'com.example.app") })
    #expect(searched == ["com.exmaple.app0", "com.exmaple.app1", "com.exmaple.app2"])
    let correct = generated(apps: 3, steps: 60, "com.example")
    #expect(searches { found = scenarioErrors(correct) }.isEmpty && found.isEmpty)
  }

  @Test
  func
    `unknown keys, verbs, modes, labels and words are searched for once each, in every place where they may occur`()
  {
    let app =
      "{backgroundMode: [fetch], backgroundModes: [fetsch], returns: {didEnterBackgrund: 1s}, "
      + "on: {fetsch: [], fetch: [{do: beginTask, task: upload, handler: nne}]}}"
    let steps = [
      "do: lunch, app: a0", "do: endTask, app: a0, task: uplaod", "do: lock, aap: a0",
      "do: cancelTask, app: a1, identifier: x",
    ]
    let lines =
      ["curfew: scenario/1", "name: x", "policy: ios13", "apps:"]
      + (0..<10).map { "  a\($0): \(app)" } + ["timeline:"]
      + (0..<20).map { "  - {at: 0s, \(steps[$0 % 4])}" }
    var found: [String] = []
    let searched = searches { found = scenarioErrors(lines.joined(separator: "\n")) }
    #expect(found.count == 70 && found[0].contains("did you mean 'backgroundModes'?"), "\(found)")
    // 'fetsch' is neither a mode nor a callback.
    #expect(
      searched == [
        "backgroundMode", "fetsch", "didEnterBackgrund", "fetsch", "nne", "lunch", "uplaod", "aap",
        "x",
      ])
  }

  @Test func `a policy too causes only as many searches as printed errors`() {
    let rows = (0..<400).map { "  fetsch\($0): {lenght: 3s}" }
    var found: [String] = []
    let searched = searches {
      found = policyErrors(
        (["curfew: policy/1", "name: x", "extends: ios13", "wakes:"] + rows).joined(separator: "\n")
      )
    }
    #expect(found.count == 101 && searched.count == 51, "\(searched.count)")
  }

  // MARK: The nearest name

  /// The number of edits between two names, computed as in textbooks.
  private func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `the nearest name is the one that a full comparison gives`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array("abAé.🇩🇪")
    for _ in 0..<300 {
      let names = (0..<6).map { _ in
        String((0..<random.below(10)).map { _ in letters[random.below(letters.count)] })
      }
      let name = String((0..<random.below(10)).map { _ in letters[random.below(letters.count)] })
      let wanted = Array(name.lowercased())
      var best: (name: String, distance: Int)?
      for candidate in names {
        let distance = distance(wanted, Array(candidate.lowercased()))
        guard distance <= max(1, max(wanted.count, candidate.count) / 3),
          distance < best?.distance ?? .max
        else { continue }
        best = (candidate, distance)
      }
      #expect(
        NearestName.to(name, among: names) == best?.name, "seed \(seed): '\(name)' among \(names)")
    }
  }

  @Test func `very long names are not compared`() {
    let long = String(repeating: "x", count: 65)
    #expect(NearestName.to(long, among: [long]) == nil)
    #expect(NearestName.to("x", among: [String(repeating: "x", count: 1 << 20), "y"]) == "y")
    #expect(NearestName.to("x" + String(repeating: "\u{301}", count: 1 << 20), among: ["x"]) == nil)
  }
}
