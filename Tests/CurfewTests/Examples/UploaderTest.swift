import Curfew
import Testing

/// What an SDK asks of the system. In an app, `UIApplication` conforms; in tests, Curfew's `App` does.
protocol BackgroundTime: Sendable {
  func begin(_ name: String, onExpiration handler: @escaping @Sendable () -> Void) -> Int
  func end(_ token: Int)
}

/// An app's background time, by tokens.
final class CurfewTime: BackgroundTime, @unchecked Sendable {
  private let app: App
  private var tasks: [BackgroundTaskIdentifier] = []

  init(_ app: App) { self.app = app }

  func begin(_ name: String, onExpiration handler: @escaping @Sendable () -> Void) -> Int {
    tasks.append(app.beginBackgroundTask(withName: name) { handler() })
    return tasks.count - 1
  }

  func end(_ token: Int) { app.endBackgroundTask(tasks[token]) }
}

/// The code under test: keeps its app running while it uploads, and gives up when time is up.
final class Uploader: @unchecked Sendable {
  private(set) var hasGivenUp = false
  private let time: any BackgroundTime
  private var token = 0

  init(_ time: any BackgroundTime) { self.time = time }

  func start() {
    token = time.begin("upload") { [self] in
      hasGivenUp = true
      time.end(token)
    }
  }
}

@Suite struct UploaderTests {
  @Test func `the uploader gives up in time, and leaks nothing`() {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.host")
    let uploader = Uploader(CurfewTime(app))
    app.launch()
    uploader.start()
    device.home()
    #expect(device.finishBackgroundWork())
    #expect(uploader.hasGivenUp && device.leakedTasks.isEmpty && device.openTasks.isEmpty)
    #expect(app.applicationState == .suspended)
  }

  @Test func `the uploader copes with a grant that is taken back early`() {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.host")
    let uploader = Uploader(CurfewTime(app))
    app.launch()
    uploader.start()
    device.home()
    device.advance(by: .seconds(1))
    app.expireTasks(.thermal)
    #expect(uploader.hasGivenUp && device.leakedTasks.isEmpty)
  }

  @Test func `an older system has more patience`() {
    for (policy, patience) in [(PolicyFile.ios4, 595), (.ios7, 175), (.ios13, 25)] {
      let device = Device(policy: policy)
      let app = device.register("com.example.host")
      app.launch()
      _ = app.beginBackgroundTask(withName: "upload") { app.crash() }
      device.home()
      device.finishBackgroundWork()
      #expect(app.expirations.map(\.due) == [Instant.zero + .seconds(Int64(patience))])
    }
  }
}
