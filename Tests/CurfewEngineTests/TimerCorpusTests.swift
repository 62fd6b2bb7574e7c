import CurfewEngine
import Foundation
import Testing

/// The behaviours of libuv's and swift-clocks' own timer tests, kept outside the repository as operations and expected firings.
@Suite struct TimerCorpusTests {
  private static let file: URL = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.deletingLastPathComponent().appendingPathComponent("shared/corpus/timers/timer-cases.json")
  }()

  private static let isPresent = FileManager.default.fileExists(atPath: file.path)

  @Test(.enabled(if: isPresent, "the timer corpus is not here; TimerLoopTests covers the same ground"))
  func `all 18 cases of the timer corpus fire as they should`() throws {
    let cases = try JSONDecoder().decode(TimerCorpus.self, from: Data(contentsOf: TimerCorpusTests.file)).cases
    var compared = 0
    for timerCase in cases {
      var run = CaseRun(timerCase)
      try run.perform()
      run.compare()
      if run.comparisons > 0 { compared += 1 } else { Issue.record("\(timerCase.id) compared nothing") }
    }
    #expect(compared == 18)
  }
}

/// One case on its way through a `TimerLoop`.
private struct CaseRun: ~Copyable {
  let timerCase: TimerCase
  var loop = TimerLoop()
  var comparisons = 0
  private var due: [String: Interval] = [:]
  private var order = OrderLog()
  private var error: String?

  /// What happened, where phases count besides timers.
  private final class OrderLog { var names: [String] = [] }

  init(_ timerCase: TimerCase) { self.timerCase = timerCase }

  mutating func perform() throws {
    try prepareCallbacks()
    var hasRun = false
    for operation in timerCase.ops where operation.on == nil {
      if let at = operation.at { loop.jump(to: .zero + TimerLoop.interval(at)) }
      do {
        hasRun = try TimerCorpus.perform(operation, &loop) || hasRun
        #expect(operation.error == nil, "\(timerCase.id)")
      } catch let failure as TimerLoop.Failure {
        error = failure.rawValue
        guard let expected = operation.error else { continue }
        #expect(expected == failure.rawValue, "\(timerCase.id)")
        comparisons += 1
      }
      if operation.op == "check_suspension" { comparisons += 1 }
    }
    for name in timerCase.expect.dueIn.map({ Array($0.keys) }) ?? [] { due[name] = loop.dueIn(name) }
    if !hasRun { try loop.run(passes: timerCase.expect.firstFires?.count ?? 1000) }
  }

  /// "on": what happens in each call of a timer, or in the check phase.
  private mutating func prepareCallbacks() throws {
    let operations = timerCase.ops
    let log = order
    for name in Set(operations.compactMap(\.on)) where name != "check" {
      let own = operations.filter { $0.on == name }
      loop.setCallback(name) { loop in
        for operation in own {
          _ = try TimerCorpus.perform(operation, &loop)
          if let last = operation.closeSelfAtCount, loop[name].fired == last { loop.close(name) }
        }
      }
    }
    let inCheck = operations.filter { $0.on == "check" }
    guard !inCheck.isEmpty else { return }
    loop.check = { loop in
      log.names.append("check")
      for operation in inCheck { _ = try TimerCorpus.perform(operation, &loop) }
      loop.prepare = { _ in log.names.append("prepare") }
    }
    loop.setCallback("t") { _ in log.names.append("t") }
  }

  mutating func compare() {
    let expect = timerCase.expect
    let fired = loop.fires.map(\.name)
    check(expect.fires, loop.fires.map { Firing(at: $0.at.milliseconds, name: $0.name) })
    check(expect.firstFires, Array(fired.prefix(expect.firstFires?.count ?? 0)))
    check(expect.end, loop.now.milliseconds)
    check(expect.now, loop.now.milliseconds)
    let isAlive = loop.isAlive
    check(expect.aliveAfter, isAlive)
    check(expect.error, error)
    check(expect.done, fired)
    check(expect.ticks, fired.count)
    check(expect.order, order.names.isEmpty ? fired : order.names)
    check(expect.count, expect.count?.mapValues { _ in 0 }.merging(fired.map { ($0, 1) }, uniquingKeysWith: +))
    // Milliseconds that no 63 bits of nanoseconds hold: due as late as can be.
    check(expect.dueIn?.mapValues(TimerLoop.interval), due)
  }

  private mutating func check<Value: Equatable>(_ expected: Value?, _ found: Value?) {
    guard let expected else { return }
    #expect(found == expected, "\(timerCase.id)")
    comparisons += 1
  }
}

extension Instant {
  fileprivate var milliseconds: UInt64 { UInt64(nanoseconds / 1_000_000) }
}
