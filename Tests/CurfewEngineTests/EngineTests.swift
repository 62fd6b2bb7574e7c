import CurfewEngine
import TestRuns
import Testing

/// Finite-length tasks: events in, actions compared. Callbacks take no time; see `TestHost`.
@Suite(.inTurn) struct EngineTests {
  private let app = AppID(rawValue: 0)
  private let other = AppID(rawValue: 1)

  @Test
  func `an upload that its handler ends in time: launch, Home, task, warning, end, suspended`() {
    var host = TestHost.uploading()
    host.tell(.home(nil), at: 10)
    host.run(to: 100)
    #expect(
      host.takeLines() == [
        "0s a notRunning → inactive", "0s a willFinishLaunching", "0s a didFinishLaunching",
        "0s a inactive → active",
        "0s a didBecomeActive",
        "10s a willResignActive", "10s a active → inactive", "10s a inactive → background",
        "10s a didEnterBackground",
        "10s a task 1 began",
        "35s a expire 1 timeLimit, due 35s", "35s a task 1 ended", "35s a background → suspended",
      ])
    host.tell(.launch(app), at: 100)
    #expect(
      host.takeLines() == [
        "100s a suspended → background", "100s a willEnterForeground",
        "100s a background → inactive", "100s a inactive → active",
        "100s a didBecomeActive",
      ])
  }

  @Test func `F6 a task that is never ended ends its process`() {
    var host = TestHost.uploading(endsTask: false)
    host.tell(.home(nil), at: 10)
    _ = host.takeLines()
    host.run(to: 100)
    #expect(
      host.takeLines() == [
        "35s a expire 1 timeLimit, due 35s", "35s a 1 still open", "35s a leaked 1 after 25s",
        "40s a background → notRunning",
        "40s a terminated backgroundTaskAssertionTimeout 0x2182bad2",
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

  @Test func `F1 without multitasking a begin returns 0, and ending 0 has no effect`() {
    var host = TestHost(.noMultitasking)
    host.tell(.launch(app), at: 0)
    _ = host.takeLines()
    host.tell(.beginTask(app, label: 0, handler: .present), at: 1)
    host.tell(.endTask(app, host.lastTask), at: 1)
    host.tell(.home(nil), at: 2)
    #expect(
      host.takeLines() == [
        "1s a denied finiteTask: noMultitasking", "1s a task 0 began", "2s a willResignActive",
        "2s a active → inactive",
        "2s a willTerminate", "2s a inactive → notRunning", "2s a terminated normalAppExit",
      ])
  }

  @Test func `F9 a thousand open tasks are legal and one more ends the process`() {
    var host = TestHost(.ios13)
    host.tell(.launch(app), at: 0)
    for _ in 0..<1000 { host.tell(.beginTask(app, label: 0, handler: .absent), at: 1) }
    #expect(host.engine.openTaskCount(of: app) == 1000)
    _ = host.takeLines()
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 1)
    #expect(
      host.takeLines() == [
        "1s a task 1001 began", "1s a active → notRunning",
        "1s a terminated tooManyBackgroundTasks 0xbada5e47",
      ])
    #expect(host.engine.openTaskCount(of: app) == 0)
  }

  @Test func `F9 tasks begun after the warning count towards the limit even when they have ended`()
  {
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

  @Test func `F9 late tasks do not count in the next visit, whenever they ended`() {
    var host = TestHost(.ios13.with { $0.tasks.limit = 3 })
    host.tell(.launch(app), at: 0)
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 0)
    host.tell(.home(nil), at: 0)
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 26)
    host.tell(.endTask(app, host.lastTask), at: 26)
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 26)
    let late = host.lastTask
    host.tell(.launch(app), at: 27)
    host.tell(.home(nil), at: 27)
    host.tell(.endTask(app, late), at: 28)
    for _ in 0..<2 { host.tell(.beginTask(app, label: 0, handler: .absent), at: 28) }
    #expect(host.engine.openTaskCount(of: app) == 3)
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

  @Test func `F9 a handle has no effect in another app`() {
    var host = TestHost(.unlimitedForeground, apps: [Manifest(), Manifest()])
    host.tell(.launch(app), at: 0)
    host.tell(.launch(other), at: 0)
    host.tell(.beginTask(app, label: 1, handler: .present), at: 1)
    host.tell(.endTask(other, host.lastTask), at: 2)
    #expect(host.takeLines().last == "2s b unknownTask 1")
    #expect(host.engine.openTaskCount(of: app) == 1)
  }

  @Test
  func
    `F12 Background App Refresh that is off denies no task, except in the literal reading of the seed text`()
  {
    let apps = [Manifest(backgroundRefresh: .denied), Manifest(backgroundRefresh: .restricted)]
    var host = TestHost(.ios13, device: DeviceFacts(backgroundRefresh: .denied), apps: apps)
    var strict = TestHost(.seedStrict, apps: apps)
    for app in [app, other] {
      host.tell(.launch(app), at: 0)
      strict.tell(.launch(app), at: 0)
      _ = (host.takeLines(), strict.takeLines())
      host.tell(.beginTask(app, label: 0, handler: .present), at: 0)
      strict.tell(.beginTask(app, label: 0, handler: .present), at: 0)
      #expect(host.takeLines() == ["0s \(app.text) task 1 began"])
      let reason = app == other ? "backgroundRefreshRestricted" : "backgroundRefreshDenied"
      #expect(
        strict.takeLines() == [
          "0s \(app.text) denied finiteTask: \(reason)", "0s \(app.text) task 0 began",
        ])
    }
  }

  @Test
  func `F7 a begin after the warning gets no extra time, and is invalid under a strict policy`() {
    for policy in [Policy.ios13, .strict] {
      var host = TestHost.uploading(policy, endsTask: false)
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

  @Test func `F5 a handler that was due in a visit which has ended is due again in the next`() {
    var host = TestHost(.ios13.with { $0.limits.didEnterBackground = .seconds(60) })
    host.tell(.launch(app), at: 0)
    host.tell(.beginTask(app, label: 0, handler: .present), at: 0)
    host.isSlow = { $0 == .callback(AppID(rawValue: 0), .didEnterBackground) }
    host.tell(.home(nil), at: 0)
    host.isSlow = { _ in false }
    // All of this waits for `didEnterBackground`, and the handler, due at 25 s, waits behind it.
    host.tell(.launch(app), at: 20)
    host.tell(.home(nil), at: 21)
    _ = host.takeLines()
    host.tell(.returned(app), at: 26)
    host.run(to: 55)
    #expect(
      host.takeLines() == [
        "26s a willEnterForeground", "26s a background → inactive", "26s a inactive → active",
        "26s a didBecomeActive",
        "26s a willResignActive", "26s a active → inactive", "26s a inactive → background",
        "26s a didEnterBackground",
        "30s a taskTooOld 1", "51s a expire 1 timeLimit, due 51s", "51s a 1 still open",
        "51s a leaked 1 after 51s",
      ])
  }
}
