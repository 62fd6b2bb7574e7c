import Curfew
@_spi(Seeds) import CurfewEngine
import CurfewPolicy
@_spi(Benchmarks) import CurfewSimulation

/// A push a minute for one app, which completes the wake, or is denied it without the mode.
@MainActor func wakes(_ count: Int, areAdmitted: Bool) -> Work {
  let phone = WokenPhone(backgroundModes: areAdmitted ? .voip : [])
  return {
    phone.run(count)
    return difference("completed wakes", phone.completed, areAdmitted ? count : 0)
      ?? difference("denied wakes", phone.denied, areAdmitted ? 0 : count)
  }
}

private final class WokenPhone {
  private var driver = Driver(Engine(policy: PolicyFile.ios13.policy))
  private let app: AppID
  private(set) var completed = 0
  private(set) var denied = 0

  init(backgroundModes: BackgroundModes) {
    app = driver.addApp(Manifest(backgroundModes: backgroundModes))
  }

  func run(_ count: Int) { (completed, denied) = WokenPhone.deliver(count, to: app, &driver) }

  /// The driver is passed, because each access of a class's property is checked.
  private static func deliver(_ count: Int, to app: AppID, _ driver: inout Driver) -> (
    completed: Int, denied: Int
  ) {
    var (isOpen, completed, denied) = (false, 0, 0)
    for _ in 0..<count {
      driver.say(.deliver(app, .voipPush))
      let next = driver.now + .seconds(60)
      while let item = driver.next(until: next) {
        switch item {
        case .action(.wakeBegan): isOpen = true
        case .action(.wakeCompleted): completed += 1
        case .action(.decision(_, _, _, let reasons, _)): if !reasons.isEmpty { denied += 1 }
        case .turn(let app) where isOpen:
          isOpen = false
          driver.say(.completeWake(app, WakeChoice(), .newData))
        case .turn(let app): driver.say(.returned(app))
        case .action, .due: break
        }
      }
      driver.move(to: next)
    }
    return (completed, denied)
  }
}

/// Cycles of apps that have done two cycles before, so that the phases are mixed and storage
/// no longer grows.
@MainActor func cycle(apps: Int, cycles: Int, checksum: UInt64) -> Work {
  var numbers = SplitMix64(seed: 1)
  // Exponential times, the same on every machine.
  func times(mean seconds: Double) -> [Int64] {
    (0..<4096).map { _ in
      let number = (Double(numbers.next() >> 11) + 0.5) / Double(1 << 53)
      return Int64(-seconds * 1e9 * portableLog(number))
    }
  }
  let engine = EngineCycles(
    CyclePlan(
      apps: apps, cycles: cycles, foreground: times(mean: 60), work: times(mean: 20),
      suspended: times(mean: 300)))
  engine.run(2 * apps)
  return {
    engine.run(cycles)
    return difference("checksum of the suspensions", engine.counts.checksum, checksum)
  }
}

/// Purges under memory pressure.
@MainActor func purges(apps: Int, steps: Int, checksum: UInt64) -> Work {
  let phone = EnginePhone(MemoryPlan(apps: apps, steps: steps, seed: 1))
  return {
    phone.run()
    return difference("checksum of the victims", phone.victims.checksum, checksum)
  }
}

/// Pairs of begin and end through the driver, after as many pairs.
@MainActor func engineTasks(pairs: Int) throws -> Work {
  let calls = EngineCalls(try CallPlan(cycles: pairs, shape: "handler"))
  calls.run()
  return {
    calls.run()
    return difference("ended tasks", calls.counts.ended, pairs)
  }
}

/// Pairs of `beginBackgroundTask` and `endBackgroundTask`, after as many pairs.
@MainActor func deviceTasks(pairs: Int, shape: String) throws -> Work {
  let calls = TaskCalls(try CallPlan(cycles: pairs, shape: shape))
  calls.run()
  return {
    calls.run()
    return difference("ended tasks", calls.counts.ended, pairs)
  }
}
