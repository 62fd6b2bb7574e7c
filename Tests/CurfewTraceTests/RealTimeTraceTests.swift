import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Traces of real time are complete, and replay guesses nothing.
@Suite(.inTurn) struct RealTimeTraceTests {
  private func text(_ trace: Trace) -> String {
    ([trace.header.json] + trace.lines.map { $0.json() }).joined(separator: "\n")
  }

  private func decode(_ text: String) throws -> Trace {
    try Trace.decode(SourceFile(name: "t.jsonl", bytes: Array(text.utf8)))
  }

  @Test(arguments: Campaign.some(2, of: ["ios3", "ios4", "ios7", "ios13"]))
  func `a run in real time replays from its text, action for action`(_ name: String) throws {
    let file = try PolicyFile.load(name)
    var (verbs, types): (Set<String>, Set<String>) = ([], [])
    var lateEnds = 0
    for seed in Campaign.seeds(12) {
      let trace = RealTimeRun.trace(seed: seed, under: file)
      let written = text(trace)
      let decoded = try decode(written)
      #expect(text(decoded) == written, "seed \(seed)")
      #expect(decoded.header == trace.header)
      let divergence = try Replay.run(decoded, under: file)
      #expect(divergence == nil, "seed \(seed)")
      for line in trace.lines {
        if case .terminated(let process) = line.body, process.late != nil { lateEnds += 1 }
        if case .event(let deed) = line.body {
          verbs.formUnion(
            (deed.verb.row.values + deed.verb.row.traced).filter { $0.write(deed) != nil }.map {
              "\(deed.verb) \($0.name)"
            })
          verbs.insert(deed.verb.name)
        } else {
          let json = line.json()
          types.formUnion(LineType.all.map(\.name).filter { json.contains(#""type":"\#($0)""#) })
        }
      }
    }
    guard !Campaign.isQuick else { return }
    // The built-in policies declare no facts.
    let rows = InputVerb.rows.filter { $0.verb != .setFact }.flatMap { row in
      [row.name] + (row.values + row.traced).map { "\(row.verb) \($0.name)" }
    }
    #expect(Set(rows).subtracting(verbs).isEmpty, "some values of the verbs' rows were never drawn")
    #expect(name == "ios3" || lateEnds > 0)
    #expect(name != "ios13" || types == Set(LineType.all.map(\.name)).subtracting(["gap"]))
  }

  @Test func `a line that is missing, repeated or of another time is found at its place`()
    throws
  {
    let file = try PolicyFile.load("ios13")
    let whole = RealTimeRun.trace(seed: 3, under: file, steps: 150)
    #expect(Replay.run(whole, policy: file.policy) == nil)
    for index in whole.lines.indices {
      if case .event = whole.lines[index].body { continue }
      // The line changes no decision.
      if case .resumed = whole.lines[index].body { continue }
      var trace = whole
      let line = trace.lines.remove(at: index)
      // An advance causes the lines after it, if any; a later advance in its place may cause
      // the same.
      if line.body == .advance { continue }
      guard line.body != .end else {
        #expect(
          Replay.run(trace, policy: file.policy, isInterrupted: { _ in false })
            == .cut(line: trace.lines.count + 1))
        continue
      }
      // An identical line right behind it takes its place.
      let twin = trace.lines.indices.contains(index) && trace.lines[index].json() == line.json()
      let divergence = try #require(Replay.run(trace, policy: file.policy), "line \(index + 2)")
      #expect(
        twin || divergence.line == index + 2 && divergence.found == line.json(), "\(divergence)")

      trace = whole
      trace.lines.insert(line, at: index)
      #expect(try #require(Replay.run(trace, policy: file.policy)).line <= index + 3)

      trace = whole
      trace.lines[index].time = line.time + .nanoseconds(1)
      #expect(Replay.run(trace, policy: file.policy)?.line == index + 2)
    }
  }

  private func isEvent(_ line: TraceLine) -> Bool {
    if case .event = line.body { true } else { false }
  }

  @Test func `a damaged run in real time is the same, different or refused, and never traps`()
    throws
  {
    let file = try PolicyFile.load("ios13")
    var random = SeededGenerator(seed: 24)
    var endings: [String: Int] = [:]
    for seed in UInt64(0)..<12 {
      let trace = RealTimeRun.trace(seed: seed, under: file, steps: 40)
      for _ in 0..<60 {
        var lines = trace.lines.map { $0.json() }
        let index = Int(random.next() % UInt64(lines.count))
        let other = Int(random.next() % UInt64(lines.count))
        if random.next() % 3 == 0 {
          lines.swapAt(index, other)
        } else {
          // A value of another line replaces one of this line.
          let (mine, its) = (lines[index].split(separator: ":"), lines[other].split(separator: ":"))
          let place = Int(random.next() % UInt64(min(mine.count, its.count)))
          lines[index] = (mine[..<place] + [its[place]] + mine[(place + 1)...]).joined(
            separator: ":")
        }
        do {
          let damaged = try decode(([trace.header.json] + lines).joined(separator: "\n"))
          endings[
            Replay.run(damaged, policy: file.policy) == nil ? "same" : "different", default: 0] += 1
        } catch is FileErrors {
          endings["refused", default: 0] += 1
        }
      }
    }
    #expect(endings.count == 3 && endings.values.allSatisfy { $0 > 10 }, "\(endings)")
  }

  @Test func `a return with another callback, or without a callback, is a difference`() throws {
    let file = try PolicyFile.load("ios13")
    let whole = RealTimeRun.trace(seed: 4, under: file, steps: 60)
    let index = try #require(
      whole.lines.firstIndex {
        if case .event(let deed) = $0.body { deed.verb == .return } else { false }
      })
    var trace = whole
    trace.lines[index].body = .event(EngineInput(.return) { $0.callback = .wake(.voipPush) })
    #expect(Replay.run(trace, policy: file.policy)?.line == index + 2)
    trace = whole
    trace.lines.insert(
      TraceLine(
        time: .zero, app: RealTimeRun.apps[1],
        .event(EngineInput(.return) { $0.callback = .expirationHandler })), at: 0)
    #expect(Replay.run(trace, policy: file.policy)?.line == 2)
    trace.lines[0] = TraceLine(time: .zero, app: nil, .event(EngineInput(.launch)))
    #expect(Replay.run(trace, policy: file.policy)?.found == nil)
  }

  @Test
  func
    `a trace that stops before its end is cut, and one that ends before its last actions is different`()
    throws
  {
    let file = try PolicyFile.load("ios13")
    var trace = RealTimeRun.trace(seed: 5, under: file, steps: 60)
    let end = trace.lines.removeLast()
    while let last = trace.lines.last, isEvent(last) || last.body == .advance {
      trace.lines.removeLast()
    }
    let last = trace.lines.removeLast()
    #expect(
      Replay.run(trace, policy: file.policy, isInterrupted: { _ in false })
        == .cut(line: trace.lines.count + 1))
    #expect(Replay.run(trace, policy: file.policy) == nil)
    trace.lines.append(end)
    let divergence = try #require(Replay.run(trace, policy: file.policy))
    #expect(
      divergence.line == trace.lines.count + 1 && divergence.expected == end.json()
        && divergence.found == last.json())
    trace = RealTimeRun.trace(seed: 5, under: file, steps: 60)
    trace.lines.append(end)
    #expect(Replay.run(trace, policy: file.policy)?.line == trace.lines.count + 1)
  }

  @Test func `a caller that interrupts gets the last equal line`() throws {
    let file = try PolicyFile.load("ios13")
    let trace = RealTimeRun.trace(seed: 6, under: file, steps: 3_000)
    #expect(trace.lines.count > 4_000)
    var asked: [Int] = []
    let ending = Replay.run(trace, policy: file.policy) { line in
      asked.append(line)
      return line > 2_000
    }
    let last = try #require(asked.last)
    #expect(ending == .interrupted(line: last))
    #expect(asked == asked.sorted() && asked.count > 1 && last > 2_000 && last < 4_000)
    let source = try SourceFile(name: "t.jsonl", bytes: Array(text(trace).utf8))
    #expect(try Trace.decode(source, isInterrupted: { $0 > 2_000 }) == nil)
    #expect(
      try Trace.decode(source, isInterrupted: { _ in false })?.lines.count == trace.lines.count)
  }

  @Test func `a header says which clock counted the time`() throws {
    let header = TraceHeader(
      name: "x", policy: "ios13", policyDigest: "0", seed: 7, clock: "boottime", apps: ["a", "b"])
    let expected =
      #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"0","seed":7,"clock":"boottime","apps":["a","b"]}"#
    #expect(header.json == expected)
    let trace = Trace(
      header: header, lines: [TraceLine(time: Instant(nanoseconds: 9), app: nil, .advance)])
    #expect(trace.lines[0].json() == #"{"t":9,"type":"advance"}"#)
    #expect(try decode(text(trace)) == trace)
  }
}
