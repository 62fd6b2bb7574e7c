import Curfew
import Testing

/// The SDK's view of the system: time to finish some work.
protocol BackgroundTime: Sendable {
  /// Begins a background task. The returned closure ends it.
  func begin(_ name: String, onExpiration handler: @escaping @Sendable () -> Void)
    -> @Sendable () -> Void
}

/// An app's background time, in a test.
struct CurfewTime: BackgroundTime {
  let app: App

  func begin(_ name: String, onExpiration handler: @escaping @Sendable () -> Void)
    -> @Sendable () -> Void
  {
    let task = app.beginBackgroundTask(withName: name, expirationHandler: handler)
    return { app.endBackgroundTask(task) }
  }
}

/// The code under test: keeps its app running while it uploads, and gives up when time is up.
final class Uploader: @unchecked Sendable {
  private(set) var hasGivenUp = false
  private let time: any BackgroundTime
  private var end: @Sendable () -> Void = {}

  init(_ time: any BackgroundTime) { self.time = time }

  func start() {
    end = time.begin("upload") { [self] in
      hasGivenUp = true
      end()
    }
  }
}

@Suite struct UploaderTests {
  @Test func `the uploader gives up in time, and leaks nothing`() throws {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.host")
    let uploader = Uploader(CurfewTime(app: app))
    app.launch()
    try app.run { uploader.start() }
    device.home()
    #expect(device.finishBackgroundWork())
    #expect(uploader.hasGivenUp && device.leakedTasks.isEmpty && device.openTasks.isEmpty)
    #expect(app.applicationState == .suspended)
  }

  @Test func `the uploader copes with a grant that is taken back early`() throws {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.host")
    let uploader = Uploader(CurfewTime(app: app))
    app.launch()
    try app.run { uploader.start() }
    device.home()
    device.advance(by: .seconds(1))
    app.expireTasks(.thermal)
    #expect(uploader.hasGivenUp && device.leakedTasks.isEmpty)
  }

  @Test func `an older system has more patience`() throws {
    for (policy, patience) in [(PolicyFile.ios4, 595), (.ios7, 175), (.ios13, 25)] {
      let device = Device(policy: policy)
      let app = device.register("com.example.host")
      app.launch()
      try app.run { _ = app.beginBackgroundTask(withName: "upload") { app.crash() } }
      device.home()
      device.finishBackgroundWork()
      #expect(app.expirations.map(\.due) == [Instant.zero + .seconds(Int64(patience))])
    }
  }

  @Test func `a policy of one's own has its own patience`() throws {
    let strict = try PolicyFile.decode(
      """
      curfew: policy/1
      name: strict
      extends: ios13
      tasks: {grant: 10s, warning: 2s}
      """)
    let device = Device(policy: strict)
    let app = device.register("com.example.host")
    app.launch()
    try app.run { _ = app.beginBackgroundTask(withName: "upload") { app.crash() } }
    device.home()
    device.finishBackgroundWork()
    #expect(app.expirations.map(\.due) == [Instant.zero + .seconds(8)])
  }
}
