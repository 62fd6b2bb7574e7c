import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Populations whose results follow from a formula. Tolerances are five standard deviations
/// of a sample of that size.
@Suite(.inTurn) struct FleetClosedFormTests {
  @Test(arguments: [10.0, 20, 60])
  func `exponential work that a grant cuts off is lost in exp(-grant/mean) of cases`(_ mean: Double)
    throws
  {
    let workload = try FleetModels.workload(opens: 60) {
      $0.tasks = [
        TaskModel("upload", work: Distribution(.exponential(mean: FleetModels.seconds(mean))))
      ]
    }
    var alone = workload
    // Work in the foreground is not counted here: the next visit comes long after the grant.
    alone.user.visit = Distribution(.constant(0))
    let work = FleetModels.run(alone, devices: 200).total.work
    #expect(work[.begun] > 8_000)
    // The warning comes five seconds before the grant of thirty is over, and the handler ends
    // its task.
    let expected = exp(-25 / mean)
    let share = Double(work[.lost]) / Double(work[.completed] + work[.lost])
    // In a few cases per thousand, a visit comes within the grant, and the rest of the work is done
    // in the foreground.
    let tolerance =
      5 * (expected * (1 - expected) / Double(work[.begun])).squareRoot() + 0.02 * expected
    #expect(abs(share - expected) < tolerance, "\(share), \(expected)")
  }

  @Test func `a budget of three admissions in an hour admits three of many pushes`() throws {
    var workload = try FleetModels.workload(opens: 0) {
      var wake = WakeModel("remoteNotification")
      wake.perDay = 24 * 60
      $0.manifest.backgroundModes = .remoteNotification
      $0.wakes = [wake]
    }
    try workload.policy.set("wakes.remoteNotification", "{window: 1h, admissions: 3}")
    let total = FleetModels.run(workload, devices: 50).total
    let kind = total.kinds[Int(AssertionKind.remoteNotification.rawValue)]
    // Each admission makes room again an hour later, and the next push takes it: a minute later
    // on average.
    let expected = 50 * 86_400 / (3_600 + 60.0) * 3
    #expect(
      abs(Double(kind[.allowed]) - expected) / expected < 0.02, "\(kind[.allowed]), \(expected)")
    #expect(kind[.allowed] + kind.denied > 50 * 1_300)
  }

  @Test func `fetches come no more often than the app asks for`() throws {
    let workload = try FleetModels.workload(opens: 10) {
      var fetch = WakeModel("fetch")
      fetch.interval = .seconds(3_600)
      $0.manifest.backgroundModes = .fetch
      $0.wakes = [fetch]
    }
    let kind = FleetModels.run(workload, devices: 20).total.kinds[Int(AssertionKind.fetch.rawValue)]
    #expect(kind[.allowed] <= 20 * 24 && kind[.allowed] > 20 * 18, "\(kind[.allowed])")
  }

  @Test
  func `the number of open tasks is Poisson if they come at random and none waits for another`()
    throws
  {
    // M/M/∞: many apps on a device, each left now and then, each with exponential work. The number
    // of open tasks is Poisson with mean rate × mean.
    var app = WorkloadApp("app")
    app.count = 400
    app.tasks = [
      TaskModel("flush", work: Distribution(.exponential(mean: FleetModels.seconds(20))))
    ]
    var workload = Workload(name: "x", policy: try PolicyFile.load("ios13"), apps: [app])
    try workload.policy.set("tasks.grant", "1h")
    workload.device.start.memory = 1 << 40
    workload.user.unlocks = 8_640
    workload.user.visit = Distribution(.constant(0))
    let figures = FleetModels.run(workload, devices: 4)
    let whole = figures[.simulated].seconds
    let mean = try #require(figures.meanOpenTasks)
    #expect(abs(mean - 2) < 0.1, "\(mean)")
    var expected = exp(-2.0)
    for count in 0...6 {
      let share = figures.openTasks[count].seconds / whole
      #expect(abs(share - expected) < 0.02, "\(count): \(share), \(expected)")
      expected *= 2 / Double(count + 1)
    }
  }

  @Test func `a session that is deferred again and again runs for t/(t + τ) of the time`() throws {
    var workload = try FleetModels.workload(opens: 1) {
      $0.manifest.backgroundModes = .audio
      $0.sessions = [
        SessionModel("audio", length: Distribution(.constant(FleetModels.seconds(1_000_000))))
      ]
    }
    workload.user.visit = Distribution(.constant(0))
    try workload.policy.set("sessions.audio", "{length: 30s, overrun: drop, deferral: 90s}")
    // The user comes once a day; from then on runs and deferrals alternate.
    let app = FleetModels.run(workload, devices: 20).total
    let (running, all) = (
      app[.background].seconds, app[.background].seconds + app[.suspended].seconds
    )
    #expect(abs(running / all - 0.25) < 0.01, "\(running / all)")
  }

  @Test func `the time that the canonical cycle spends in each state is known`() throws {
    // The app is open for a second, works 10 s in the background, and is then suspended: the shares
    // follow from the number of visits.
    let workload = try FleetModels.workload(opens: 400) {
      $0.tasks = [TaskModel("upload", work: Distribution(.constant(FleetModels.seconds(10))))]
    }
    let app = FleetModels.run(workload, devices: 50).total
    let opens = Double(app.opens)
    #expect(abs(app[.active].seconds - opens) / opens < 0.01)
    // A user who comes back within ten seconds shortens the time in the background; gaps
    // are exponential.
    let gap = 86_400.0 / 400
    let expected = opens * gap * (1 - exp(-10 / gap))
    #expect(abs(app[.background].seconds - expected) / expected < 0.02)
    #expect(AppState.allCases.reduce(0) { $0 + app[$1].nanoseconds } == 50 * 86_400_000_000_000)
  }
}
