public import CurfewEngine
public import CurfewPolicy
public import Foundation

/// The source of a device's time.
public struct DeviceClock: Sendable {
  let source: (any RealTimeClock)?

  /// A clock that only `Device.advance(by:)` moves: for tests, and for questions of the form
  /// "what if".
  public static let virtual = DeviceClock(source: nil)

  /// Follows a real clock. `CurfewUV` provides one for libuv. A clock belongs to one device.
  public static func realTime(_ clock: any RealTimeClock) -> DeviceClock {
    DeviceClock(source: clock)
  }
}

extension PolicyFile {
  /// The built-in policy of that name. Reading cannot fail: a test decodes each built-in policy.
  private static func builtIn(_ name: String) -> PolicyFile {
    do { return try load(name) } catch {
      preconditionFailure("The built-in policy \(name) cannot be read: \(error)")
    }
  }

  /// iOS 3: nothing runs in the background except the phone's own music player.
  public static var ios3: PolicyFile { builtIn("ios3") }
  /// iOS 4 to 6: finite-length tasks of ten minutes, audio, location, VoIP.
  public static var ios4: PolicyFile { builtIn("ios4") }
  /// iOS 7 to 12: three minutes, fetch, silent pushes, Background App Refresh.
  public static var ios7: PolicyFile { builtIn("ios7") }
  /// iOS 13 and later: half a minute, app refresh and processing by request.
  public static var ios13: PolicyFile { builtIn("ios13") }
  /// Android 14 and 15: standby buckets with quotas of jobs, foreground services with time-outs,
  /// cached apps frozen after ten seconds.
  public static var android14: PolicyFile { builtIn("android14") }
  /// A car's head unit: navigation, media and calls, updates while it is parked, a grace period at
  /// ignition off.
  public static var car: PolicyFile { builtIn("car") }
  /// A server: jobs with a grant each (`Device.withGrant`), any number of apps in the foreground,
  /// no memory limit.
  public static var server: PolicyFile { builtIn("server") }
}

/// A device with its apps, under a policy, in virtual or in real time.
///
/// All calls may come from any thread. The device lives until it is closed or its last reference
/// is released. After that no handler is called, and calls of its apps have no effect.
public final class Device: Sendable {
  let core: DeviceCore

  /// Creates a device without apps.
  ///
  /// - Parameters:
  ///   - policy: The policy: `.ios13`, or `try .load("mine.yaml")`.
  ///   - clock: `.virtual`, or a real clock.
  ///   - facts: The initial facts: battery, power, network, memory, switches.
  ///   - startDate: The date at the start, rounded to the nanosecond; see `date`. The default
  ///     is `virtualStartDate` on a virtual clock, and the true date in real time.
  ///   - executor: In real time, the executor that runs apps' handlers. Handlers of one app run one
  ///     after the other. A virtual clock uses no executor except ``MainActorExecutor``. By default
  ///     handlers run on the device's own threads and on the thread of the clock's loop.
  /// - Precondition: The leeway of a real clock is shorter than the policy's warning, unless
  ///   the policy lets no app run in the background.
  public convenience init(
    policy: PolicyFile, clock: DeviceClock = .virtual, facts: DeviceFacts = DeviceFacts(),
    startDate: Date? = nil,
    executor: (any HandlerExecutor)? = nil
  ) {
    self.init(
      policy: policy, clock: clock, facts: facts, startDate: startDate, executor: executor,
      onThreadProblem: HandlerThreads.tell)
  }

  /// Creates a device that hands problems of its own threads to `onThreadProblem`, on any thread,
  /// instead of writing them to standard error.
  package init(
    policy: PolicyFile, clock: DeviceClock, facts: DeviceFacts = DeviceFacts(),
    startDate: Date? = nil, executor: (any HandlerExecutor)? = nil,
    onThreadProblem: @escaping @Sendable (HandlerThreadProblem) -> Void
  ) {
    Device.checkLeeway(of: clock, under: policy)
    let startDate =
      startDate ?? (clock.source == nil ? Device.virtualStartDate : Device.dateOfMachine)
    core = DeviceCore(
      policy: policy, clock: clock.source, facts: facts, startDate: startDate, executor: executor,
      onThreadProblem: onThreadProblem)
  }

  deinit { core.close() }

  /// A longer leeway could let every app be terminated before its handler is called.
  private static func checkLeeway(of clock: DeviceClock, under policy: PolicyFile) {
    guard let leeway = clock.source?.leeway, leeway > .zero, policy.policy.multitasking else {
      return
    }
    let warning = policy.policy.tasks.warning
    precondition(
      leeway < warning,
      "The clock's leeway is \(leeway) of engine time, but the policy '\(policy.name)' warns only \(warning) before the end of a grant: "
        + "a warning could come when the grant is over. Create the clock with a leeway below \(warning) (in wall time, below \(warning) "
        + "times its scale), or use a policy with a longer 'tasks.warning'")
  }

  /// Registers an app. The app is not running yet.
  ///
  /// - Parameters:
  ///   - name: The app's bundle identifier; unique on the device.
  ///   - manifest: The app's declarations; `try AppManifest(infoPlist: path)` reads
  ///     a real Info.plist.
  ///   - delegate: The app's callbacks. Kept until the device is closed.
  ///   - host: The host of the real process behind the app. Kept until the device is closed.
  /// - Precondition: The policy declares the facts of apps that the manifest names. Modes that
  ///   the policy does not know are ignored.
  /// - Complexity: O(1) amortised.
  public func register(
    _ name: String, manifest: AppManifest = AppManifest(), delegate: (any AppDelegate)? = nil,
    process host: (any ProcessHost)? = nil
  ) -> App {
    for fact in manifest.facts.names { _ = core.number(ofFact: fact, ofApp: true) }
    return App(core: core, id: core.withState { $0.add(name, manifest, delegate, host) })
  }

  /// Removes an app that is not running, with its schedules, its requests and its notifications
  /// (rule A12). Later calls for this app are illegal; another app may be registered under
  /// its name.
  /// - Returns: Whether the app has been removed: it was registered and not running.
  /// - Complexity: O(the app's requests, schedules and notifications + identifiers that all apps
  ///   are permitted + names that have been posted).
  @discardableResult
  public func removeApp(_ app: App) -> Bool {
    var isRemoved = false
    core.tell { state in
      isRemoved = state.driver.engine.isRemovable(app.id)
      guard isRemoved else { return nil }
      state.outgoing.objects += state.apps.remove(app.id)
      return .removeApp(app.id)
    }
    return isRemoved
  }

  /// The registered app with that name; nil if there is none.
  /// - Complexity: O(1).
  public func app(named name: String) -> App? {
    core.withState { $0.apps[named: name] }.map { App(core: core, id: $0) }
  }

  /// All apps except removed apps, in the order in which they were registered.
  /// - Complexity: O(apps).
  public var apps: [App] {
    let ids = core.withState { $0.apps.registered }
    return ids.map { App(core: core, id: $0) }
  }

  /// The time since the start: the sum of all advances of a virtual clock, or the elapsed time
  /// of a real clock.
  /// - Complexity: O(1).
  public var now: Instant { core.now }

  /// The counts of the device's activity so far.
  /// - Complexity: O(1).
  public var counts: DeviceCounts { core.withState { $0.counts } }

  /// Closes the device: deadlines no longer take effect, streams finish, and no handler is called
  /// except handlers that are about to start. A handler that is running finishes. May be called
  /// from anywhere, including handlers, and more than once. In real time the first call waits for
  /// a tick in progress.
  /// - Complexity: O(apps and open tasks).
  public func close() { core.close() }
}
