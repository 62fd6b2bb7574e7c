import Curfew
import Dispatch
import Foundation
import Testing

/// The part of `BGTaskScheduler` that the mail program uses.
protocol MailScheduler {
  func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping (BGTask) -> Void
  ) -> Bool
  func submit(_ taskRequest: BGTaskRequest) throws
}

extension BGTaskScheduler: MailScheduler {}

/// The code under test: fetches mail again an hour after it has fetched mail.
final class Refresher {
  static let identifier = "com.example.mail.refresh"
  private let scheduler: any MailScheduler
  private let now: () -> Date
  private let fetch: (BGTask) -> Void

  init(_ scheduler: any MailScheduler, now: @escaping () -> Date, fetch: @escaping (BGTask) -> Void)
  {
    (self.scheduler, self.now, self.fetch) = (scheduler, now, fetch)
  }

  func register() {
    _ = scheduler.register(forTaskWithIdentifier: Refresher.identifier, using: nil) { [self] task in
      schedule()
      fetch(task)
    }
  }

  func schedule() {
    let request = BGAppRefreshTaskRequest(identifier: Refresher.identifier)
    request.earliestBeginDate = now() + 3600
    do { try scheduler.submit(request) } catch { print("no refresh: \(error)") }
  }
}

/// Its app in a test: each launch is a new process and registers again.
final class MailApp: AppDelegate, @unchecked Sendable {
  var registers = true
  var fetch: (BGTask) -> Void = { $0.setTaskCompleted(success: true) }
  private(set) var fetches: [Date] = []

  func applicationDidFinishLaunching(_ app: App) {
    let refresher = Refresher(app.taskScheduler, now: { app.date }) { [self] task in
      fetches.append(app.date)
      fetch(task)
    }
    guard registers else { return }
    refresher.register()
    refresher.schedule()
  }
}

@Suite struct TaskSchedulerExamples {
  let device = Device(policy: .ios13)
  let mail = MailApp()
  let app: App

  init() {
    let manifest = AppManifest(
      backgroundModes: .fetch, permittedIdentifiers: [Refresher.identifier])
    app = device.register("com.example.mail", manifest: manifest, delegate: mail)
    app.launch()
    device.home()
  }

  @Test func `mail is fetched every hour`() {
    device.advance(by: .seconds(3 * 3600))
    #expect(mail.fetches.map(\.timeIntervalSinceReferenceDate) == [3600, 7200, 10800])
    #expect(app.applicationState == .suspended)
  }

  @Test func `a fetch that hangs gives up in time`() {
    mail.fetch = { task in task.expirationHandler = { task.setTaskCompleted(success: false) } }
    device.advance(by: .seconds(3600 + 30))
    #expect(app.applicationState == .suspended && app.processEnds.isEmpty)
  }

  @Test func `a fetch that never gives up is killed`() {
    mail.fetch = { task in task.expirationHandler = {} }
    device.advance(by: .seconds(3600 + 30))
    #expect(
      app.processEnds.last?.reason == .backgroundTaskAssertionTimeout
        && app.processEnds.last?.kind == .appRefresh)
  }

  @Test func `a launch that forgets to register is found out`() {
    app.launch()
    app.crash()
    mail.registers = false
    device.advance(by: .seconds(3600))
    #expect(
      app.processEnds.last?.error?.hasPrefix(
        "No launch handler registered for task with identifier") == true)
  }

  @Test func `one request is pending`() async {
    let pending = await app.taskScheduler.pendingTaskRequests()
    #expect(pending.map(\.identifier) == [Refresher.identifier])
    #expect(pending.first?.earliestBeginDate == Device.virtualStartDate + 3600)
  }

  @Test func `a user who wants no background refresh gets none`() {
    app.setBackgroundRefresh(.denied)
    device.advance(by: .seconds(7200))
    #expect(mail.fetches.isEmpty && app.lastDecision?.isAllowed == false)
    do {
      app.launch()
      try app.run {
        try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: Refresher.identifier))
      }
      Issue.record("taken, with Background App Refresh off")
    } catch BGTaskScheduler.Error.unavailable {
      print("as on a phone")
    } catch {
      Issue.record(error)
    }
  }

  @Test func `a day that is named`() {
    let newYear = Date(timeIntervalSince1970: 1_767_225_600)
    let device = Device(policy: .ios13, startDate: newYear)
    device.advance(by: .seconds(60))
    #expect(device.date == newYear + 60)
  }
}
