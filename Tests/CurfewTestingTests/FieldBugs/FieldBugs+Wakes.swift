import Curfew
import CurfewTesting
import Dispatch
import Testing

/// Requests, wakes and starts of iOS.
extension FieldBugs {
  private static let refreshing = AppManifest(
    backgroundModes: .fetch, permittedIdentifiers: ["refresh"])

  @Test func `flutter_background_fetch#414, shiny#280: a handler is registered in didBecomeActive`()
  {
    let client = Answers { callback, app in
      if callback == .didBecomeActive {
        app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
      }
    }
    let (_, app) = Self.app(Self.refreshing, delegate: client)
    #expect(
      app.processEnds.last?.error?.hasPrefix(
        "All launch handlers must be registered before application finishes launching") == true)
  }

  @Test func `flutter_background_geolocation#1205: two SDKs register one identifier`() {
    let client = Answers { callback, app in
      guard callback == .didFinishLaunching else { return }
      for _ in 0..<2 {
        app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
      }
    }
    let (_, app) = Self.app(Self.refreshing, delegate: client)
    #expect(
      app.processEnds.last?.error?.contains("refresh") == true
        && app.applicationState == .notRunning)
  }

  @Test func `WordPress-iOS#18156, expo#39769: nobody registers the identifier that is submitted`()
  {
    let (device, app) = Self.app(Self.refreshing, delegate: Answers())
    #expect(throws: BGTaskScheduler.Error.self) {
      try app.run { try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) }
    }
    #expect(
      device.processEnds.last?.error?.hasPrefix(
        "No launch handler registered for task with identifier refresh") == true)
  }

  @Test func `salve-db#71, PushPlugin#288: a push is completed before its work is done`()
    async throws
  {
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let lines = Lines()
      let client = Answers(toWakes: { wake in
        Task {
          try await Task.sleep(for: .seconds(5))
          lines.add("done")
        }
        wake.complete()
      })
      let app = device.register(
        "com.example.app", manifest: AppManifest(backgroundModes: .remoteNotification),
        delegate: client)
      app.deliver(.remoteNotification)
      device.advance(by: .seconds(60))
      #expect(lines.all.isEmpty && app.applicationState == .suspended)
    }
  }

  private static let wakes: [(kind: KindName, end: String?)] = [
    (.urlSession, "backgroundTaskAssertionTimeout 0x2182bad3 at 30s"),
    (.fetch, "backgroundTaskAssertionTimeout 0x2182bad4 at 30s"),
    (.remoteNotification, "backgroundTaskAssertionTimeout 0x2182baad at 30s"), (.region, nil),
  ]

  @Test(arguments: wakes)
  func `expo#8599, Alamofire#804, react-native#11162: nobody completes the wake`(
    kind: KindName, end: String?
  ) {
    let device = Device(policy: .ios13)
    let manifest = AppManifest(backgroundModes: [.fetch, .remoteNotification, .location])
    let app = device.register(
      "com.example.app", manifest: manifest, delegate: Answers(toWakes: { _ in }))
    app.deliver(kind)
    device.advance(by: .seconds(60))
    #expect(app.lastEnd == end && app.applicationState == (end == nil ? .suspended : .notRunning))
  }

  @Test func `home-assistant iOS#5039, noop#654: the work and the handler both complete the task`()
    throws
  {
    for isFixed in [false, true] {
      let client = Answers { callback, app in
        guard callback == .didFinishLaunching else { return }
        app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
          // The work completes the task when the handler cancels it.
          let cancelWork = { task.setTaskCompleted(success: false) }
          task.expirationHandler = {
            cancelWork()
            if !isFixed { task.setTaskCompleted(success: false) }
          }
        }
      }
      let (device, app) = Self.app(Self.refreshing, delegate: client)
      try app.run { try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) }
      device.home()
      device.advance(by: .seconds(16 * 60))
      let remarks = device.diagnostics.compactMap {
        if case .alreadyCompleted(let again) = $0.cause { again } else { nil }
      }
      #expect(remarks.map(\.identifier) == (isFixed ? [] : ["refresh"]))
      #expect(app.processEnds.isEmpty && app.applicationState == .suspended)
    }
  }

  /// A service on the main actor whose refresh updates its own state.
  @MainActor private final class Refreshes {
    private(set) var count = 0

    /// Registers in `applicationDidFinishLaunching(_:)`, and runs a refresh to its end.
    func run(_ device: Device, using queue: DispatchQueue?) throws {
      let client = Answers { callback, app in
        guard callback == .didFinishLaunching else { return }
        app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: queue) { task in
          // Swift 6 begins a closure of a main-actor class with this check if it is passed
          // to an Objective-C framework.
          MainActor.assumeIsolated { self.count += 1 }
          task.setTaskCompleted(success: true)
        }
      }
      let app = device.register(
        "com.example.app", manifest: FieldBugs.refreshing, delegate: client)
      app.launch()
      try app.run { try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) }
      device.home()
      device.advance(by: .seconds(16 * 60))
    }
  }

  @Test func `VivaDicta#316: a main-actor launch handler on a queue of the scheduler's`()
    async throws
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withDevice(Device(policy: .ios13), reporting: []) { device in
        let refreshes = Refreshes()
        try await refreshes.run(device, using: nil)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Incorrect actor executor assumption"), "\(text)")
    // The mended client names the main queue.
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let refreshes = Refreshes()
      try await refreshes.run(device, using: .main)
      #expect(await refreshes.count == 1)
    }
  }

  @Test(arguments: [1, 2])
  func `OneSignal#148, prox#161, phonegap-plugin-push#1150: a push is completed twice`(times: Int) {
    let device = Device(policy: .ios13)
    let app = device.register(
      "com.example.app", manifest: AppManifest(backgroundModes: .remoteNotification),
      delegate: Answers(toWakes: { wake in for _ in 0..<times { wake.complete() } }))
    app.deliver(.remoteNotification)
    #expect(app.processEnds.map(\.reason) == (times == 1 ? [] : [.abnormalExit]))
    let exception = app.processEnds.last?.error
    #expect(exception?.hasPrefix("NSInternalInconsistencyException: ") ?? (times == 1))
    #expect(app.applicationState == (times == 1 ? .suspended : .notRunning))
  }

  @Test(arguments: [false, true])
  func `callkeep#664, linphone-iphone#669: no call is reported for a VoIP push`(isReported: Bool) {
    let device = Device(policy: .ios13)
    let app = device.register(
      "com.example.app", manifest: AppManifest(backgroundModes: .voip),
      delegate: Answers(toWakes: { wake in if isReported { wake.complete() } }))
    app.deliver(.voipPush)
    device.advance(by: .seconds(60))
    #expect(
      app.lastEnd == (isReported ? nil : "backgroundTaskAssertionTimeout 0xbaadca11 at 30s"))
  }

  @Test func `react-native-background-fetch#187: fetches stop with a force quit`() {
    let lines = Lines()
    let (device, app) = Self.app(
      AppManifest(backgroundModes: .fetch),
      delegate: Answers(toWakes: { wake in
        lines.add("\(wake.kind)")
        wake.complete()
      }))
    app.setMinimumBackgroundFetchInterval(.zero)
    device.home()
    device.advance(by: .seconds(45 * 60))
    #expect(lines.all == ["fetch", "fetch", "fetch"])
    app.forceQuit()
    device.advance(by: .seconds(2 * 3600))
    #expect(lines.all.count == 3 && app.lastDecision?.reasons.description == "forceQuit")
    #expect(app.lastDecision?.explanations.allSatisfy { $0.remedy?.isEmpty == false } == true)
  }
}
