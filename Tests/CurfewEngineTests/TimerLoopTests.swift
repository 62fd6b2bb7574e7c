import CurfewEngine
import TestRuns
import Testing

/// Promises of event loops and test clocks about timers, tested on this queue. The cases are this
/// project's own; `TimerCaseTests` runs those of other projects.
@Suite(.inTurn) struct TimerLoopTests {
  /// Records what a callback saw.
  private final class Log { var names: [String] = [] }

  @Test func `timers fire by deadline, and at one instant in the order in which they were started`()
    throws
  {
    var loop = TimerLoop()
    for (name, delay) in [("d", 20), ("a", 0), ("b", 0), ("e", 20), ("c", 10)] as [(String, UInt64)]
    { try loop.start(name, after: delay) }
    try loop.run()
    #expect(loop.fires.map(\.name) == ["a", "b", "c", "d", "e"])
    #expect(loop.now == .zero + .milliseconds(20))
  }

  @Test
  func
    `a repeating timer is started again before timers that its callback starts, and after earlier ones`()
    throws
  {
    var loop = TimerLoop()
    try loop.start("early", after: 20)
    try loop.start("rep", after: 10, every: 10) { loop in
      if loop["rep"].fired == 2 { loop.stop("rep") } else { try loop.start("late", after: 10) }
    }
    try loop.run()
    #expect(loop.fires.map(\.name) == ["rep", "early", "rep", "late"])
  }

  @Test func `starting a timer a second time replaces the first`() throws {
    var loop = TimerLoop()
    try loop.start("x", after: 1000)
    try loop.start("x", after: 1)
    try loop.run()
    #expect(loop.fires.map(\.at) == [.zero + .milliseconds(1)])
  }

  @Test func `a timer without a delay that its own callback starts again waits for the next pass`()
    throws
  {
    var loop = TimerLoop()
    try loop.start("z", after: 0) { try $0.start("z", after: 0) }
    try loop.runOnce()
    #expect(loop.fires.count == 1 && loop.isAlive)
    try loop.runOnce()
    #expect(loop.fires.count == 2)
  }

  @Test func `a timer that a callback of the same instant stops does not fire`() throws {
    var loop = TimerLoop()
    try loop.start("a", after: 5) { $0.stop("b") }
    try loop.start("b", after: 5)
    try loop.start("c", after: 5)
    try loop.run()
    #expect(loop.fires.map(\.name) == ["a", "c"])
  }

  @Test func `a delay past the end of time is the end of time`() throws {
    var loop = TimerLoop()
    loop.jump(to: .zero + .seconds(1))
    try loop.start("far", after: .max)
    try loop.start("farther", after: .max - 1)
    try loop.start("near", after: 1, every: .max)
    #expect(loop.dueIn("far") == Instant.distantFuture - (.zero + .seconds(1)))
    try loop.runOnce()
    try loop.runOnce()
    #expect(loop.fires.map(\.name) == ["near", "far", "farther", "near"])
    #expect(loop.now == .distantFuture)
  }

  @Test func `a clock that jumped over two periods fires once`() throws {
    var loop = TimerLoop()
    try loop.start("r", after: 10, every: 10)
    loop.jump(to: .zero + .milliseconds(25))
    try loop.runOnce()
    #expect(loop.fires.count == 1)
    #expect(loop.dueIn("r") == .milliseconds(10))
  }

  @Test func `an unreferenced timer does not keep a loop running`() throws {
    var loop = TimerLoop()
    try loop.start("u", after: 0)
    loop.unreference("u")
    try loop.run()
    #expect(loop.fires.isEmpty)
  }

  @Test
  func `closed timers cannot be started, and timers that were never started cannot be run again`()
    throws
  {
    var loop = TimerLoop()
    loop.close("c")
    #expect(throws: TimerLoop.Failure.invalid) { try loop.start("c", after: 1) }
    #expect(throws: TimerLoop.Failure.invalid) { try loop.again("never") }
  }

  @Test func `running a timer again delays its next firing`() throws {
    var loop = TimerLoop()
    try loop.start("slow", after: 30, every: 30) { $0.close("slow") }
    try loop.start("fast", after: 20, every: 20) { loop in
      try loop.again("slow")
      if loop["fast"].fired == 3 { loop.close("fast") }
    }
    try loop.run()
    #expect(loop.fires.map(\.name) == ["fast", "fast", "fast", "slow"])
    #expect(loop.now == .zero + .milliseconds(90))
  }

  @Test func `stopped and started again just before its turn, a timer waits its whole delay`()
    throws
  {
    var loop = TimerLoop()
    let log = Log()
    loop.check = { loop in
      log.names.append("check")
      try loop.start("t", after: 50)
      loop.prepare = { _ in log.names.append("prepare") }
    }
    try loop.start("t", after: 50) { _ in log.names.append("t") }
    try loop.run()
    #expect(log.names == ["check", "prepare", "t"])
    #expect(loop.now == .zero + .milliseconds(100))
  }

  @Test func `a timer due at the end of an advance fires in it`() throws {
    var loop = TimerLoop()
    try loop.start("a", after: 1000)
    try loop.advance(by: 999)
    #expect(loop.fires.isEmpty)
    try loop.advance(by: 1)
    #expect(loop.fires.count == 1 && !loop.isAlive)
  }

  @Test
  func `work that is started while time advances is done in the same advance, at its own instant`()
    throws
  {
    var loop = TimerLoop()
    try loop.start("a", after: 100) { loop in
      if loop["a"].fired < 5 { try loop.start("a", after: 100) }
    }
    try loop.advance(by: 1000)
    #expect(loop.fires.map(\.at) == (1...5).map { .zero + .milliseconds($0 * 100) })
  }

  @Test func `a cancelled sleep leaves no timer`() throws {
    var loop = TimerLoop()
    try loop.start("a", after: 1000)
    loop.stop("a")
    #expect(!loop.isAlive && loop.dueIn("a") == nil)
    try loop.run()
    #expect(loop.fires.isEmpty)
  }
}
