/// Only the choice of victims, each found by a scan of all apps.
final class ScanningPhone: Contestant {
  private var phone: Phone

  init(_ plan: inout Plan) throws { phone = Phone(try MemoryPlan(&plan)) }

  func run(start: Int64) -> Measurement { .of { phone.run() } }

  func answer(to text: inout Text) { phone.victims.append(to: &text) }

  private struct Phone {
    private let plan: MemoryPlan
    private let capacity: Int64
    private var isResident: [Bool]
    private var lastInFront: [Int]
    private var front: Int?
    private var inUse: Int64 = 0
    private var clock = 0
    private var step = 0
    private(set) var victims = Victims()

    init(_ plan: MemoryPlan) {
      self.plan = plan
      capacity = plan.capacity
      isResident = Array(repeating: false, count: plan.footprints.count)
      lastInFront = Array(repeating: 0, count: plan.footprints.count)
      for app in plan.footprints.indices { open(app) }
    }

    mutating func run() {
      victims.beginSegment()
      for _ in 0..<plan.steps {
        let app = Int(plan.app(step))
        step += 1
        if !isResident[app] { open(app) }
      }
    }

    private mutating func open(_ app: Int) {
      guard app != front else { return }
      if let front {
        clock += 1
        lastInFront[front] = clock
      }
      front = app
      if !isResident[app] {
        isResident[app] = true
        inUse += plan.footprints[app]
      }
      while inUse > capacity, purge() {}
    }

    /// - Returns: Whether there was an app to purge.
    private mutating func purge() -> Bool {
      var victim: Int?
      for app in isResident.indices where isResident[app] && app != front {
        guard let best = victim else {
          victim = app
          continue
        }
        let (own, its) = (plan.footprints[app], plan.footprints[best])
        if own > its || (own == its && lastInFront[app] < lastInFront[best]) { victim = app }
      }
      guard let victim else { return false }
      isResident[victim] = false
      inUse -= plan.footprints[victim]
      victims.note(victim)
      return true
    }
  }
}
