import Curfew
import Foundation
import TestRuns
import Testing

/// Observers are notified of lifecycle changes after the app's delegate.
@Suite(.inTurn) struct NotificationTests {
  @Test func `observers are notified after the delegate, in the order of registration`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register("mail", delegate: LoggingDelegate(log))
    app.addObserver(forName: App.didEnterBackgroundNotification) { _, _ in log.add("first") }
    app.addObserver(forName: nil) { app, name in
      log.add("second \(name.rawValue.dropFirst("UIApplication".count)) \(app.applicationState)")
    }
    app.launch()
    let before = log.lines.count
    device.home()
    #expect(
      log.lines.dropFirst(before) == [
        "willResignActive", "second WillResignActiveNotification active", "didEnterBackground",
        "first",
        "second DidEnterBackgroundNotification background",
      ])
  }

  @Test func `observers are added and removed at any time, even in a handler`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register("mail")
    app.launch()
    app.addObserver(forName: App.willResignActiveNotification) { app, _ in
      app.addObserver(forName: App.didEnterBackgroundNotification) { _, _ in log.add("late") }
    }
    let gone = app.addObserver(forName: nil) { _, _ in log.add("gone") }
    app.removeObserver(gone)
    app.removeObserver(gone)
    device.home()
    #expect(log.lines == ["late"])
    app.launch()
    device.home()
    #expect(log.lines == ["late", "late", "late"])
  }

  @Test func `an observer may begin the task that a delegate would`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.addObserver(forName: App.didEnterBackgroundNotification) { app, _ in
      _ = app.beginBackgroundTask { expiration in app.endBackgroundTask(expiration.identifier) }
    }
    app.launch()
    device.home()
    #expect(app.applicationState == .background && device.openTasks.count == 1)
    device.finishBackgroundWork()
    #expect(device.leakedTasks.isEmpty && app.expirations.count == 1)
  }

  @Test func `a notification center gets posts under UIKit's names, with the app's object`() {
    let (device, log, own, center) = (Device(policy: .ios13), Log(), Log(), NotificationCenter())
    let (mail, maps) = (device.register("mail"), device.register("maps"))
    for app in [mail, maps] { app.postNotifications(to: center) }
    let all = center.addObserver(forName: nil, object: nil, queue: nil) { note in
      log.add("\((note.object as? AppObject)?.app.name ?? "nobody") \(note.name.rawValue)")
    }
    let entering = Notification.Name("UIApplicationDidEnterBackgroundNotification")
    let mails = center.addObserver(forName: entering, object: mail.object, queue: nil) {
      own.add($0.name.rawValue)
    }
    mail.launch()
    maps.launch()
    maps.forceQuit()
    #expect(
      log.lines == [
        "mail UIApplicationDidFinishLaunchingNotification",
        "mail UIApplicationDidBecomeActiveNotification",
        "mail UIApplicationWillResignActiveNotification",
        "mail UIApplicationDidEnterBackgroundNotification",
        "maps UIApplicationDidFinishLaunchingNotification",
        "maps UIApplicationDidBecomeActiveNotification",
        "maps UIApplicationWillResignActiveNotification",
        "maps UIApplicationDidEnterBackgroundNotification",
        "maps UIApplicationWillTerminateNotification",
      ])
    #expect(mail.object === mail.object && mail.object !== maps.object)
    #expect(own.lines == ["UIApplicationDidEnterBackgroundNotification"])
    for observer in [all, mails] { center.removeObserver(observer) }
  }

  @Test func `a closed device and a removed app release their observers`() {
    for isClosed in [true, false] {
      let device = Device(policy: .ios13)
      let app = device.register("mail")
      weak var held: Log?
      do {
        let log = Log()
        held = log
        app.addObserver(forName: nil) { _, _ in log.add("") }
        _ = app.object
      }
      #expect(held != nil)
      if isClosed { device.close() } else { device.removeApp(app) }
      #expect(held == nil)
    }
  }

  @Test func `a delegate that throws ends the process, and no observer is notified after that`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let delegate = LoggingDelegate(log) { line, _ in
      if line == "didEnterBackground" { throw CancellationError() }
    }
    let app = device.register("mail", delegate: delegate)
    app.addObserver(forName: App.didEnterBackgroundNotification) { _, _ in log.add("told") }
    app.launch()
    device.home()
    #expect(!log.lines.contains("told") && app.processEnds.last?.reason == .abnormalExit)
  }
}
