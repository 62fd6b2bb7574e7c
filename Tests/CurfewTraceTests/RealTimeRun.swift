import CurfewEngine
import CurfewPolicy
import CurfewTrace
import TestSupport

/// A host like one of real time: its clock advances in uneven steps, deadlines come late, and apps
/// return at any time. Its steps are drawn from a seed. In virtual time, deadlines come
/// at their own instants.
struct RealTimeRun: ~Copyable {
  static let apps = [
    "com.example.mail", "com.example.maps", "com.example.music", "com.example.chat",
  ]
  private static let own = [
    "task": ["upload", "sync"], "handler": ["none"], "identifier": ["com.example.refresh"],
    "permittedIdentifiers": ["com.example.refresh"],
    "id": ["tea"], "wake": ["1", "2", "3"],
    "name": ["batteryLevel", "location"], "value": ["7", "8"],
    "footprint": ["0B", "50MiB", "100MiB", "160MiB"],
    "memory": ["policy", "400MiB"], "memoryLimit": ["160MiB", "4GiB"],
    "setDevice.backgroundRefresh": ["true", "false", "restricted"],
  ]
  /// The verbs, each repeated according to its weight.
  private static let rows = InputVerb.rows.filter {
    $0.speaker != .host || $0.verb == .setWakeHandler
  }
  .flatMap { row -> [VerbRow] in
    let counts: [InputVerb: Int] = [
      .launch: 36, .home: 24, .beginTask: 24, .endTask: 18, .reboot: 1, .crash: 1, .forceQuit: 1,
      .removeApp: 1,
    ]
    // The built-in policies declare no facts.
    if row.verb == .setFact { return [] }
    return Array(repeating: row, count: counts[row.verb] ?? 3)
  }

  private var driver: Driver
  private var coder: TraceCoder
  private var random: SeededGenerator
  private var now = Instant.zero
  private var lines: [TraceLine] = []
  /// The tasks begun by each app's current process, ended or not.
  private var tasks: [[TaskID]] = apps.map { _ in [] }
  private let header: TraceHeader
  private let isVirtual: Bool

  private init(seed: UInt64, _ file: PolicyFile, isVirtual: Bool) {
    self.isVirtual = isVirtual
    random = SeededGenerator(seed: seed)
    let device = DeviceFacts(battery: 60, charging: seed % 2 == 0, memory: 300 << 20)
    driver = Driver(
      Engine(
        policy: file.policy, device: device,
        limitsCountFrom: isVirtual ? .delivery : .firstLine),
      pace: isVirtual ? .punctual : .late)
    var coder = TraceCoder(apps: RealTimeRun.apps, policy: file.policy)
    var manifests: [String: AppManifest] = [:]
    for app in RealTimeRun.apps {
      let manifest = app == RealTimeRun.apps.last ? AppManifest() : random.manifest(RealTimeRun.own)
      if manifest != AppManifest() { manifests[app] = manifest }
      _ = driver.addApp(manifest.numbered(coder.names) { coder.number(of: $0) })
    }
    self.coder = coder
    header = TraceHeader(
      name: "A run", policy: file.name, policyDigest: file.digest, seed: seed,
      clock: isVirtual ? nil : "monotonic", apps: RealTimeRun.apps,
      device: DeviceChange(differencesOf: device), manifests: manifests)
  }

  /// The trace of `steps` steps.
  static func trace(
    seed: UInt64, under file: PolicyFile, steps: Int = 400, isVirtual: Bool = false
  ) -> Trace {
    var run = RealTimeRun(seed: seed, file, isVirtual: isVirtual)
    let clocks = HostClocks(boot: "a", uptime: 5, wall: 7)
    run.lines.append(TraceLine(time: .zero, app: nil, .resumed(clocks, cgroup: nil)))
    for _ in 0..<steps { run.step() }
    run.lines.append(TraceLine(time: run.now, app: nil, .end))
    return Trace(header: run.header, lines: run.lines)
  }

  private mutating func step() {
    let pauses: [Int64] = [0, 0, 1, 20_000_000, 900_000_000, 4_000_000_000, 40_000_000_000]
    let pause = pauses[Int(draw(UInt64(pauses.count)))]
    now = now + .nanoseconds(pause + Int64(draw(UInt64(pause) + 1)))
    advance()
    if draw(30) == 0 { addApp() }
    for index in 0..<tasks.count {
      let app = AppID(rawValue: UInt32(index))
      while driver.engine.owesReturn(app), draw(3) > 0 {
        if !isVirtual, driver.engine.owesBegin(app) { enter(.began(app)) }
        if draw(4) > 0 { enter(.returned(app)) }
      }
    }
    for _ in 0..<draw(3) { enter(event()) }
  }

  /// Adds another app, or one of the first ones again if it has been removed.
  private mutating func addApp() {
    let manifest = random.manifest(RealTimeRun.own)
    let gone = RealTimeRun.apps.indices.first { index in
      coder.apps.lastIndex(of: RealTimeRun.apps[index]) == index
        && driver.engine.isRemoved(AppID(rawValue: UInt32(index)))
    }
    let name = gone.map { RealTimeRun.apps[$0] } ?? "com.example.app\(tasks.count)"
    lines.append(
      TraceLine(
        time: now, app: name,
        .event(EngineInput(.addApp) { $0.manifest = manifest == AppManifest() ? nil : manifest })))
    _ = coder.addApp(named: name)
    _ = driver.addApp(manifest.numbered(coder.names) { coder.number(of: $0) })
    tasks.append([])
  }

  private mutating func draw(_ count: UInt64) -> UInt64 { random.next() % count }

  private mutating func advance() {
    while driver.step(until: now) {
      lines.append(TraceLine(time: driver.now, app: nil, .advance))
      drain()
    }
    if isVirtual, now > driver.now { driver.move(to: now) }
  }

  private mutating func enter(_ event: Event) {
    lines.append(coder.line(entering: event, at: now))
    driver.say(event, at: now)
    drain()
  }

  private mutating func drain() {
    while let item = driver.pull() {
      guard case .action(let action) = item else { continue }
      if let line = coder.line(for: action, at: driver.now) { lines.append(line) }
      coder.note(action)
      switch action {
      case .taskBegan(let app, let task): tasks[Int(app.rawValue)].append(task.id)
      case .terminated(let app, _): tasks[Int(app.rawValue)] = []
      default: break
      }
    }
  }

  private mutating func event() -> Event {
    let row = random.pick(RealTimeRun.rows)
    var app =
      row.subject.isNamed(&random) ? AppID(rawValue: UInt32(draw(UInt64(tasks.count)))) : nil
    // Another app now has its name.
    if let named = app,
      coder.apps.lastIndex(of: coder.apps[Int(named.rawValue)]) != Int(named.rawValue)
    {
      app = AppID(rawValue: UInt32(tasks.count - 1))
    }
    var deed = random.deed(row, RealTimeRun.own)
    if deed.verb == .endTask, let app, !tasks[Int(app.rawValue)].isEmpty {
      deed.task = random.pick(tasks[Int(app.rawValue)])
    }
    return coder.event(for: deed, app: app)!
  }
}
