import Curfew
import CurfewEngine

/// The engine alone, with the events of the API's calls, through its driver.
final class EngineCalls: Contestant {
  private let plan: CallPlan
  private var phone = Phone()
  private var begun = 0

  var counts: CallCounts { CallCounts(begun: begun, open: phone.openTasks) }

  init(_ plan: CallPlan) { self.plan = plan }

  func run() { begun = phone.run(plan.cycles, handler: plan.handler == nil ? .absent : .present) }

  func run(start: Int64) -> Measurement { .of { run() } }

  func answer(to text: inout Text) { counts.append(to: &text) }

  private struct Phone: ~Copyable {
    private var driver = Driver(
      Engine(policy: PolicyFile.ios13.policy, device: DeviceFacts(memory: 1 << 50)))
    private let app: AppID

    var openTasks: Int { driver.engine.openTaskCount(of: app) }

    init() {
      app = driver.addApp()
      driver.say(.launch(app))
      pull()
    }

    private mutating func pull() {
      while let item = driver.pull() {
        if case .turn(let app) = item { driver.say(.returned(app)) }
      }
    }

    /// - Returns: The number of tasks that were begun.
    mutating func run(_ cycles: Int, handler: ExpirationHandler) -> Int {
      var begun = 0
      for _ in 0..<cycles {
        let answer = driver.ask(.beginTask(app, label: 0, handler: handler))
        guard case .begun(let task) = answer else { continue }
        begun += 1
        pull()
        driver.say(.endTask(app, task))
        pull()
      }
      return begun
    }
  }
}
