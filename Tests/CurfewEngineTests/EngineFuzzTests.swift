import TestRuns
import Testing

@testable import CurfewEngine

/// Random lives, checked against `RuleChecker` after every step. `CURFEW_SEED=17` runs seed 17
/// alone, `CURFEW_RUNS=10000` that many seeds.
@Suite(.inTurn) struct EngineFuzzTests {
  private static let steps = 150
  private static let trap: Comment =
    "a trap; `the engine keeps the rules in random lives` looks for its seed"

  private static func replay(_ seed: UInt64) -> String {
    "seed \(seed); replay with: CURFEW_SEED=\(seed) swift test --filter EngineFuzzTests"
  }

  /// Runs in a separate process, so that a trap inside the engine is traced to its seed.
  @Test func `the engine keeps the rules in random lives`() async {
    let all = Campaign.seeds(12)
    if await EngineFuzzTests.survives(
      from: all.lowerBound, through: all.upperBound - 1, EngineFuzzTests.trap)
    {
      return
    }
    for seed in all {
      if await !EngineFuzzTests.survives(
        from: seed, through: seed, "\(EngineFuzzTests.replay(seed))")
      {
        return
      }
    }
  }

  private static func survives(from first: UInt64, through last: UInt64, _ comment: Comment) async
    -> Bool
  {
    let result = await #expect(processExitsWith: .success, comment) {
      [first = first as UInt64, last = last as UInt64] in
      for seed in first...last {
        var run = FuzzRun(seed: seed)
        guard let failure = run.perform(steps: EngineFuzzTests.steps) else { continue }
        Issue.record("\(EngineFuzzTests.replay(seed))\n\(failure)")
        return
      }
    }
    return result != nil
  }

  @Test(.enabled(if: !Campaign.isQuick, "It takes 300 lives"))
  func `random lives cover everything that can happen`() async {
    await #expect(processExitsWith: .success, EngineFuzzTests.trap) {
      var met: Set<String> = []
      for seed in 0..<UInt64(22 * FuzzRun.policies.count) {
        var run = FuzzRun(seed: seed)
        _ = run.perform(steps: EngineFuzzTests.steps)
        met.formUnion(run.actions.map(\.sort))
      }
      let all = [
        "callback", "expiration", "wakeBegan", "wakeWarned", "event", "taskBegan", "taskEnded",
        "decision", "session", "sessionWarned",
        "wakeCompleted",
        "wakeOverran", "wakeUnhandled", "alreadyCompleted",
        "slowDidEnterBackground", "runsWithoutAssertion",
        "leakedTask", "stillOpen", "probe", "slowLaunch", "unknownTask", "illegalEvent",
        "notificationDropped", "deliveredInForeground",
        "taskTooOld",
        "normalAppExit",
        "abnormalExit", "appWatchdog", "backgroundTaskAssertionTimeout", "badAccess",
        "illegalInstruction", "userForceQuit", "reboot", "oomKill", "signal", "spawnFailed",
        "hostFailure",
        "tooManyBackgroundTasks", "notification", "shown", "delivered", "submitted", "replaced",
        "started", "cancelled", "unavailable",
        "tooManyPendingTaskRequests", "notPermitted", "overCapacity", "memoryPressure",
        "memoryResourceLimit", "suspendedWithLockedFile",
        "cpuResourceLimit", "backgroundTaskAssertionTimeout, late, of a grant",
        "backgroundTaskAssertionTimeout, late, of a wake",
      ]
      #expect(met.isSuperset(of: all), "missed \(Set(all).subtracting(met))")
      let pairs = Transition.allCases.count
      #expect(met.subtracting(all).count == pairs, "\(met.subtracting(all))")
    }
  }

  @Test func `the same seed gives the same actions`() async {
    await #expect(processExitsWith: .success, EngineFuzzTests.trap) {
      for seed in Campaign.seeds(6) {
        var first = FuzzRun(seed: seed)
        var second = FuzzRun(seed: seed)
        _ = first.perform(steps: EngineFuzzTests.steps)
        _ = second.perform(steps: EngineFuzzTests.steps)
        let isSame = first.calls == second.calls && first.actions == second.actions
        #expect(isSame, "\(EngineFuzzTests.replay(seed))")
      }
    }
  }

  @Test func `a copy and its original continue alike and independently`() async {
    await #expect(processExitsWith: .success, EngineFuzzTests.trap) {
      for seed in Campaign.seeds(6) {
        var run = FuzzRun(seed: seed)
        let failure = run.perform(steps: EngineFuzzTests.steps)
        #expect(failure == nil, "\(EngineFuzzTests.replay(seed))")
        guard failure == nil else { continue }
        var engine = run.newEngine()
        var actions = ActionBuffer()
        var copied = ActionBuffer()
        let half = run.calls.count / 2
        for call in run.calls[..<half] { call.make(&engine, &actions) }
        var copy = engine.copy()
        let before = actions.count
        // The original runs ahead of the copy, so that any shared state would show.
        for call in run.calls[half...] { call.make(&engine, &actions) }
        for call in run.calls[half...] { call.make(&copy, &copied) }
        let isSame =
          actions.actions == run.actions && Array(actions.actions[before...]) == copied.actions
        #expect(isSame, "\(EngineFuzzTests.replay(seed))")
        #expect(engine.nextDeadline == copy.nextDeadline, "\(EngineFuzzTests.replay(seed))")
        engine.checkInvariants()
        copy.checkInvariants()
      }
    }
  }
}

extension Action {
  /// The kind of action; each state pair, termination reason and diagnostic name is its own kind.
  var sort: String {
    switch self {
    case .state(_, let from, let to): "\(from) → \(to)"
    case .callback: "callback"
    case .expiration: "expiration"
    case .wakeBegan: "wakeBegan"
    case .wakeWarned: "wakeWarned"
    case .sessionWarned: "sessionWarned"
    case .event: "event"
    case .taskBegan: "taskBegan"
    case .taskEnded: "taskEnded"
    case .decision: "decision"
    case .session: "session"
    case .wakeCompleted: "wakeCompleted"
    case .wakeOverran(_, _, let limit): limit == .warning ? "wakeUnhandled" : "wakeOverran"
    case .alreadyCompleted: "alreadyCompleted"
    case .runsWithoutAssertion: "runsWithoutAssertion"
    case .notification: "notification"
    case .localNotification(_, _, let fate): "\(fate)"
    case .request(_, _, _, .refused(let error)): "\(error)"
    case .request(_, _, _, let change): "\(change)"
    case .terminated(_, let end):
      "\(end.reason)\(end.late == nil ? "" : ", late, of \(end.kind == .finiteTask ? "a grant" : "a wake")")"
    case .leakedTask: "leakedTask"
    case .stillOpen: "stillOpen"
    case .notificationDropped: "notificationDropped"
    case .illegalEvent: "illegalEvent"
    case .diagnostic(let name, _, _): "\(name)"
    case .probe: "probe"
    }
  }
}

extension FuzzRun.Call {
  fileprivate func make(_ engine: inout Engine, _ actions: inout ActionBuffer) {
    switch self {
    case .advance(let now): _ = engine.advance(to: now, into: &actions)
    case .event(let event, let now): engine.handle(event, at: now, into: &actions)
    }
  }
}
