import CurfewEngine

/// The engine under memory pressure: one app after another enters the foreground, the previous
/// app is suspended, and nine tenths of all footprints fit in memory.
final class EnginePhone: Contestant {
  private var phone: Phone

  var victims: Victims { phone.victims }

  init(_ plan: MemoryPlan) { phone = Phone(plan) }

  func run() { phone.run() }

  func run(start: Int64) -> Measurement { .of { run() } }

  func answer(to text: inout Text) { victims.append(to: &text) }

  private struct Phone: ~Copyable {
    private let plan: MemoryPlan
    private var driver: Driver
    private var step = 0
    private(set) var victims = Victims()

    init(_ plan: MemoryPlan) {
      self.plan = plan
      driver = Driver(
        Engine(
          policy: .simple(
            grant: .seconds(30), foregroundLimit: 1, ageWarning: nil,
            memory: MemoryRules(
              capacity: plan.capacity, warningLevel: 80, resetLevel: 75, footprint: 50 << 20,
              appLimit: nil)),
          minimumCapacity: plan.footprints.count), wanting: [])
      for footprint in plan.footprints { _ = driver.addApp(Manifest(footprint: footprint)) }
      for app in plan.footprints.indices { open(AppID(rawValue: UInt32(app))) }
    }

    mutating func run() {
      victims.beginSegment()
      for _ in 0..<plan.steps {
        let app = AppID(rawValue: plan.app(step))
        step += 1
        // An app that is already resident displaces no other app.
        if driver.engine.state(of: app) == .notRunning { open(app) }
      }
    }

    /// Every callback returns at once.
    private mutating func open(_ app: AppID) {
      driver.say(.launch(app), at: driver.now + .seconds(1))
      while let item = driver.next() {
        switch item {
        case .turn(let app): driver.say(.returned(app))
        case .action(.terminated(let app, _)): victims.note(Int(app.rawValue))
        case .action, .due: break
        }
      }
    }
  }
}
