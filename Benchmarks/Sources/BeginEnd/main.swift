import Curfew
import CurfewEngine

// The cost of a background task through the API, on a virtual clock and one thread: pairs
// of `beginBackgroundTask` and `endBackgroundTask`.
//
// Interleaved segments of the same run measure the engine alone on the same events (the floor)
// and a fake like those in SDKs (the rival): a dictionary of handlers behind a lock.

let isSmoke = CommandLine.arguments.contains("--smoke")
let segments = isSmoke ? 3 : 7
let pairs = isSmoke ? 20_000 : 1_000_000
let clock = ContinuousClock()

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A device with `apps` apps, the first of them in the foreground.
final class Contestant {
  let device = Device(policy: .ios13, facts: DeviceFacts(memory: 1 << 50))
  let app: App
  private var ended = 0

  init(apps: Int) {
    let all = (0..<apps).map { [device] in device.register("app\($0)") }
    app = all[0]
    app.launch()
  }

  func run(_ pairs: Int, name: String?, handler: (@Sendable () -> Void)?) {
    for _ in 0..<pairs {
      app.endBackgroundTask(app.beginBackgroundTask(withName: name, expirationHandler: handler))
    }
    ended += pairs
    guard device.openTasks.isEmpty, device.diagnostics.isEmpty, device.counts.events >= 2 * ended
    else {
      fatalError("not all were begun and ended")
    }
  }
}

/// The engine alone, with the same events through its driver.
struct Floor: ~Copyable {
  private var driver: Driver
  private let app: AppID

  init(apps: Int) {
    driver = Driver(Engine(policy: PolicyFile.ios13.policy, device: DeviceFacts(memory: 1 << 50)))
    app = driver.addApp()
    for _ in 1..<apps { _ = driver.addApp() }
    driver.say(.launch(app))
    pull()
  }

  private mutating func pull() {
    while let item = driver.pull() { if case .turn(let app) = item { driver.say(.returned(app)) } }
  }

  mutating func run(_ pairs: Int, handler: ExpirationHandler) {
    for _ in 0..<pairs {
      guard case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: handler)) else {
        fatalError("not begun")
      }
      pull()
      driver.say(.endTask(app, task))
      pull()
    }
  }
}

print(
  "begin and end, on a virtual clock; nanoseconds per pair, medians of \(segments) interleaved segments"
)
print(
  column("apps", 7), "  " + "task".padded(24), column("Curfew", 8), column("engine", 8),
  column("fake", 8), column("Curfew/fake", 12))
for apps in isSmoke ? [1, 1_000] : [1, 1_000, 100_000] {
  let contestant = Contestant(apps: apps)
  var floor = Floor(apps: apps)
  let fake = Fake()
  let handler: @Sendable () -> Void = { [fake] in _ = fake }
  for (title, name, handler) in [
    ("plain", nil, nil), ("with a handler", nil, handler),
    ("with a name and a handler", "upload", handler),
  ]
    as [(String, String?, (@Sendable () -> Void)?)]
  {
    var times: (ours: [Double], floor: [Double], fake: [Double]) = ([], [], [])
    for _ in 0...segments {
      times.ours.append(
        clock.measure { contestant.run(pairs, name: name, handler: handler) } / .nanoseconds(pairs))
      times.floor.append(
        clock.measure { floor.run(pairs, handler: handler == nil ? .absent : .present) }
          / .nanoseconds(pairs))
      times.fake.append(
        clock.measure { fake.run(pairs, name: name, handler: handler) } / .nanoseconds(pairs))
    }
    // The first segment of each is the warm-up.
    let (ours, least, rival) = (
      median(Array(times.ours.dropFirst())), median(Array(times.floor.dropFirst())),
      median(Array(times.fake.dropFirst()))
    )
    print(
      column("\(apps)", 7), "  " + title.padded(24), column("\(Int(ours))", 8),
      column("\(Int(least))", 8), column("\(Int(rival))", 8),
      column("\(Int(ours / rival * 100)) %", 12))
  }
}

extension String {
  func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
