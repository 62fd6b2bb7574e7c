import CurfewEngine
import Testing

/// Events in, actions compared. Callbacks take no time; see `TestHost`.
@Suite struct EngineTests {
  private let app = AppID(rawValue: 0)
  private let other = AppID(rawValue: 1)

  /// One app in front, its task begun in didEnterBackground.
  private static func upload(_ policy: Policy = .ios13, endsTask: Bool = true) -> TestHost {
    var host = TestHost(policy)
    host.reaction = { action in
      switch action {
      case .callback(let app, .didEnterBackground): [.beginTask(app, label: 7, handler: .present)]
      case .expiration(let app, let task, _, _): endsTask ? [.endTask(app, task)] : []
      default: []
      }
    }
    host.tell(.launch(AppID(rawValue: 0)), at: 0)
    return host
  }

  @Test func `an upload that its handler ends in time: launch, Home, task, warning, end, suspended`() {
    var host = EngineTests.upload()
    host.tell(.home(nil), at: 10)
    host.run(to: 100)
    #expect(
      host.takeLines() == [
        "0s a notRunning → inactive", "0s a willFinishLaunching", "0s a didFinishLaunching", "0s a inactive → active",
        "0s a didBecomeActive",
        "10s a willResignActive", "10s a active → inactive", "10s a inactive → background", "10s a didEnterBackground",
        "10s a task 1 began",
        "35s a expire 1 timeLimit, due 35s", "35s a task 1 ended", "35s a background → suspended",
      ])
    host.tell(.launch(app), at: 100)
    #expect(
      host.takeLines() == [
        "100s a suspended → background", "100s a willEnterForeground", "100s a background → inactive", "100s a inactive → active",
        "100s a didBecomeActive",
      ])
  }

  @Test func `F6 a task that is never ended takes its process along`() {
    var host = EngineTests.upload(endsTask: false)
    host.tell(.home(nil), at: 10)
    _ = host.takeLines()
    host.run(to: 100)
    #expect(
      host.takeLines() == [
        "35s a expire 1 timeLimit, due 35s", "40s a background → notRunning", "40s a terminated backgroundTaskAssertionTimeout 0x2182bad2",
        "40s a leaked 1 after 30s",
      ])
  }

  @Test func `F1 ids count from 1 in each process`() {
    var host = TestHost(.ios13)
    host.tell(.launch(app), at: 0)
    for id in 1...3 {
      host.tell(.beginTask(app, label: 0, handler: .present), at: 1)
      #expect(host.lastTask.id == TaskID(rawValue: UInt32(id)))
    }
    host.tell(.crash(app, .abnormalExit), at: 2)
    host.tell(.launch(app), at: 3)
    host.tell(.beginTask(app, label: 0, handler: .present), at: 4)
    #expect(host.lastTask.id == TaskID(rawValue: 1))
  }

  @Test func `F1 without multitasking a begin is answered 0, and ending 0 is silent`() {
    var host = TestHost(.noMultitasking)
    host.tell(.launch(app), at: 0)
    _ = host.takeLines()
    host.tell(.beginTask(app, label: 0, handler: .present), at: 1)
    host.tell(.endTask(app, host.lastTask), at: 1)
    host.tell(.home(nil), at: 2)
    #expect(
      host.takeLines() == [
        "1s a denied finiteTask: noMultitasking", "1s a task 0 began", "2s a willResignActive", "2s a active → inactive",
        "2s a willTerminate", "2s a inactive → notRunning", "2s a terminated normalAppExit",
      ])
  }

  @Test func `F9 a thousand open tasks are legal and one more is the end`() {
    var host = TestHost(.ios13)
    host.tell(.launch(app), at: 0)
    for _ in 0..<1000 { host.tell(.beginTask(app, label: 0, handler: .absent), at: 1) }
    #expect(host.engine.openTaskCount(of: app) == 1000)
    _ = host.takeLines()
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 1)
    #expect(
      host.takeLines() == ["1s a task 1001 began", "1s a active → notRunning", "1s a terminated tooManyBackgroundTasks 0xbada5e47"])
    #expect(host.engine.openTaskCount(of: app) == 0)
  }

  @Test func `F9 tasks begun after the warning count towards the limit even when they have ended`() {
    var host = TestHost(.ios13.with { $0.tasks.limit = 4 })
    host.tell(.launch(app), at: 0)
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 0)
    host.tell(.home(nil), at: 0)
    for second in [26, 27] as [Int64] {
      host.tell(.beginTask(app, label: 0, handler: .present), at: second)
      host.tell(.endTask(app, host.lastTask), at: second)
    }
    _ = host.takeLines()
    host.tell(.beginTask(app, label: 0, handler: .present), at: 28)
    host.tell(.beginTask(app, label: 0, handler: .present), at: 28)
    #expect(host.takeLines().last == "28s a terminated tooManyBackgroundTasks 0xbada5e47")
  }

  @Test func `F9 a handle from a former process never ends a task of the new one`() {
    var host = TestHost(.ios13, apps: [Manifest(), Manifest()])
    host.tell(.launch(app), at: 0)
    host.tell(.beginTask(app, label: 1, handler: .present), at: 1)
    let stale = host.lastTask
    host.tell(.crash(app, .badAccess), at: 2)
    host.tell(.launch(app), at: 3)
    host.tell(.beginTask(app, label: 2, handler: .present), at: 4)
    #expect(host.lastTask.id == stale.id && host.lastTask != stale)
    _ = host.takeLines()
    host.tell(.endTask(app, stale), at: 5)
    #expect(host.takeLines() == ["5s a unknownTask 1"])
    #expect(host.engine.openTaskCount(of: app) == 1)
    let open = host.lastTask
    host.tell(.endTask(app, open), at: 6)
    host.tell(.endTask(app, open), at: 6)
    #expect(host.takeLines() == ["6s a task 1 ended", "6s a unknownTask 1"])
  }

  @Test func `F9 a handle is of no use to another app`() {
    var host = TestHost(.unlimitedForeground, apps: [Manifest(), Manifest()])
    host.tell(.launch(app), at: 0)
    host.tell(.launch(other), at: 0)
    host.tell(.beginTask(app, label: 1, handler: .present), at: 1)
    host.tell(.endTask(other, host.lastTask), at: 2)
    #expect(host.takeLines().last == "2s b unknownTask 1")
    #expect(host.engine.openTaskCount(of: app) == 1)
  }

  @Test func `F12 Background App Refresh that is off denies no task, but to the letter of the seed text it does`() {
    let apps = [Manifest(backgroundRefresh: .denied), Manifest(backgroundRefresh: .restricted)]
    var host = TestHost(.ios13, device: DeviceFacts(backgroundRefresh: false), apps: apps)
    var strict = TestHost(.seedStrict, apps: apps)
    for app in [app, other] {
      host.tell(.launch(app), at: 0)
      strict.tell(.launch(app), at: 0)
      _ = (host.takeLines(), strict.takeLines())
      host.tell(.beginTask(app, label: 0, handler: .present), at: 0)
      strict.tell(.beginTask(app, label: 0, handler: .present), at: 0)
      #expect(host.takeLines() == ["0s \(app.text) task 1 began"])
      let reason = app == other ? "backgroundRefreshRestricted" : "backgroundRefreshDenied"
      #expect(strict.takeLines() == ["0s \(app.text) denied finiteTask: \(reason)", "0s \(app.text) task 0 began"])
    }
  }

  @Test func `F7 a begin after the warning gains nothing, and to a strict policy is invalid`() {
    for policy in [Policy.ios13, .strict] {
      var host = EngineTests.upload(policy, endsTask: false)
      host.tell(.home(nil), at: 0)
      host.run(to: 26)
      _ = host.takeLines()
      host.tell(.beginTask(app, label: 0, handler: .present), at: 26)
      let lines = host.takeLines()
      if policy == .strict {
        #expect(lines == ["26s a denied finiteTask: budget", "26s a task 0 began"])
      } else {
        #expect(lines == ["26s a task 2 began", "26s a expire 2 timeLimit, due 26s"])
      }
    }
  }

  // MARK: Time

  @Test func `C3 nothing fires a nanosecond before its deadline, and something at it`() {
    var host = EngineTests.upload(endsTask: false)
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

  @Test func `the next deadline is that of whatever comes first`() {
    var host = EngineTests.upload(endsTask: false)
    #expect(host.engine.nextDeadline == nil)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.nextDeadline == .zero + .seconds(35))
    host.run(to: 35)
    #expect(host.engine.nextDeadline == .zero + .seconds(40))
    host.tell(.endTask(app, host.lastTask), at: 36)
    #expect(host.engine.nextDeadline == nil && host.engine.state(of: app) == .suspended)
  }

  @Test func `F10 what remains is infinite while the clock stands still and exact while it runs`() {
    var host = EngineTests.upload()
    #expect(host.engine.backgroundTimeRemaining(of: app) == nil)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.backgroundTimeRemaining(of: app) == .seconds(30))
    host.tell(.probe(app), at: .zero + .milliseconds(12_500))
    #expect(host.takeLines().last == "12500ms a is background, 27500ms")
  }

  @Test func `sums that saturate lie at the end of time, which never comes`() {
    var host = EngineTests.upload(.endless(), endsTask: false)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.nextDeadline == .distantFuture - .seconds(5))
    #expect(host.engine.backgroundTimeRemaining(of: app) == Instant.distantFuture - (.zero + .seconds(10)))
    _ = host.takeLines()
    host.run(to: .distantFuture - .seconds(5))
    #expect(host.takeLines().last == "9223372031854775807ns a expire 1 timeLimit, due 9223372031854775807ns")
    #expect(host.engine.nextDeadline == nil)  // the end of time is never
  }

  // MARK: Sessions and wakes

  @Test func `L2 a session keeps its app running until its linger is over, and location stops the clock meanwhile`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .location)])
    host.tell(.launch(app), at: 0)
    host.tell(.startSession(app, .location), at: 0)
    host.tell(.startSession(app, .audio), at: 0)
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 0)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.backgroundTimeRemaining(of: app) == nil)
    _ = host.takeLines()
    host.tell(.stopSession(app, .location), at: 20)
    host.tell(.endTask(app, host.lastTask), at: 20)
    host.run(to: 100)
    #expect(host.takeLines() == ["20s a session location ended", "20s a task 1 ended", "21s a background → suspended"])
  }

  @Test func `L1 a session that the manifest does not declare is denied`() {
    var host = TestHost(.ios13)
    host.tell(.launch(app), at: 0)
    _ = host.takeLines()
    host.tell(.startSession(app, .audio), at: 0)
    #expect(host.takeLines() == ["0s a denied audio: modeNotDeclared", "0s a session audio denied"])
  }

  @Test func `W1 a wake launches, may be completed, and is denied after a force quit`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .fetch)])
    host.tell(.deliver(app, .fetch), at: 0)
    host.tell(.completeWake(app, nil), at: 3)
    #expect(
      host.takeLines() == [
        "0s a allowed fetch", "0s a notRunning → background", "0s a willFinishLaunching", "0s a didFinishLaunching", "0s a wake fetch",
        "3s a completed fetch", "3s a background → suspended",
      ])
    host.tell(.forceQuit(app), at: 4)
    host.tell(.deliver(app, .fetch), at: 5)
    host.tell(.deliver(app, .region), at: 6)
    host.run(to: 60)
    #expect(
      host.takeLines() == [
        "4s a suspended → notRunning", "4s a terminated userForceQuit", "5s a denied fetch: forceQuit", "6s a allowed region",
        "6s a notRunning → background", "6s a willFinishLaunching", "6s a didFinishLaunching", "6s a wake region", "16s a overran region",
        "16s a background → suspended",
      ])
  }

  @Test func `W2 an unfinished fetch is the end of its app`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .fetch)])
    host.tell(.deliver(app, .fetch), at: 0)
    _ = host.takeLines()
    host.run(to: 60)
    #expect(
      host.takeLines() == [
        "30s a overran fetch", "30s a background → notRunning", "30s a terminated backgroundTaskAssertionTimeout 0x2182bad4",
      ])
  }
}
