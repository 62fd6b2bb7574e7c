import Curfew
import CurfewTesting
import Dispatch
import Testing

/// Background tasks of iOS.
extension FieldBugs {
  @Test(arguments: [false, true])
  func `PINCache#13: the handler captures the identifier before begin has answered`(isMended: Bool)
    throws
  {
    let ((device, app), stored) = (Self.app(), Stored())
    try app.run {
      let captured = stored.identifier
      stored.identifier = app.beginBackgroundTask(withName: "trim") {
        app.endBackgroundTask(isMended ? stored.identifier : captured)
      }
    }
    device.home()
    device.advance(by: .seconds(60))
    #expect(app.lastEnd == (isMended ? nil : "backgroundTaskAssertionTimeout 0x2182bad2 at 30s"))
    #expect(device.leakedTasks.map(\.name) == (isMended ? [] : ["trim"]) && app.openTasks.isEmpty)
  }

  @Test(arguments: [false, true])
  func `Salesforce iOS SDK#3039, mixpanel-iphone#389: each visit overwrites the one identifier`(
    isMended: Bool
  ) {
    let stored = Stored()
    let client = Answers { callback, app in
      guard callback == .didEnterBackground else { return }
      if isMended { app.endBackgroundTask(stored.identifier) }
      stored.identifier = app.beginBackgroundTask(withName: "flush") {
        app.endBackgroundTask(stored.identifier)
      }
    }
    let (device, app) = Self.app(delegate: client)
    device.home()
    device.advance(by: .seconds(1))
    app.launch()
    device.advance(by: .seconds(1))
    device.home()
    device.advance(by: .seconds(60))
    #expect(app.lastEnd == (isMended ? nil : "backgroundTaskAssertionTimeout 0x2182bad2 at 32s"))
    #expect(isMended || device.leakedTasks.map(\.age) == [.seconds(32)], "\(device.leakedTasks)")
  }

  @Test func `firebase-ios-sdk#4554, mixpanel-swift#335: a task is ended twice`() throws {
    let (device, app) = Self.app()
    let task = try app.run { app.beginBackgroundTask(withName: "log") }
    device.home()
    try app.run {
      app.endBackgroundTask(task)
      app.endBackgroundTask(task)
    }
    #expect(
      device.diagnostics.map(\.cause) == [.unknownTask(1)] && app.applicationState == .suspended)
  }

  @Test
  func `UniClip#28: the time that remains is the greatest double before a begin, and 30 s after`() {
    let lines = Lines()
    let client = Answers { callback, app in
      guard callback == .didEnterBackground else { return }
      lines.add(
        "\(app.backgroundTimeRemaining == .greatestFiniteMagnitude), \(Int(exactly: app.backgroundTimeRemaining * 1000) == nil)"
      )
      _ = app.beginBackgroundTask { app.crash() }
      lines.add("\(app.backgroundTimeRemaining)")
    }
    let (device, app) = Self.app(delegate: client)
    device.home()
    device.advance(by: .seconds(1))
    #expect(lines.all == ["true, true", "30.0"] && app.backgroundTimeRemaining == 29)
  }

  @Test
  func `AppLovin-MAX#446, WalletConnectSwiftV2#784: a task is open for half a minute in front`()
    throws
  {
    let (device, app) = Self.app()
    let line = #line + 1
    try app.run { _ = app.beginBackgroundTask(withName: "ads") }
    device.advance(by: .seconds(29))
    #expect(device.diagnostics.isEmpty)
    device.advance(by: .seconds(2))
    let origin = "\(#fileID):\(line)"
    #expect(
      device.diagnostics.map { "\($0)" } == [
        "com.example.app at 30s: taskTooOld: task 1 'ads', open for 30s, begun at \(origin)"
      ])
    #expect(device.diagnostics.flatMap(\.openTasks).map(\.name) == ["ads"])
  }

  @Test(arguments: [false, true])
  func `neeva-ios#4173: a handler ends its task and then blocks its queue`(isMended: Bool) throws {
    let (device, app) = Self.app()
    try app.run {
      _ = app.beginBackgroundTask(withName: "download") { expiration in
        app.endBackgroundTask(expiration.identifier)
        if !isMended { device.advance(by: .seconds(600)) }
      }
    }
    device.home()
    device.advance(by: .seconds(34))
    device.advance(by: .seconds(600))
    #expect(
      device.diagnostics.map { "\($0)" }
        == (isMended ? [] : ["com.example.app at 35s: runsWithoutAssertion: expirationHandler"]))
    #expect(app.processEnds.isEmpty && app.applicationState == .suspended)
  }

  @Test
  func
    `google-api-objectivec-client-for-rest#403: the answer of a begin is stored after the warning`()
    async throws
  {
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let (app, stored) = (device.register("com.example.app"), Stored())
      app.launch()
      let first = try app.run { app.beginBackgroundTask(withName: "first") }
      device.home()
      device.advance(by: .seconds(25) - .nanoseconds(1))
      try app.run {
        let answer = app.beginBackgroundTask(withName: "fetch") {
          app.endBackgroundTask(stored.identifier)
        }
        Task {
          try await Task.sleep(for: .milliseconds(1))
          stored.identifier = answer
        }
        app.endBackgroundTask(first)
      }
      device.advance(by: .seconds(60))
      #expect(
        app.lastEnd == "backgroundTaskAssertionTimeout 0x2182bad2 at 30s"
          && device.leakedTasks.map(\.name) == ["fetch"])
    }
  }

  @Test(arguments: [false, true])
  func `actual-chat#3825: a file is locked for 3 s after the user has left`(isMended: Bool)
    async throws
  {
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let client = Answers { callback, app in
        guard callback == .didEnterBackground else { return }
        app.lockFile()
        let task = isMended ? app.beginBackgroundTask(withName: "database") : .invalid
        Task {
          try await Task.sleep(for: .seconds(3))
          app.unlockFile()
          app.endBackgroundTask(task)
        }
      }
      let app = device.register("com.example.app", delegate: client)
      app.launch()
      device.home()
      device.advance(by: .seconds(60))
      #expect(app.processEnds.map { $0.code.map { "\($0)" } } == (isMended ? [] : ["0xdead10cc"]))
      #expect(app.applicationState == (isMended ? .suspended : .notRunning))
    }
  }

  @Test(arguments: [false, true])
  func `WordPress-iOS#21254: a handler ends its task in a main-actor job or a main-queue block`(
    isBlock: Bool
  ) async throws {
    guard VirtualTime.followsDispatch || !isBlock else { return }
    try await withDevice(Device(policy: .ios13)) { device in
      let app = device.register("com.example.app")
      app.launch()
      try app.run {
        _ = app.beginBackgroundTask(withName: "upload") { expiration in
          let end: @Sendable () -> Void = { app.endBackgroundTask(expiration.identifier) }
          if isBlock {
            DispatchQueue.main.async(execute: end)
          } else {
            Task { @MainActor in end() }
          }
        }
      }
      device.home()
      device.advance(by: .seconds(60))
      #expect(
        app.processEnds.isEmpty
          && device.diagnostics.map(\.cause) == [.remark(.stillOpenAfterExpiration)])
    }
  }

  @Test(arguments: [false, true])
  func `TUSKit#57, capacitor#2494: an upload of ten parts, and the user leaves after 5 s`(
    isMended: Bool
  )
    async throws
  {
    actor Client {
      var sent = 0
      func upload() async throws {
        for _ in 0..<10 {
          try await Task.sleep(for: .seconds(4))
          sent += 1
        }
      }
    }
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let (app, client) = (device.register("com.example.app"), Client())
      app.launch()
      let upload = Task {
        try await app.run {
          if isMended {
            try await app.withBackgroundTask { try await client.upload() }
          } else {
            try await client.upload()
          }
        }
      }
      device.advance(by: .seconds(5))
      device.home()
      device.advance(by: .seconds(60))
      #expect(
        await client.sent == (isMended ? 7 : 1) && app.applicationState == .suspended
          && app.processEnds.isEmpty)
      app.forceQuit()
      _ = await upload.result
    }
  }
}
