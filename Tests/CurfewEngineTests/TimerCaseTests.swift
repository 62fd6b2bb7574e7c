import CurfewEngine
import TestRuns
import Testing

/// libuv's and swift-clocks' own timer behaviours, on a loop that is a `TimerQueue` alone.
@Suite(.inTurn) struct TimerCaseTests {
  @Test func `there are eighteen cases of four sources`() {
    #expect(TimerCase.all.count == 18)
    #expect(
      Set(TimerCase.all.map(\.name)).count == 18 && Set(TimerCase.all.map(\.source)).count == 4)
  }

  @Test(arguments: TimerCase.all) func `timers fire as another project's tests have them fire`(
    _ timerCase: TimerCase
  ) throws {
    var loop = TimerLoop()
    var checks = 0
    for step in timerCase.steps where try !step.perform(on: &loop) {
      step.check(&loop, timerCase.name)
      checks += 1
    }
    #expect(checks > 0, "\(timerCase.name) checks nothing")
  }
}

extension TimerCase: CustomTestStringConvertible {
  var testDescription: String { "\(name) (\(source.rawValue))" }
}

extension TimerStep {
  /// Performs a step that acts.
  /// - Returns: false for a step that checks.
  fileprivate func perform(on loop: inout TimerLoop) throws -> Bool {
    switch self {
    case .start(let timer, let delay, let period, let inEach):
      try loop.start(
        timer, after: delay, every: period, inEach.isEmpty ? nil : TimerStep.callback(inEach))
    case .stop(let timer): loop.stop(timer)
    case .close(let timer): loop.close(timer)
    case .again(let timer): try loop.again(timer)
    case .setRepeat(let timer, let period): loop.setRepeat(timer, period)
    case .unreference(let timer): loop.unreference(timer)
    case .chain(let timer, let each, let times):
      try TimerStep.sleep(timer, each: each, times: times, &loop)
    case .stopInCall(let call, let timer): if loop[timer].fired == call { loop.stop(timer) }
    case .closeInCall(let call, let timer): if loop[timer].fired == call { loop.close(timer) }
    case .inCheck(let steps): loop.check = TimerStep.callback(steps)
    case .inPrepare(let steps): loop.prepare = TimerStep.callback(steps)
    case .note(let name): loop.notes.append(name)
    case .stopLoop: loop.isStopped = true
    case .jump(let instant): loop.jump(to: .zero + TimerLoop.interval(instant))
    case .advance(let interval): try loop.advance(by: interval)
    case .runOnce: try loop.runOnce()
    case .run(let passes): try loop.run(passes: passes)
    case .isRefused, .fired, .firedNames, .count, .notes, .now, .isAlive, .isDue: return false
    }
    return true
  }

  fileprivate func check(_ loop: inout TimerLoop, _ name: String) {
    let fires = loop.fires
    switch self {
    case .isRefused(let step):
      var failure: TimerLoop.Failure?
      do { _ = try step.perform(on: &loop) } catch { failure = error as? TimerLoop.Failure }
      #expect(failure == .invalid, "\(name)")
    case .fired(let expected):
      #expect(fires.map(\.name) == expected.map(\.1), "\(name)")
      #expect(fires.map(\.at) == expected.map { .zero + TimerLoop.interval($0.at) }, "\(name)")
    case .firedNames(let expected): #expect(fires.map(\.name) == expected, "\(name)")
    case .count(let timer, let expected):
      #expect(fires.count { $0.name == timer } == expected, "\(name)")
    case .notes(let expected): #expect(loop.notes == expected, "\(name)")
    case .now(let expected): #expect(loop.now == .zero + TimerLoop.interval(expected), "\(name)")
    case .isAlive(let expected): #expect(loop.isAlive == expected, "\(name)")
    case .isDue(let timer, let expected):
      #expect(loop.dueIn(timer) == TimerLoop.interval(expected), "\(name)")
    case .start, .stop, .close, .again, .setRepeat, .unreference, .chain, .stopInCall, .closeInCall,
      .inCheck, .inPrepare, .note, .stopLoop,
      .jump,
      .advance, .runOnce, .run:
      Issue.record("\(name): \(self) is nothing to check")
    }
  }

  private static func callback(_ steps: [TimerStep]) -> TimerLoop.Callback {
    { loop in for step in steps { _ = try step.perform(on: &loop) } }
  }

  private static func sleep(_ timer: String, each: UInt64, times: Int, _ loop: inout TimerLoop)
    throws
  {
    guard times > 0 else { return }
    try loop.start(timer, after: each) { try sleep(timer, each: each, times: times - 1, &$0) }
  }
}
