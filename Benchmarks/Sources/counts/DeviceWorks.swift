import Curfew
import CurfewEngine
@_spi(Benchmarks) import CurfewSimulation
import CurfewTrace

/// Pairs of `beginBackgroundTask` with a handler and `endBackgroundTask`.
final class DeviceTasks: Work {
  private let device = Device(policy: .ios13, facts: DeviceFacts(memory: 1 << 50))
  private let app: App
  private let pairs: Int

  init(pairs: Int) {
    let apps = (0..<1_000).map { [device] in device.register("app\($0)") }
    (app, self.pairs) = (apps[0], pairs)
    app.launch()
    begin(100)
  }

  func run() { begin(pairs) }

  private func begin(_ pairs: Int) {
    let handler: @Sendable () -> Void = { [device] in _ = device }
    for _ in 0..<pairs {
      app.endBackgroundTask(app.beginBackgroundTask(withName: nil, expirationHandler: handler))
    }
  }

  var mistake: String? {
    difference("open tasks", device.openTasks.count, 0)
      ?? difference("problems", device.diagnostics.count, 0)
      ?? (device.counts.events < 2 * pairs ? "\(device.counts.events) events" : nil)
  }
}

/// Expirations on a virtual clock: every app left with a task, which its handler ends.
final class Expirations: Work {
  private final class Uploader: AppDelegate, @unchecked Sendable {
    var expired = 0

    func applicationDidEnterBackground(_ app: App) {
      _ = app.beginBackgroundTask(withName: "upload") { [unowned self] expiration in
        expired += 1
        app.endBackgroundTask(expiration.identifier)
      }
    }
  }

  private let device = Device(policy: .ios13, facts: DeviceFacts(memory: 1 << 50))
  private let uploaders: [Uploader]

  init(apps: Int) {
    uploaders = (0..<apps).map { _ in Uploader() }
    for (index, uploader) in uploaders.enumerated() {
      let app = device.register("app\(index)", delegate: uploader)
      app.launch()
      app.home()
    }
  }

  func run() { device.advance(by: .seconds(40)) }

  var mistake: String? {
    difference("apps with one expiration", uploaders.count { $0.expired == 1 }, uploaders.count)
      ?? difference("ended processes", device.processEnds.count, 0)
  }
}

/// The default workload on devices, one after another.
final class FleetDay: Work {
  private let fleet: Fleet
  private let expected: Int
  private var events = 0

  init(devices: Int, events: Int) throws {
    fleet = Fleet(try .shippedPhone(), devices: devices, length: .seconds(86_400), seed: 1)
    expected = events
  }

  func run() { events = fleet.runOnThisThread().figures[.events] }

  var mistake: String? { difference("events", events, expected) }
}
