import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import TestRuns
import Testing

/// Behavior of a fleet's users and apps, each kind separately.
@Suite(.inTurn) struct FleetBehaviorTests {
  private static func upload(_ work: Double, _ change: (inout TaskModel) -> Void = { _ in })
    -> TaskModel
  {
    var task = TaskModel("upload", work: Distribution(.constant(FleetModels.seconds(work))))
    change(&task)
    return task
  }

  @Test func `a user who locks the device leaves each app once, under every policy`() throws {
    for locks in [0.0, 1] {
      var workload = try FleetModels.workload(opens: 100) {
        $0.tasks = [Self.upload(60) { $0.leaks = 1 }]
      }
      workload.user.locks = locks
      let usual = FleetModels.run(workload, devices: 10).total
      try workload.policy.set("tasks.grant", "3m")
      let longer = FleetModels.run(workload, devices: 10).total
      #expect(
        usual.opens == longer.opens && usual.work[.begun] == longer.work[.begun]
          && usual.work[.begun] == usual.opens)
      #expect(
        usual.work[.completed] < longer.work[.completed]
          && usual[.backgroundTaskAssertionTimeout] > 0)
    }
  }

  @Test func `interrupted work is lost, begun again, or continued`() throws {
    func run(_ fate: TaskModel.Unfinished) throws -> WorkFigures {
      let workload = try FleetModels.workload(opens: 100) {
        $0.tasks = [Self.upload(60) { $0.unfinished = fate }]
      }
      return FleetModels.run(workload, devices: 10).total.work
    }
    let (lost, again, rest) = (try run(.lost), try run(.again), try run(.rest))
    #expect(lost[.begun] == again[.begun] && lost[.begun] == rest[.begun])
    // 25 s of each minute are done before the handler is called, unless the user comes back sooner
    // and stays.
    #expect(lost[.lost] > 0 && abs(lost.wasted.seconds / Double(lost[.lost]) - 25) < 1)
    #expect(
      again[.lost] == 0 && rest[.lost] == 0 && rest.wasted == TotalTime()
        && again.wasted.seconds > rest.wasted.seconds)
    #expect(rest[.completed] > again[.completed] && again[.completed] >= lost[.completed])
    #expect(rest.delay.least >= 60_000_000_000)
  }

  @Test func `handlers that leak, and tasks without a handler, end in a kill`() throws {
    for change: (inout TaskModel) -> Void in [{ $0.leaks = 1 }, { $0.withoutHandler = 1 }] {
      let workload = try FleetModels.workload(opens: 20) { $0.tasks = [Self.upload(100, change)] }
      let total = FleetModels.run(workload, devices: 5).total
      #expect(
        total[.backgroundTaskAssertionTimeout] <= total.work[.lost]
          && total[.backgroundTaskAssertionTimeout] > 60)
      #expect(total[.tasksExpired] >= total.work[.lost])
    }
  }

  @Test func `a session stops when its time is over, even while it is deferred`()
    throws
  {
    var workload = try FleetModels.workload(opens: 1) {
      $0.manifest.backgroundModes = .audio
      $0.sessions = [
        SessionModel("audio", length: Distribution(.constant(FleetModels.seconds(100))))
      ]
    }
    workload.user.visit = Distribution(.constant(0))
    try workload.policy.set("sessions.audio", "{length: 30s, overrun: drop, deferral: 90s}")
    let total = FleetModels.run(workload, devices: 40).total
    // The session is on for 30 s and deferred until 120 s, which is after its end, so it stops when
    // it is renewed.
    let audio = total.kinds[Int(AssertionKind.audio.rawValue)]
    #expect(
      audio[.begun] <= 2 * total.opens && audio[.begun] >= 2 * total.opens - 2
        && audio[.overran] >= total.opens - 1)
    #expect(abs(total[.background].seconds - 30 * Double(total.opens)) < 61)
  }

  @Test func `interruptions that the user accepts end a visit, and others do not`() throws {
    for accepted in [0.0, 1] {
      var workload = try FleetModels.workload(opens: 200) {
        $0.footprint = Distribution(.constant(1e6))
      }
      workload.user.visit = Distribution(.constant(FleetModels.seconds(10)))
      workload.user.interruptions = 1
      workload.user.interruption = Distribution(.constant(FleetModels.seconds(5)))
      workload.user.accepted = accepted
      let total = FleetModels.run(workload, devices: 10).total
      let (active, inactive) = (
        total[.active].seconds / Double(total.opens), total[.inactive].seconds / Double(total.opens)
      )
      #expect(
        abs(inactive - 5) < 0.1 && abs(active - (accepted == 0 ? 10 : 5)) < 0.5,
        "\(active), \(inactive)")
    }
  }

  @Test
  func `with two apps in front, the user leaves one before opening the next`()
    throws
  {
    var workload = try FleetModels.workload("car", opens: 200) { _ in }
    workload.apps.append(WorkloadApp("other"))
    workload.user.visits = 3
    let figures = FleetModels.run(workload, devices: 5)
    #expect(
      abs(figures.total[.active].seconds - Double(figures.total.opens)) < 0.02
        * Double(figures.total.opens))
  }

  @Test
  func `requests that need power begin if there is power, and are counted if there is none`()
    throws
  {
    func run(charging: Bool) throws -> KindFigures {
      var workload = try FleetModels.workload(opens: 20) {
        var wake = WakeModel("processing")
        wake.earliest = .seconds(3_600)
        wake.requiresPower = true
        wake.work = Distribution(.constant(FleetModels.seconds(60)))
        $0.manifest.backgroundModes = .processing
        $0.wakes = [wake]
      }
      workload.device.start.charging = charging
      return FleetModels.run(workload, devices: 5).total.kinds[
        Int(AssertionKind.processing.rawValue)]
    }
    let (with, without) = (try run(charging: true), try run(charging: false))
    #expect(
      with[.begun] > 50 && with[.completed] >= with[.begun] - 5
        && with[.failed] < with[.completed] / 2)
    #expect(without[.begun] == 0 && without[.requested] > 50)
  }

  @Test func `a wake that is warned fails`() throws {
    let workload = try FleetModels.workload(opens: 20) {
      var wake = WakeModel("processing")
      wake.earliest = .seconds(3_600)
      wake.work = Distribution(.constant(FleetModels.seconds(3_000)))
      $0.manifest.backgroundModes = .processing
      $0.wakes = [wake]
    }
    let kind = FleetModels.run(workload, devices: 5).total.kinds[
      Int(AssertionKind.processing.rawValue)]
    #expect(
      kind[.completed] > 50 && kind[.failed] == kind[.completed]
        && kind[.warned] >= kind[.completed])
  }

  @Test func `no size and no length that can be drawn is too large`() throws {
    let workload = try FleetModels.workload(opens: 50) {
      $0.count = 20
      $0.footprint = Distribution(.pareto(least: 1e6, shape: 0.01))
      $0.tasks = [TaskModel("upload", work: Distribution(.pareto(least: 1e9, shape: 0.01)))]
      $0.returns[.didFinishLaunching] = Distribution(.pareto(least: 1e6, shape: 0.05))
    }
    let figures = FleetModels.run(workload, devices: 5, days: 30)
    #expect(figures[.devices] == 5 && figures.total[.notRunning].seconds > 0)
  }

  @Test func `times are exact beyond what sixty-four bits hold`() {
    var sum = TotalTime()
    for _ in 0..<1_000 { sum += Int64.max }
    #expect(sum.nanoseconds == .max && sum.divided(by: 1_000) == .max)
    #expect(abs(sum.seconds - 1_000 * 0x1p63 / 1e9) < 1)
    var other = TotalTime(nanoseconds: 5)
    other += sum
    #expect(other > sum && other.divided(by: 1_000) == .max)
    // More than a hundred thousand app-days, as many as a fleet of a thousand devices has in a week
    // and a half.
    var workload = try? FleetModels.workload(opens: 0) { $0.count = 10_000 }
    workload?.apps[0].footprint = Distribution(.constant(1))
    let figures = workload.map { FleetModels.run($0, devices: 1, days: 12) }
    #expect(figures.map { abs($0.total[.notRunning].seconds - 12 * 86_400 * 10_000) < 1 } ?? false)
  }

  @Test func `a closure begins and ends its own tasks`() throws {
    let workload = try FleetModels.workload(opens: 20) {
      $0.behavior = { turn in
        switch turn.cause {
        case .moment(.callback(.didEnterBackground)):
          turn.beginTask(7)
          turn.plan(1, after: .seconds(turn.random.chance(0.5) ? 10 : 100))
        case .planned(1), .expiration(7): turn.endTask(7)
        default: break
        }
      }
    }
    let total = FleetModels.run(workload, devices: 10).total
    #expect(
      total[.tasksBegun] > 150 && total[.tasksExpired] > 50 && total[.tasksEnded] > 50
        && total.terminations == 0)
    #expect(total[.taskLength].percentile(50) >= 10_000_000_000 && total[.tasksDenied] == 0)
  }

  @Test func `a workload that cannot be run says what is wrong`() async throws {
    var workload = try FleetModels.workload { $0.tasks = [Self.upload(1) { $0.chance = 2 }] }
    workload.user.rhythm = [1, 2]
    workload.apps[0].wakes = [WakeModel("audio")]
    #expect(
      workload.flaws == [
        "'rhythm' has 2 numbers; it must have 24, or none",
        "'app': 'chance' is 2.0; a share must be from 0 to 1",
        "'app': the policy has no wake 'audio'",
      ])
    await #expect(processExitsWith: .failure) {
      let workload = Workload(name: "x", policy: try PolicyFile.load("ios13"), apps: [])
      _ = Fleet(workload, devices: 1, length: .seconds(1))
    }
  }
}
