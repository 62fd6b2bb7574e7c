import Curfew
import CurfewTrace
import Foundation
import TestRuns
import Testing

import struct CurfewEngine.TaskID

@Suite(.inTurn) struct RecordingTests {
  @Test func `a virtual device's trace replays, calls from handlers included`() throws {
    let device = Device(policy: .ios13, facts: DeviceFacts(battery: 50))
    device.startRecording()
    let delegate = LoggingDelegate(Log()) { line, app in
      if line == "didEnterBackground" {
        _ = app.beginBackgroundTask(withName: "upload") { app.post("seen", value: "1") }
        app.endBackgroundTask(app.beginBackgroundTask(withName: "save"))
      }
    }
    let mail = device.register(
      "com.example.mail", manifest: AppManifest(backgroundModes: .fetch), delegate: delegate)
    let other = device.register("com.example.other")
    mail.launch()
    other.launch()
    mail.deliver(.fetch)
    device.advance(by: .seconds(40))
    mail.deliver(.remoteNotification)
    device.lock()
    device.update { $0.lowPowerMode = true }
    device.advance(by: .seconds(40))
    let trace = device.recordedTrace(name: "a run")
    #expect(trace.lines.count > 40 && trace.header.clock == nil)
    #expect(try Replay.run(trace, under: .ios13) == nil)
    let read = try Device.Trace.decode(SourceFile(name: "t", bytes: Array(trace.text.utf8)))
    #expect(read.text == trace.text)
  }

  @Test func `the trace of a device with one app that is not plain replays from its text`() throws {
    let device = Device(policy: .ios13)
    device.startRecording()
    let radio = device.register("radio", manifest: AppManifest(backgroundModes: .audio))
    radio.launch()
    radio.startSession(.audio)
    let trace = device.recordedTrace(name: "one app")
    let read = try Device.Trace.decode(SourceFile(name: "t", bytes: Array(trace.text.utf8)))
    #expect(read == trace)
    #expect(try Replay.run(read, under: .ios13) == nil)
  }

  @Test(arguments: ["otherApp", "launch", "lock", "forceQuit", "reboot"])
  func `C2 a handler's calls to other apps take effect after the step, and replay`(doing: String)
    throws
  {
    let device = Device(policy: .ios13, facts: DeviceFacts(memory: 100 << 20))
    device.startRecording()
    let other = device.register("other", manifest: AppManifest(footprint: 60 << 20))
    let next = device.register("next", manifest: AppManifest(footprint: 60 << 20))
    let delegate = LoggingDelegate(Log()) { line, _ in
      guard line == "didEnterBackground" else { return }
      switch doing {
      case "otherApp": other.useCPU(percent: 10, for: .seconds(1))
      case "launch":
        other.launch()
        other.launch()
        device.lock()
      case "lock": device.lock()
      case "forceQuit": next.forceQuit()
      default: device.reboot()
      }
    }
    let first = device.register("first", delegate: delegate)
    other.launch()
    first.launch()
    next.launch()
    device.advance(by: .seconds(60))
    let trace = device.recordedTrace(name: doing)
    let divergence = try Replay.run(trace, under: .ios13)
    #expect(divergence == nil, "\(divergence?.description ?? "") in\n\(trace.text)")
  }

  @Test func `a real device's trace replays, with every return and every advance`() throws {
    let device = Device(
      policy: try .crowded, clock: .realTime(ThreadClock(speed: 10)),
      facts: DeviceFacts(memory: 1 << 40))
    device.startRecording()
    let apps = (0..<20).map { number in
      device.register(
        "app\(number)",
        delegate: LoggingDelegate(Log()) { line, app in
          guard line == "didEnterBackground" else { return }
          let box = Box()
          box.task = app.beginBackgroundTask(withName: "upload") {
            if number % 3 > 0 { app.endBackgroundTask(box.task) }
          }
        })
    }
    for app in apps { app.launch() }
    let end = Date() + 20
    while Date() < end, apps.contains(where: { $0.applicationState != .active }) {
      Thread.sleep(forTimeInterval: 0.001)
    }
    for app in apps {
      app.home()
      Thread.sleep(forTimeInterval: 0.002)
    }
    while Date() < end, apps.contains(where: { $0.applicationState == .background }) {
      Thread.sleep(forTimeInterval: 0.005)
    }
    device.close()
    let trace = device.recordedTrace(name: "real")
    #expect(trace.header.clock == "monotonic" && trace.lines.contains { $0.body == .advance })
    #expect(trace.lines.count { if case .expiration = $0.body { true } else { false } } == 20)
    #expect(try Replay.run(trace, under: .crowded) == nil)
  }

  @Test func `actions can be followed as they happen, until the device is closed`() async {
    let device = Device(policy: .ios13)
    let early = device.register("com.example.early")
    let stream = device.actions()
    early.launch()
    let late = device.register("com.example.late")
    late.launch()
    _ = late.beginBackgroundTask(withName: "upload")
    device.close()
    var lines: [TraceLine] = []
    for await line in stream { lines.append(line) }
    #expect(
      lines.first?.body == .state(from: .notRunning, to: .inactive)
        && lines.first?.app == "com.example.early")
    #expect(
      lines.last?.body == .task(.begin, TaskID(rawValue: 1), name: "upload")
        && lines.last?.app == "com.example.late")
    for await _ in device.actions() { Issue.record("a closed device acts") }
  }
}

extension Device.Trace {
  var text: String { ([header.json] + lines.map { $0.json() }).joined(separator: "\n") + "\n" }
}
