import CurfewEngine

/// The canonical cycle on the engine: front, home with one task begun, work or expiration, suspended, front again.
struct EngineCycle: ~Copyable {
  private enum Plan: UInt32 { case home, workDone, toFront }

  private struct HostedApp {
    var waiting = TimerQueue.ID.none
    var cycle: UInt32 = 0
    var task = BackgroundTask.invalid(label: 0)
  }

  private let draws: Draws
  private var engine: Engine
  private var buffer = ActionBuffer()
  /// What the host waits for: one thing an app at any time.
  private var plans: TimerQueue
  private var hosted: [HostedApp]

  private(set) var cycles = 0
  private(set) var expirations = 0
  private(set) var checksum: UInt64 = 0

  init(apps: Int, draws: Draws) {
    self.draws = draws
    engine = Engine(policy: .canonical, minimumCapacity: apps)
    plans = TimerQueue(minimumCapacity: apps)
    hosted = Array(repeating: HostedApp(), count: apps)
    for app in 0..<UInt32(apps) {
      _ = engine.addApp()
      plan(.toFront, app, at: .zero + draws.suspended(app, 0))
    }
  }

  mutating func run(cycles count: Int) {
    let goal = cycles + count
    while cycles < goal {
      let deadline = engine.nextDeadline ?? .distantFuture
      let planned = plans.nextDeadline ?? .distantFuture
      if deadline <= planned {
        _ = engine.advance(to: deadline, into: &buffer)
      } else if let expired = plans.popFirst(notAfter: planned) {
        let app = AppID(rawValue: expired.payload >> 2)
        hosted[Int(app.rawValue)].waiting = .none
        switch Plan(rawValue: expired.payload & 3)! {
        case .toFront: engine.handle(.launch(app), at: planned, into: &buffer)
        case .home: engine.handle(.home(app), at: planned, into: &buffer)
        case .workDone: engine.handle(.endTask(app, hosted[Int(app.rawValue)].task), at: planned, into: &buffer)
        }
      }
      drain()
    }
  }

  private mutating func plan(_ plan: Plan, _ app: UInt32, at instant: Instant) {
    hosted[Int(app)].waiting = plans.insert(instant, payload: app << 2 | plan.rawValue)
  }

  /// Acts on the actions until no delivery is left; every callback returns at once.
  private mutating func drain() {
    var index = 0
    while index < buffer.count {
      let action = buffer[index]
      index += 1
      switch action {
      case .callback(let app, let callback):
        if callback == .didEnterBackground {
          engine.handle(.beginTask(app, label: 0, handler: .present), at: engine.now, into: &buffer)
        } else if callback == .didBecomeActive {
          let number = app.rawValue
          plan(.home, number, at: engine.now + draws.foreground(number, hosted[Int(number)].cycle))
        }
        engine.handle(.returned(app), at: engine.now, into: &buffer)
      case .taskBegan(let app, let begun):
        let number = app.rawValue
        hosted[Int(number)].task = begun
        plan(.workDone, number, at: engine.now + draws.work(number, hosted[Int(number)].cycle))
      case .expiration(let app, let expired, _, _):
        expirations += 1
        plans.cancel(hosted[Int(app.rawValue)].waiting)
        engine.handle(.endTask(app, expired), at: engine.now, into: &buffer)
        engine.handle(.returned(app), at: engine.now, into: &buffer)
      case .state(let app, _, .suspended):
        let number = app.rawValue
        cycles += 1
        checksum = (checksum &* 31) &+ UInt64(bitPattern: engine.now.nanoseconds) &+ UInt64(number)
        hosted[Int(number)].cycle += 1
        plan(.toFront, number, at: engine.now + draws.suspended(number, hosted[Int(number)].cycle))
      case .state, .wakeBegan, .event, .taskEnded, .decision, .session, .wakeCompleted, .wakeOverran, .notification, .localNotification,
        .request, .leakedTask, .diagnostic, .probe:
        break
      case .terminated(let app, let termination): fatalError("app \(app.rawValue) was terminated: \(termination.reason)")
      }
    }
    buffer.removeAll()
  }
}

extension Policy {
  /// ios13's values, as far as the cycle touches them, with any number of apps in front.
  static let canonical = Policy(
    multitasking: true, foregroundLimit: nil, hasBackgroundRefresh: true, hasLowPowerMode: true, suspendDelay: .zero,
    limits: CallbackLimits(
      launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(5), willTerminate: .seconds(5), code: nil),
    tasks: TaskRules(
      grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1000, limitCode: nil, code: nil,
      ageWarning: .seconds(30), lateBegin: .valid, refreshGate: .open),
    sessions: [:], wakes: [:])
}
