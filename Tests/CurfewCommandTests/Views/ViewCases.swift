import CurfewEngine
import CurfewPolicy

/// Every reason of the vocabulary, with every cause of a reason that has several.
extension ViewCase {
  static let all = denials + switches + ends + memory + refusals + remarks

  private static let launch = "0s, do: launch, app: app"
  private static let home = "5s, do: home"
  private static let begin = "1s, do: beginTask, app: app, task: work, handler: none"
  private static let region = "9s, do: deliver, app: app, kind: region"
  private static let fetch = "9s, do: deliver, app: app, kind: fetch"
  private static let push = "do: deliver, app: app, kind: remoteNotification"
  private static let refresh = "2s, do: submitTask, app: app, identifier: r, kind: appRefresh"
  private static let modes =
    "backgroundModes: [fetch, remote-notification, processing, voip, external-accessory]"

  private static let denials = [
    ViewCase(.denial(.noMultitasking), .policy, "multitasking", policy: "ios3", launch, begin),
    ViewCase(.denial(.kindNotInPolicy), .policy, "wakes", policy: "ios4", app: modes, fetch),
    ViewCase(
      .denial(.modeNotInPolicy), .policy, "sessions", policy: "ios4",
      app: "backgroundModes: [bluetooth-central]", launch,
      "1s, do: startSession, app: app, mode: bluetooth-central"),
    ViewCase(.denial(.modeNotDeclared), .policy, "wakes.fetch.mode", fetch),
    ViewCase(
      .denial(.exitsOnSuspend), .manifest, "exitsOnSuspend", app: "exitsOnSuspend: true", region),
    ViewCase(
      .denial(.lowPowerMode), .policy, "wakes.fetch.blockedBy", device: "lowPowerMode: true",
      app: modes, fetch),
    ViewCase(
      .denial(.lowBattery), .policy, "wakes.processing.blockedBy", device: "battery: 15%",
      app: modes,
      "9s, do: deliver, app: app, kind: processing"),
    ViewCase(
      .denial(.forceQuit), .policy, "wakes.remoteNotification.survivesForceQuit", app: modes,
      launch, home, "6s, do: forceQuit, app: app",
      "9s, \(push)"),
    ViewCase(.denial(.beforeFirstUnlock), .device, "beforeFirstUnlock", "1s, do: reboot", region),
    ViewCase(
      .denial(.mayNotRelaunch), .policy, "wakes.accessoryData.relaunches", app: modes,
      "9s, do: deliver, app: app, kind: accessoryData"),
    ViewCase(
      .denial(.terminating), .app, "terminating", app: "returns: {willTerminate: 2s}", launch,
      "8s, do: forceQuit, app: app", region),
    ViewCase(
      .denial(.budget), .policy, "wakes.remoteNotification.admissions", app: modes, "1s, \(push)",
      "2s, do: completeWake, app: app",
      "3s, \(push)",
      "4s, do: completeWake, app: app", "5s, \(push)", "6s, do: completeWake, app: app",
      "7s, \(push)"),
    ViewCase(
      .denial(.interval), .policy, "wakes.voipKeepAlive.minimumInterval", app: modes, launch,
      "1s, do: setKeepAlive, app: app, interval: 599s"),
    ViewCase(
      .denial(.interval), .app, "interval",
      policy: "wakes: {voipKeepAlive: {minimumInterval: none}}", app: modes, launch,
      "1s, do: setKeepAlive, app: app, interval: 0s"),
  ]

  private static let switches = [
    ViewCase(
      .denial(.backgroundRefreshDenied), .policy, "wakes.fetch.requires",
      words: ", and the app's switch is off", app: modes,
      "1s, do: setRefresh, app: app, status: denied", fetch),
    ViewCase(
      .denial(.backgroundRefreshDenied), .policy, "wakes.fetch.requires",
      words: ", and the device's switch is off",
      app: modes,
      "1s, do: setRefresh, status: denied", fetch),
    ViewCase(
      .denial(.backgroundRefreshDenied), .policy, "wakes.fetch.requires",
      words: ", and the app's and the device's switches are off",
      app: "backgroundRefresh: denied, \(modes)",
      "1s, do: setDevice, backgroundRefresh: false", fetch),
    ViewCase(
      .denial(.backgroundRefreshDenied), .policy, "tasks.seedStrict",
      words: ", and the app's switch is off",
      policy: "tasks: {seedStrict: true}",
      app: "backgroundRefresh: denied", launch, begin),
    ViewCase(
      .denial(.backgroundRefreshRestricted), .policy, "wakes.fetch.requires",
      words: ", and the app's switch is restricted",
      app: "backgroundRefresh: restricted, \(modes)", "1s, do: setDevice, backgroundRefresh: false",
      fetch),
  ]

  private static let ends = [
    ViewCase(.termination(.normalAppExit), .policy, "multitasking", policy: "ios3", launch, home),
    ViewCase(
      .termination(.normalAppExit), .manifest, "exitsOnSuspend", app: "exitsOnSuspend: true",
      launch, home),
    ViewCase(
      .termination(.normalAppExit), .app, "crash", app: "exitsOnSuspend: true", launch,
      "1s, do: crash, app: app, reason: normalAppExit"),
    ViewCase(.termination(.abnormalExit), .app, "crash", launch, "1s, do: crash, app: app"),
    ViewCase(
      .termination(.badAccess), .app, "crash", launch, "1s, do: crash, app: app, reason: badAccess"),
    ViewCase(
      .termination(.illegalInstruction), .app, "crash", launch,
      "1s, do: crash, app: app, reason: illegalInstruction"),
    ViewCase(
      .termination(.abnormalExit), .app, "exitStatus", words: "it exited with status 3", launch,
      "1s, do: crash, app: app, status: 3"),
    ViewCase(
      .termination(.signal), .app, "signal", words: "signal 15 ended it", launch,
      "1s, do: crash, app: app, reason: signal, signal: 15"),
    ViewCase(
      .termination(.oomKill), .device, "oomKill", words: "the kernel killed it", launch,
      "1s, do: crash, app: app, reason: oomKill"),
    ViewCase(
      .termination(.spawnFailed), .host, "spawnFailed", words: "could not be started (ENOENT)",
      launch, "1s, do: crash, app: app, reason: spawnFailed, error: ENOENT"),
    ViewCase(
      .termination(.hostFailure), .host, "hostFailure", words: "its host failed", launch,
      "1s, do: crash, app: app, reason: hostFailure"),
    ViewCase(
      .termination(.appWatchdog), .policy, "limits.launch",
      app: "returns: {didFinishLaunching: 60s}", launch),
    ViewCase(
      .termination(.cpuResourceLimit), .policy, "cpu.share", app: "backgroundModes: [audio]",
      launch,
      "1s, do: startSession, app: app, mode: audio",
      "2s, do: useCPU, app: app, share: 100%, for: 10m", home),
    ViewCase(
      .termination(.suspendedWithLockedFile), .policy, "lockedFiles.terminate", launch,
      "1s, do: lockFile, app: app", home),
    ViewCase(
      .termination(.backgroundTaskAssertionTimeout), .policy, "tasks.grant", launch, begin, home),
    ViewCase(
      .termination(.backgroundTaskAssertionTimeout), .policy, "wakes.fetch.length", app: modes,
      fetch),
    ViewCase(
      .termination(.backgroundTaskAssertionTimeout), .host, "expireTasks",
      words: "its grant was cut short: policyRevoked", launch, begin,
      home,
      "6s, do: expireTasks, app: app"),
    ViewCase(
      .termination(.backgroundTaskAssertionTimeout), .host, "expireTasks",
      words: "its grant was cut short: thermal", launch, begin, home,
      "6s, do: expireTasks, app: app, reason: thermal"),
    ViewCase(
      .termination(.backgroundTaskAssertionTimeout), .policy, "tasks.thermalExpiry",
      words: "its grant was cut short: thermal, tasks",
      launch, begin,
      home, "6s, do: setDevice, thermal: critical"),
    ViewCase(
      .termination(.userForceQuit), .user, "forceQuit", launch, "1s, do: forceQuit, app: app"),
    ViewCase(.termination(.reboot), .device, "reboot", launch, "1s, do: reboot"),
    ViewCase(
      .termination(.tooManyBackgroundTasks), .policy, "tasks.limit", policy: "tasks: {limit: 1}",
      launch, begin,
      "2s, do: beginTask, app: app, task: more"),
  ]

  private static let memory = [
    ViewCase(
      .termination(.memoryResourceLimit), .manifest, "memoryLimit",
      words: "its memoryLimit is 100MiB",
      policy: "memory: {appLimit: 200MiB}",
      app: "memoryLimit: 100MiB, footprint: 300MiB", launch),
    ViewCase(
      .termination(.memoryResourceLimit), .policy, "memory.appLimit",
      words: "memory.appLimit is 200MiB",
      policy: "memory: {appLimit: 200MiB}",
      app: "footprint: 300MiB", launch),
    ViewCase(
      .termination(.memoryPressure), .device, "memory",
      words: "the device's memory of 300MiB is used up", device: "memory: 300MiB",
      app: "footprint: 400MiB", launch, home),
    ViewCase(
      .termination(.memoryPressure), .device, "memory",
      words: "the device's memory of 200MiB is used up", app: "footprint: 250MiB", launch,
      home,
      "6s, do: setDevice, memory: 200MiB"),
    ViewCase(
      .termination(.memoryPressure), .policy, "memory.capacity", words: "memory.capacity is 4GiB",
      app: "footprint: 5GiB", launch, home,
      "6s, do: launch, app: other"),
    ViewCase(
      .termination(.memoryPressure), .policy, "memory.purgeAbove", words: "memory.purgeAbove is 5%",
      policy: "memory: {purgeAbove: 5%, purge: leastCostly}",
      app: "footprint: 300MiB, startCost: 1s", launch, home),
    ViewCase(
      .diagnostic(.stillOpenAfterExpiration), .policy, "tasks.warning",
      words: "tasks.warning is 5s", launch,
      "1s, do: beginTask, app: app, task: upload, handler: none", home),
    ViewCase(
      .memoryWarning, .policy, "memory.warning", words: "memory.warning is 80%",
      device: "memory: 300MiB", app: "footprint: 290MiB", launch),
    ViewCase(
      .diagnostic(.overCapacity), .device, "memory",
      words: "the device's memory of 300MiB is used up", device: "memory: 300MiB",
      app: "footprint: 400MiB", launch),
    ViewCase(
      .diagnostic(.overCapacity), .policy, "memory.capacity", words: "memory.capacity is 4GiB",
      app: "footprint: 5GiB", launch),
  ]

  private static let refusals = [
    ViewCase(
      .refusal(.unavailable), .policy, "multitasking", policy: "ios3",
      app: "permittedIdentifiers: [r]", launch, refresh),
    ViewCase(
      .refusal(.unavailable), .policy, "wakes", policy: "ios7",
      app: "permittedIdentifiers: [r], \(modes)", launch, refresh),
    ViewCase(
      .refusal(.unavailable), .policy, "wakes.appRefresh.requires",
      words: ", and the device's switch is off",
      app: "permittedIdentifiers: [r], \(modes)", launch, "1s, do: setRefresh, status: denied",
      refresh),
    ViewCase(
      .refusal(.unavailable), .policy, "wakes.appRefresh.requires",
      words: ", and the app's switch is restricted and the device's switch is off",
      app: "permittedIdentifiers: [r], backgroundRefresh: restricted, \(modes)", launch,
      "1s, do: setRefresh, status: denied", refresh),
    ViewCase(
      .refusal(.tooManyPendingTaskRequests), .policy, "wakes.appRefresh.pending",
      app: "permittedIdentifiers: [r, s], \(modes)", launch,
      "1s, do: submitTask, app: app, identifier: s, kind: appRefresh", refresh),
    ViewCase(
      .refusal(.notPermitted), .policy, "wakes.appRefresh.mode", app: "permittedIdentifiers: [r]",
      launch, refresh),
    ViewCase(
      .refusal(.notPermitted), .manifest, "permittedIdentifiers", app: modes, launch, refresh),
    ViewCase(
      .refusal(.notPermitted), .manifest, "exitsOnSuspend",
      app: "exitsOnSuspend: true, permittedIdentifiers: [r], \(modes)", launch,
      refresh),
  ]

  private static let remarks = [
    ViewCase(
      .diagnostic(.slowLaunch), .policy, "limits.launchWarning",
      app: "returns: {didFinishLaunching: 6s}", launch),
    ViewCase(
      .diagnostic(.slowDidEnterBackground), .policy, "limits.didEnterBackgroundWarning",
      app: "returns: {didEnterBackground: 6s}", launch, home),
    ViewCase(
      .diagnostic(.runsWithoutAssertion), .policy, "limits.withoutAssertionWarning",
      app: "returns: {urlSession: 20s}", launch, home,
      "9s, do: deliver, app: app, kind: urlSession", "10s, do: completeWake, app: app, wake: 1"),
    ViewCase(.diagnostic(.taskTooOld), .policy, "tasks.ageWarning", launch, begin),
    ViewCase(
      .diagnostic(.unknownTask), .app, "endTask", launch, begin,
      "2s, do: endTask, app: app, task: work",
      "3s, do: endTask, app: app, task: work"),
    ViewCase(
      .diagnostic(.alreadyCompleted), .app, "completeWake", app: "returns: {urlSession: 5s}",
      launch, home, "9s, do: deliver, app: app, kind: urlSession",
      "10s, do: completeWake, app: app, wake: 1", "11s, do: completeWake, app: app, wake: 1"),
    ViewCase(
      .diagnostic(.illegalEvent), .host, "nobodyInFront", words: "no app is in front",
      "1s, do: home"),
    ViewCase(
      .diagnostic(.illegalEvent), .host, "inFront", words: "it is in front already", launch,
      "1s, do: launch, app: app"),
    ViewCase(
      .diagnostic(.notificationDropped), .policy, "notifications.names",
      words: "notifications.names is 1",
      policy: "notifications: {names: 1}",
      launch, home, "9s, do: post, name: one", "9s, do: post, name: two"),
    ViewCase(
      .diagnostic(.deliveredInForeground), .app, "runLoop", policy: "ios7",
      app: "returns: {willEnterForeground: 1s}", launch,
      "1s, do: beginTask, app: app, task: work", "10s, do: home", "184500ms, do: launch, app: app"),
  ]
}
