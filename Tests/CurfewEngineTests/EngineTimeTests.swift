import TestRuns
import Testing

@testable import CurfewEngine

/// Deadlines: none comes early, none is forgotten, and a late host lengthens none.
@Suite(.inTurn) struct EngineTimeTests {
  private let app = AppID(rawValue: 0)

  @Test func `C3 nothing fires a nanosecond before its deadline, and something fires at it`() {
    var host = TestHost.uploading(endsTask: false)
    host.tell(.home(nil), at: 10)
    var actions = ActionBuffer()
    var fired = 0
    while let deadline = host.engine.nextDeadline {
      #expect(!host.engine.advance(to: deadline - .nanoseconds(1), into: &actions))
      #expect(actions.count == 0 && host.engine.nextDeadline == deadline)
      host.run(to: deadline)
      #expect(!host.takeLines().isEmpty)
      fired += 1
    }
    #expect(fired == 2)  // the warning and the end
  }

  @Test func `the next deadline is the earliest`() {
    var host = TestHost.uploading(endsTask: false)
    #expect(host.engine.nextDeadline == nil)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.nextDeadline == .zero + .seconds(35))
    host.run(to: 35)
    #expect(host.engine.nextDeadline == .zero + .seconds(40))
    host.tell(.endTask(app, host.lastTask), at: 36)
    #expect(host.engine.nextDeadline == nil && host.engine.state(of: app) == .suspended)
  }

  @Test func `F10 time remaining is infinite while the clock stands still and exact while it runs`()
  {
    var host = TestHost.uploading()
    #expect(host.engine.backgroundTimeRemaining(of: app) == nil)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.backgroundTimeRemaining(of: app) == .seconds(30))
    host.tell(.probe(app), at: .zero + .milliseconds(12_500))
    #expect(host.takeLines().last == "12500ms a is background, 27500ms")
  }

  @Test func `sums that saturate are at the end of time, which never comes`() {
    var host = TestHost.uploading(.endless(), endsTask: false)
    host.tell(.home(nil), at: 10)
    _ = host.takeLines()
    #expect(host.engine.nextDeadline == nil)
    #expect(
      host.engine.backgroundTimeRemaining(of: app) == Instant.distantFuture - (.zero + .seconds(10))
    )
    host.run(to: .distantFuture - .nanoseconds(1))
    #expect(host.takeLines().isEmpty && host.engine.state(of: app) == .background)
  }

  @Test
  func
    `A10, F5 a late host lengthens no launch and no grant, and handlers carry their due instants`()
  {
    let late = Instant.zero + .seconds(100)
    var engine = Engine(policy: .ios13)
    var actions = ActionBuffer()
    let app = engine.addApp()
    engine.handle(.launch(app), at: .zero, into: &actions)
    actions.removeAll()
    while engine.advance(to: late, into: &actions) {}
    #expect(
      actions.actions.map(\.text) == [
        "a slowLaunch", "a inactive → notRunning", "a terminated appWatchdog 0x8badf00d",
      ])

    var host = TestHost.uploading(.ios13.with { $0.tasks.whenLate = .kill }, endsTask: false)
    host.tell(.home(nil), at: 10)
    actions.removeAll()
    while host.engine.advance(to: late, into: &actions) {}
    #expect(
      actions.actions.map(\.text) == [
        "a expire 1 timeLimit, due 35s", "a background → notRunning",
        "a terminated backgroundTaskAssertionTimeout 0x2182bad2, late 65s",
        "a leaked 1 after 90s",
      ])
  }

  @Test
  func
    `F6 an app that is warned too late still gets the full time of the warning, unless the policy says otherwise`()
  {
    // The handler is due at 35 s, 5 s before the end. A host that is at most 5 s late does
    // not change the end.
    for (late, end) in [(39, 40), (40, 40), (41, 46), (1_000, 1_005)] as [(Int64, Int64)] {
      var host = TestHost.uploading(endsTask: false)
      host.tell(.home(nil), at: 10)
      var actions = ActionBuffer()
      while host.engine.advance(to: .zero + .seconds(late), into: &actions) {}
      guard late < end else {
        #expect(host.engine.state(of: app) == .notRunning)
        continue
      }
      #expect(actions.actions.map(\.text).contains("a expire 1 timeLimit, due 35s"))
      #expect(
        host.engine.backgroundTimeRemaining(of: app) == .seconds(end - late)
          && host.engine.nextDeadline == .zero + .seconds(end))
    }
  }
}
