import Curfew
import TestRuns
import Testing

/// An identifier is its number.
@Suite(.inTurn) struct IdentifierTests {
  @Test func `an identifier made from a number is the same, and ends the same task`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    let tasks = (1...3).map { app.beginBackgroundTask(withName: "\($0)") }
    #expect(tasks.map(\.rawValue) == [1, 2, 3])
    let second = BackgroundTaskIdentifier(rawValue: tasks[1].rawValue)
    #expect(
      second == tasks[1] && second.hashValue == tasks[1].hashValue && Set(tasks).contains(second))
    app.endBackgroundTask(second)
    #expect(app.openTasks.map(\.identifier) == [tasks[0], tasks[2]])
    #expect(
      BackgroundTaskIdentifier(rawValue: 0) == .invalid
        && "\(BackgroundTaskIdentifier(rawValue: 0))" == "invalid")
  }

  @Test func `no two tasks of a device have the same identifier, in any apps and processes`() {
    let device = Device(policy: .ios13)
    var seen: Set<BackgroundTaskIdentifier> = []
    for name in ["mail", "maps"] {
      let app = device.register(name)
      for _ in 1...3 {
        app.launch()
        for _ in 1...4 {
          let task = app.beginBackgroundTask()
          #expect(seen.insert(task).inserted)
          app.endBackgroundTask(task)
        }
        app.forceQuit()
      }
    }
    #expect(seen.count == 24)
  }

  @Test func `F9 a number of a former process, of another app or of no task ends nothing`() {
    let device = Device(policy: .ios13)
    let (mail, maps) = (device.register("mail"), device.register("maps"))
    maps.launch()
    let other = maps.beginBackgroundTask()
    mail.launch()
    let former = mail.beginBackgroundTask().rawValue
    mail.forceQuit()
    mail.launch()
    let open = mail.beginBackgroundTask()
    #expect(![open, other].contains(.invalid))
    for number in [former, other.rawValue, open.rawValue + 1, -1, .max, .min] {
      mail.endBackgroundTask(BackgroundTaskIdentifier(rawValue: number))
      #expect(!mail.mayRunExpirationHandler(of: BackgroundTaskIdentifier(rawValue: number)))
    }
    #expect(
      mail.openTasks.map(\.identifier) == [open] && maps.openTasks.map(\.identifier) == [other])
  }

  @Test func `the number tells whether its handler may still run`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    let task = app.beginBackgroundTask {}
    let rebuilt = BackgroundTaskIdentifier(rawValue: task.rawValue)
    #expect(app.mayRunExpirationHandler(of: rebuilt))
    app.endBackgroundTask(rebuilt)
    #expect(!app.mayRunExpirationHandler(of: rebuilt) && !app.mayRunExpirationHandler(of: task))
  }

  @Test func `ending twice by number is like ending twice by identifier`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    device.startRecording()
    app.launch()
    let task = app.beginBackgroundTask()
    app.endBackgroundTask(task)
    app.endBackgroundTask(task)
    app.endBackgroundTask(BackgroundTaskIdentifier(rawValue: task.rawValue))
    let lines = device.recordedTrace(name: "twice").lines.filter {
      if case .diagnostic = $0.body { true } else { false }
    }
    #expect(lines.count == 2 && lines[0].body == lines[1].body)
  }
}
