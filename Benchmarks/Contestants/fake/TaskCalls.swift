import Curfew
import CurfewEngine
import Foundation

/// The calls of a plan of `begin-end/1`: pairs of `beginBackgroundTask` and `endBackgroundTask`,
/// on a virtual clock and one thread.
struct CallPlan {
  let cycles: Int
  let name: String?
  let handler: (@Sendable () -> Void)?

  init(_ plan: inout Plan) throws {
    try self.init(cycles: try plan.number("cycles"), shape: plan.text("shape"))
  }

  init(cycles: Int, shape: String?) throws {
    self.cycles = cycles
    let handler: @Sendable () -> Void = { [owner = NSLock()] in _ = owner }
    switch shape {
    case "plain": (name, self.handler) = (nil, nil)
    case "handler": (name, self.handler) = (nil, handler)
    case "named": (name, self.handler) = ("upload", handler)
    default: throw CannotTakePart(reason: "the shapes of begin-end/1 are plain, handler and named")
    }
  }
}

/// The tasks that were begun in the last segment, and those that are still open.
struct CallCounts {
  var begun = 0
  var open = 0

  var ended: Int { begun - open }

  func append(to text: inout Text) {
    text.append("begun", begun)
    text.append("ended", ended)
  }
}

/// The API of a device with one app, which is in the foreground.
final class TaskCalls: Contestant {
  private let plan: CallPlan
  private let device = Device(policy: .ios13, facts: DeviceFacts(memory: 1 << 50))
  private let app: App
  private var begun = 0

  var counts: CallCounts {
    CallCounts(begun: begun, open: device.openTasks.count + device.diagnostics.count)
  }

  init(_ plan: CallPlan) {
    self.plan = plan
    app = device.register("app")
    app.launch()
  }

  func run() {
    var begun = 0
    for _ in 0..<plan.cycles {
      let task = app.beginBackgroundTask(withName: plan.name, expirationHandler: plan.handler)
      if task != .invalid { begun += 1 }
      app.endBackgroundTask(task)
    }
    self.begun = begun
  }

  func run(start: Int64) -> Measurement { .of { run() } }

  func answer(to text: inout Text) { counts.append(to: &text) }
}

/// A fake like those in SDKs: numbers, and handlers that only a test calls, in a dictionary behind
/// a lock.
final class FakeCalls: Contestant {
  private final class Fake: @unchecked Sendable {
    private let lock = NSLock()
    private var tasks: [Int: (name: String?, handler: (@Sendable () -> Void)?)] = [:]
    private var last = 0

    var open: Int { lock.withLock { tasks.count } }

    func beginBackgroundTask(withName name: String?, expirationHandler: (@Sendable () -> Void)?)
      -> Int
    {
      lock.withLock {
        last += 1
        tasks[last] = (name, expirationHandler)
        return last
      }
    }

    func endBackgroundTask(_ task: Int) { _ = lock.withLock { tasks.removeValue(forKey: task) } }
  }

  private let plan: CallPlan
  private let fake = Fake()
  private var begun = 0

  init(_ plan: CallPlan) { self.plan = plan }

  func run(start: Int64) -> Measurement {
    var begun = 0
    defer { self.begun = begun }
    return .of {
      for _ in 0..<plan.cycles {
        let task = fake.beginBackgroundTask(withName: plan.name, expirationHandler: plan.handler)
        if task != 0 { begun += 1 }
        fake.endBackgroundTask(task)
      }
    }
  }

  func answer(to text: inout Text) { CallCounts(begun: begun, open: fake.open).append(to: &text) }
}
