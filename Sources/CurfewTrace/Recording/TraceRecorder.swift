public import CurfewEngine
public import CurfewPolicy

/// Records the run of a driver as a trace that `curfew replay` and ``Replay`` can run again.
///
/// A host records each event that it says, each step that the engine takes, and each action that
/// it pulls, in their order. The functions with a `driver` do both at once:
///
/// ```swift
/// var recorder = TraceRecorder(name: "run", under: file, to: sink)
/// let mail = recorder.addApp(named: "mail", to: &driver)
/// recorder.say(.launch(mail), to: &driver)
/// while let item = recorder.next(from: &driver, until: now) {
///   switch item {
///   case .action(let action): perform(action)
///   case .turn(let app): recorder.say(.returned(app), to: &driver)
///   case .due: break
///   }
/// }
/// ```
///
/// The driver has to emit every action (`ActionKinds.all`). The sink gets a step when the step
/// is finished. After a failure of the sink nothing more
/// is recorded, `failure` has the cause, and the host goes on.
public struct TraceRecorder: ~Copyable {
  private(set) var coder: TraceCoder
  /// nil for a recorder that only makes lines.
  private var writer: StepWriter?
  /// The lines of the last step that a resumed trace lacks.
  private var unwritten: [TraceLine] = []

  /// Creates a recorder of a run that begins. The header is written with the first step, so that
  /// it has the apps that are added before.
  ///
  /// - Parameters:
  ///   - name: The name of the run.
  ///   - file: The engine's policy.
  ///   - device: The device at the start, as passed to the engine.
  ///   - clock: The name of the clock of a driver with the pace `late`, as ``TraceHeader/clock``
  ///     has it; nil for virtual time. The engine's limits then count from first lines.
  ///   - seed: The seed of random numbers; 0 if none are drawn.
  ///   - sink: Takes the bytes.
  public init(
    name: String, under file: PolicyFile, device: DeviceFacts = DeviceFacts(),
    clock: String? = nil, seed: UInt64 = 0, to sink: any TraceSink
  ) {
    self.init(device: device, policy: file.policy)
    begin(
      TraceHeader(
        name: name, under: file, device: device, clock: clock, seed: seed, apps: []), to: sink)
  }

  /// Creates a recorder that only makes lines, until `begin`.
  package init(device: DeviceFacts = DeviceFacts(), policy: Policy) {
    coder = TraceCoder(apps: [], device: device, policy: policy)
  }

  /// Creates a recorder that goes on where a replay has ended.
  init(_ coder: TraceCoder, unwritten: [TraceLine]) {
    (self.coder, self.unwritten) = (coder, unwritten)
  }

  /// Creates a recorder that writes a run's own lines; `names` is the vocabulary of callbacks.
  package init(
    _ header: TraceHeader, names: CallbackNames, policy: Policy, to sink: any TraceSink
  ) {
    self.init(policy: policy)
    writer = StepWriter(header, names: names, to: sink)
    writer?.closeHeader()
  }

  /// The cause for which the recording has ended early; nil if there is none.
  public var failure: (any Error)? { writer?.failure }

  /// The number of the text, for events: the label of a task, the identifier of a request.
  /// The same text has the same number.
  public mutating func number(of text: String) -> UInt32 { coder.number(of: text) }

  /// The text with this number, which `number(of:)` has returned.
  public func text(_ number: UInt32) -> String { coder.labels[Int(number)] }

  /// Continues a resumed trace: the sink gets the lines that the last step lacks, and then all
  /// further lines. The sink holds the trace up to ``Replay/Resumed/length``.
  /// - Precondition: The recorder is that of a resumed run, and nothing has been recorded since.
  public mutating func append(to sink: any TraceSink) {
    precondition(writer == nil, "A recorder has one sink")
    writer = StepWriter(appendingTo: sink)
    for line in unwritten { writer?.append(line) }
    unwritten = []
    finishStep()
  }

  // MARK: Recording

  /// Records an event, before its actions.
  ///
  /// A first line or a return is left out if its delivery was not recorded.
  public mutating func record(_ event: Event, at now: Instant) {
    switch event {
    case .began(let app), .returned(let app): if coder.lastDelivery(to: app) == nil { return }
    case .beginTask, .endTask:
      if let text = TaskText(event) {
        coder.enter(event.verb)
        writer?.append(text, at: now, coder)
        return
      }
    default: break
    }
    let line = coder.line(entering: event, at: now)
    writer?.append(line)
  }

  /// Records that the engine took a step, before the step's actions. A step for which
  /// `Driver.hasAdvanced` is false is not recorded.
  public mutating func recordAdvance(at now: Instant) {
    writer?.append(TraceLine(time: now, app: nil, .advance))
  }

  /// Records an action.
  public mutating func record(_ action: Action, at now: Instant) {
    if let text = TaskText(action) {
      writer?.append(text, at: now, coder)
    } else {
      _ = line(for: action, at: now)
    }
  }

  /// Records that a process begins or resumes the run. The line is a step of its own.
  ///
  /// - Parameters:
  ///   - clocks: The host's clocks at this instant.
  ///   - cgroup: The path of the cgroup that a later process has to look for.
  ///   - now: The driver's instant.
  public mutating func record(_ clocks: HostClocks, cgroup: String? = nil, at now: Instant) {
    writer?.append(TraceLine(time: now, app: nil, .resumed(clocks, cgroup: cgroup)))
    finishStep()
  }

  /// Passes the current step to the sink. All its actions have been recorded.
  public mutating func finishStep() { writer?.finishStep() }

  /// Ends the recording with the line `end`. Nothing is recorded after it.
  /// - Precondition: The current step is finished, and nothing was due before `now`.
  public mutating func finish(at now: Instant) {
    writer?.append(TraceLine(time: now, app: nil, .end))
    writer?.finish()
  }
}

// MARK: - A driver

extension TraceRecorder {
  /// Adds an app to the driver and to the trace: to its header, or if that is written, as a line.
  /// - Returns: The app's number.
  public mutating func addApp(
    named name: String, _ manifest: AppManifest = AppManifest(), to driver: inout Driver
  ) -> AppID {
    let app = driver.addApp(manifest.numbered(coder.names) { coder.number(of: $0) })
    learn(name)
    enter(name, manifest, at: driver.now)
    return app
  }

  /// Says an event to the driver.
  /// - Precondition: The driver's host wants every action.
  public mutating func say(_ event: Event, to driver: inout Driver) {
    checkKinds(driver)
    record(event, at: driver.now)
    driver.say(event)
  }

  /// Says an event to the driver, and returns the engine's answer.
  /// - Precondition: The driver's host wants every action.
  public mutating func ask(_ event: Event, to driver: inout Driver) -> EventAnswer {
    checkKinds(driver)
    record(event, at: driver.now)
    return driver.ask(event)
  }

  /// The next item of the driver's current step; nil if the step is finished. The sink then gets
  /// the step.
  /// - Precondition: The driver's host wants every action.
  public mutating func pull(from driver: inout Driver) -> Driver.Item? {
    checkKinds(driver)
    guard let item = driver.pull() else {
      finishStep()
      return nil
    }
    if case .action(let action) = item { record(action, at: driver.now) }
    return item
  }

  private func checkKinds(_ driver: borrowing Driver) {
    let missing = ActionKinds.all.subtracting(driver.kinds)
    precondition(
      missing.isEmpty,
      "A recording needs every action, but its driver leaves out kinds \(missing.rawValue)")
  }

  /// Takes the driver's steps up to `limit`, and returns the next item; nil if there is none. As
  /// `Driver.next(until:)`, but the driver's time moves to `limit` only if `limit` is not
  /// `distantFuture`.
  public mutating func next(from driver: inout Driver, until limit: Instant = .distantFuture)
    -> Driver.Item?
  {
    while true {
      if let item = pull(from: &driver) { return item }
      guard driver.step(until: limit) else { break }
      if driver.hasAdvanced { recordAdvance(at: driver.now) }
    }
    if driver.standstill == nil, limit > driver.now, limit < .distantFuture {
      driver.move(to: limit)
    }
    return nil
  }
}

// MARK: - Devices and simulations

extension TraceRecorder {
  /// Begins to write, with the apps that are known so far.
  package mutating func begin(_ header: TraceHeader, to sink: any TraceSink) {
    var header = header
    // Apps may be added later.
    header.namesOnlyApp = true
    writer = StepWriter(header, to: sink)
  }

  /// Whether lines are written.
  package var isWriting: Bool { writer?.isOpen ?? false }

  /// The number of bytes that wait for the end of their step.
  package var pendingCount: Int { writer?.pendingCount ?? 0 }

  /// The name of the app with this index.
  package func name(of place: Int) -> String { coder.apps[place] }

  /// Makes the name of the engine's next app known.
  package mutating func learn(_ name: String) { _ = coder.addApp(named: name) }

  /// Writes an app whose name is known: into the header, or if that is written, as a line.
  package mutating func enter(_ name: String, _ manifest: AppManifest, at now: Instant) {
    if var header = writer?.openHeader {
      header.apps.append(name)
      if manifest != AppManifest() { header.manifests[name] = manifest }
      writer?.change(header)
    } else {
      let deed = EngineInput(.addApp) {
        $0.manifest = manifest == AppManifest() ? nil : manifest
      }
      writer?.append(TraceLine(time: now, app: name, .event(deed)))
    }
  }

  /// Fixes the header, even if no line follows.
  package mutating func closeHeader() { writer?.closeHeader() }

  /// The event for a deed, as for `TraceCoder.event(for:app:)`.
  package mutating func event(for deed: EngineInput, app: AppID?) -> Event? {
    coder.event(for: deed, app: app)
  }

  /// Adds a line that its host has made. The sink gets the lines before an event or an `advance`.
  package mutating func append(_ line: TraceLine) {
    switch line.body {
    case .event, .advance, .end: finishStep()
    default: break
    }
    writer?.append(line)
  }

  /// The number of bytes that a thread which is several steps behind writes at once.
  package static let greatestWrite = 1 << 16

  /// Notes the tasks in an action, so that deeds can name them.
  package mutating func note(_ action: Action) { coder.note(action) }

  /// Records an action.
  /// - Returns: Its line, or nil while it is incomplete.
  package mutating func line(for action: Action, at now: Instant) -> TraceLine? {
    guard let line = coder.line(for: action, at: now) else { return nil }
    writer?.append(line)
    return line
  }

  /// Ends the recording without a line `end`: the run was cut.
  package mutating func cut() { writer?.finish() }
}

extension TraceHeader {
  /// The header of a run under `file`.
  package init(
    name: String, under file: PolicyFile, device: DeviceFacts, clock: String?, seed: UInt64,
    apps: [(name: String, manifest: AppManifest)]
  ) {
    self.init(
      name: name, policy: file.name, policyDigest: file.digest, settings: file.settings, seed: seed,
      clock: clock, apps: apps.map(\.name), device: DeviceChange(differencesOf: device),
      facts: NamedFacts(device.declared, file.policy.names),
      manifests: Dictionary(
        apps.filter { $0.manifest != AppManifest() }.map { ($0.name, $0.manifest) },
        uniquingKeysWith: { $1 }))
  }
}
