import CurfewEngine
import CurfewPolicy
import CurfewTrace
import TestRuns
import Testing

@Suite(.inTurn) struct NameTests {
  @Test func `reasons, modes, policies and lines print as people write them`() throws {
    #expect(
      "\(DenialReasons([.lowPowerMode, .backgroundRefreshDenied]))"
        == "backgroundRefreshDenied, lowPowerMode")
    #expect("\(DenialReasons.budget) \(DenialReasons([]))" == "budget none")
    #expect("\(BackgroundModes([.fetch, .audio])) \(BackgroundModes([]))" == "audio, fetch none")
    #expect("\(try PolicyFile.load("ios13"))" == "ios13")
    let line = TraceLine(
      time: .zero + .nanoseconds(5), app: "mail", .state(from: .notRunning, to: .inactive))
    #expect(
      "\(line)" == #"{"t":5,"app":"mail","type":"state","from":"notRunning","to":"inactive"}"#)
  }

  @Test func `every name leads back to its value`() {
    check(AppState.self, ["notRunning", "inactive", "active", "background", "suspended"])
    #expect(
      KindName.standard.map(\.rawValue) == [
        "finiteTask", "audio", "location", "voip", "external-accessory", "bluetooth-central",
        "bluetooth-peripheral", "fetch",
        "remoteNotification", "newsstand", "significantLocation", "region", "bluetoothData",
        "accessoryData", "voipPush", "voipKeepAlive",
        "urlSession", "appRefresh", "processing",
      ])
    let names = PolicyNames()
    #expect(
      KindName.standard.map { names.kind($0).map(names.name(of:)) }
        == KindName.standard.map(Optional.some))
    check(
      BackgroundModes.self,
      [
        "audio", "location", "voip", "external-accessory", "newsstand-content", "fetch",
        "remote-notification", "bluetooth-central",
        "bluetooth-peripheral", "processing",
      ])
    check(
      DenialReasons.self,
      [
        "noMultitasking", "kindNotInPolicy", "modeNotInPolicy", "modeNotDeclared", "exitsOnSuspend",
        "backgroundRefreshDenied",
        "backgroundRefreshRestricted", "lowPowerMode", "lowBattery", "forceQuit",
        "beforeFirstUnlock", "mayNotRelaunch", "terminating",
        "budget", "interval",
      ])
    check(
      TerminationReason.self,
      [
        "normalAppExit", "abnormalExit", "appWatchdog", "cpuResourceLimit", "memoryResourceLimit",
        "memoryPressure",
        "suspendedWithLockedFile", "backgroundTaskAssertionTimeout", "badAccess",
        "illegalInstruction", "userForceQuit", "reboot",
        "tooManyBackgroundTasks", "oomKill", "signal", "spawnFailed", "hostFailure",
      ])
    #expect(
      CrashReason.terminations.map(\.fileName) == [
        "abnormalExit", "badAccess", "illegalInstruction", "normalAppExit", "oomKill", "signal",
        "spawnFailed", "hostFailure",
      ])
    check(SpawnError.self, SpawnError.allCases.map(\.rawValue))
    #expect(Set(SpawnError.fileNames).isSuperset(of: ["E2BIG", "EACCES", "ENOENT", "ENOMEM"]))
    check(
      ExpirationReason.self, ["timeLimit", "thermal", "memory", "userForceQuit", "policyRevoked"])
    check(WakeResult.self, ["newData", "noData", "failed"])
    check(
      Diagnostic.self,
      [
        "slowLaunch", "unknownTask", "illegalEvent", "deliveredInForeground", "taskTooOld",
        "overCapacity", "stillOpenAfterExpiration",
        "notificationDropped", "alreadyCompleted", "slowDidEnterBackground", "runsWithoutAssertion",
      ])
    check(BackgroundRefreshStatus.self, ["restricted", "denied", "available"])
    check(ThermalState.self, ["nominal", "fair", "serious", "critical"])
    check(LocalNotificationFate.self, ["shown", "delivered"])
    check(TaskRequestError.self, ["unavailable", "tooManyPendingTaskRequests", "notPermitted"])
    check(Callback.self, Callback.allCases.map { "\($0)" })
    check(
      AppCall.self,
      Callback.fileNames + [
        "expirationHandler", "wakeExpirationHandler", "sessionExpirationHandler",
      ] + names.kinds(.wake).map(\.rawValue))
  }

  private func check<Value: FileNamed & Equatable>(_ type: Value.Type, _ names: [String]) {
    #expect(Value.fileNames == names)
    #expect(names.map { Value(fileName: $0) } == Value.named.map(Optional.some))
    #expect(Value(fileName: "nonsense") == nil)
  }

  @Test func `sets name their members in order`() {
    #expect(DenialReasons([.forceQuit, .lowPowerMode]).fileNames == ["lowPowerMode", "forceQuit"])
    #expect(BackgroundModes([.voip, .audio]).fileNames == ["audio", "voip"])
    #expect(DenialReasons([]).fileNames == [])
  }

  @Test func `a code is written as crash reports print it`() {
    #expect(TerminationCode(rawValue: 0x8bad_f00d).fileName == "0x8badf00d")
    #expect(TerminationCode(rawValue: 0xbada_5e47).fileName == "0xbada5e47")
  }
}
