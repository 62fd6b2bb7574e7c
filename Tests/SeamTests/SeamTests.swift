import Curfew
import Foundation
import Testing

/// A seam in use: begins a task through the protocol, and
/// returns a closure that ends it through the protocol.
struct SeamUse: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let begin: @Sendable (App, @escaping @Sendable () -> Void) -> () -> Void

  init(
    _ name: String, _ begin: @escaping @Sendable (App, @escaping @Sendable () -> Void) -> () -> Void
  ) {
    (testDescription, self.begin) = (name, begin)
  }
}

/// A seam whose requirements are on the main actor.
struct MainActorSeamUse: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let begin:
    @MainActor @Sendable (App, @escaping @MainActor @Sendable () -> Void) -> @MainActor () -> Void

  init(
    _ name: String,
    _ begin:
      @escaping @MainActor @Sendable (App, @escaping @MainActor @Sendable () -> Void) ->
      @MainActor () -> Void
  ) {
    (testDescription, self.begin) = (name, begin)
  }
}

/// Behind a seam of each shape a task begins, expires in time, and is ended by its handler.
@Suite struct SeamTests {
  static let uses = [
    SeamUse("Datadog") { app, handler in
      let seam: any Datadog.UIKitAppBackgroundTaskCoordinator = app
      let task = seam.beginBackgroundTask(expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("RudderStack") { app, handler in
      let seam: any RudderStack.UIKitAppBackgroundTaskPlanner = app
      let task = seam.beginBackgroundTask(expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Mullvad") { app, handler in
      let seam: any Mullvad.BackgroundTaskProvider = app
      let task = seam.beginBackgroundTask(withName: "mullvad", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Wire") { app, handler in
      let seam: any Wire.BackgroundActivityManager = app
      #expect(
        seam.applicationState == .active && seam.backgroundTimeRemaining == .greatestFiniteMagnitude
      )
      let task = seam.beginBackgroundTask(withName: "wire", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("ProcedureKit") { app, handler in
      let seam: any ProcedureKit.BackgroundTaskApplicationProtocol = app
      #expect(seam.applicationState != .background)
      let task = seam.beginBackgroundTask(withName: "procedure", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Operations") { app, handler in
      let seam: any Operations.BackgroundTaskApplicationInterface = app
      let task = seam.beginBackgroundTask(withName: "operation", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("AdvancedOperation") { app, handler in
      let seam: any AdvancedOperation.UIApplicationBackgroundTask = app
      let task = seam.beginBackgroundTask(withName: "operation", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Element X") { app, handler in
      let seam: any Element.ApplicationProtocol = app
      let task = seam.beginBackgroundTask(withName: nil, expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Matrix") { app, handler in
      let seam: any Element.MXApplicationProtocol = app
      let task = seam.beginBackgroundTask(expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("RefreshService") { app, handler in
      let seam: any RefreshService.A4SApplicationBackgroundTaskProtocol = app
      let task = seam.beginBackgroundTask(withName: "refresh", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("FKKit") { app, handler in
      let seam: any FKKit.FKBackgroundApplicationType = app
      let task = seam.beginBackgroundTask(withName: "work", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Bitwarden") { app, handler in
      let seam: any Bitwarden.Application = app
      let task = seam.beginBackgroundTask(withName: "vault", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Pocket") { app, handler in
      let seam: any Pocket.BackgroundTaskManager = app
      let task: Int = seam.beginTask(withName: "save", expirationHandler: handler)
      return { seam.endTask(task) }
    },
    SeamUse("Blockchain") { app, handler in
      let seam: any Blockchain.ApplicationBackgroundTaskAPI = app
      let task = seam.beginToolKitBackgroundTask(withName: "wallet", expirationHandler: handler)
      return { seam.endToolKitBackgroundTask(task) }
    },
    SeamUse("ios-examples") { app, handler in
      let seam: any Examples.Application = app.object
      let task = seam.beginBackgroundTask(expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    SeamUse("Present") { app, handler in
      let seam: any Present.BackgroundTaskManager = app.object
      let task = seam.beginBackgroundTask(expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
  ]

  @Test(arguments: uses) func `a task's handler is called in time and ends it`(use: SeamUse) {
    let (device, app, seen) = (Device(policy: .ios13), "sdk", Seen())
    let host = device.register(app)
    host.launch()
    seen.end = use.begin(host) {
      seen.count += 1
      seen.end()
    }
    #expect(host.openTasks.count == 1)
    device.home()
    device.advance(by: .seconds(24))
    #expect(seen.count == 0 && host.openTasks.count == 1)
    device.advance(by: .seconds(36))
    #expect(
      seen.count == 1 && device.openTasks.isEmpty && device.leakedTasks.isEmpty
        && host.applicationState == .suspended)
  }

  @Test(arguments: uses) func `a task is ended before, and its handler is not called`(use: SeamUse)
  {
    let (device, seen) = (Device(policy: .ios13), Seen())
    let host = device.register("sdk")
    host.launch()
    let end = use.begin(host) { seen.count += 1 }
    device.home()
    device.advance(by: .seconds(1))
    end()
    #expect(host.openTasks.isEmpty && host.applicationState == .suspended)
    device.advance(by: .seconds(60))
    #expect(seen.count == 0 && device.leakedTasks.isEmpty)
  }

  @Test func `a begin of a suspended app is reported by the name that the program calls`() {
    let device = Device(policy: .ios13)
    let host = device.register("sdk")
    host.launch()
    device.home()
    _ = (host as any Mullvad.BackgroundTaskProvider).beginBackgroundTask(
      withName: "upload", expirationHandler: nil)
    let text = host.lastDiagnostic.map { "\($0)" } ?? ""
    #expect(text.contains("beginBackgroundTask(withName:expirationHandler:)"), "\(text)")
  }

  @MainActor static let mainActorUses = [
    MainActorSeamUse("Mullvad for Swift 6") { app, handler in
      let seam: any Mullvad.BackgroundTaskProviding = app
      let task = seam.beginBackgroundTask(withName: "mullvad", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    MainActorSeamUse("Dromio") { app, handler in
      let seam: any Dromio.ApplicationType = app
      let task = seam.beginBackgroundTask(expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    MainActorSeamUse("Dromio, with a name") { app, handler in
      let seam: any Dromio.ApplicationType = app
      let task = seam.beginBackgroundTask(withName: "dromio", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    MainActorSeamUse("AirQuality") { app, handler in
      let seam: any AirQuality.UIApplicationProtocol = app
      let task = seam.beginBackgroundTask(withName: "air") {
        MainActor.assumeIsolated { handler() }
      }
      return { seam.endBackgroundTask(task) }
    },
    MainActorSeamUse("Firefox") { app, handler in
      let (seam, times): (any Firefox.ApplicationStateProvider, any Dromio.ApplicationType) = (
        app, app
      )
      #expect(seam.applicationState == .active)
      let task = times.beginBackgroundTask(withName: "tabs", expirationHandler: handler)
      return { times.endBackgroundTask(task) }
    },
    MainActorSeamUse("vending") { app, handler in
      let seam: any Unnamed.BackgroundTaskVending = app.object
      let task = seam.beginBackgroundTask(withName: "server", expirationHandler: handler)
      return { seam.endBackgroundTask(task) }
    },
    MainActorSeamUse("hold") { app, handler in
      let seam: any Unnamed.BackgroundTaskApplication = app.object
      #expect(seam.applicationState == .active)
      let task = seam.beginBackgroundTask(withName: "hold") {
        MainActor.assumeIsolated { handler() }
      }
      return { seam.endBackgroundTask(task) }
    },
  ]

  @Test(arguments: await mainActorUses) @MainActor func `it is reported so on the main actor`(
    use: MainActorSeamUse
  ) {
    let (device, seen) = (Device(policy: .ios13), SeenOnMainActor())
    let host = device.register("sdk")
    host.launch()
    seen.end = use.begin(host) {
      seen.count += 1
      seen.end()
    }
    #expect(host.openTasks.count == 1)
    device.home()
    device.advance(by: .seconds(60))
    #expect(seen.count == 1 && device.openTasks.isEmpty && device.leakedTasks.isEmpty)
  }

  @Test func `an expiring activity runs, and is notified if there is no time`() {
    let device = Device(policy: .ios13)
    let host = device.register("sdk")
    let (seam, seen): (any RudderStack.WatchKitAppBackgroundTaskPlanner, Seen) = (host, Seen())
    seam.performExpiringActivity(withReason: "flush") { seen.told.append($0) }
    #expect(seen.told == [true])
    host.launch()
    seam.performExpiringActivity(withReason: "flush") { expired in
      seen.told.append(expired)
      #expect(host.openTasks.map(\.name) == ["flush"])
    }
    #expect(seen.told == [true, false] && host.openTasks.isEmpty)
  }

  @Test func `the program's own calls keep their meaning`() {
    let device = Device(policy: .ios13)
    let host = device.register("sdk")
    host.launch()
    let tasks = [
      host.beginBackgroundTask(), host.beginBackgroundTask(withName: "a"),
      host.beginBackgroundTask(expirationHandler: nil),
      host.beginBackgroundTask(withName: nil, expirationHandler: nil), host.beginBackgroundTask {},
      host.beginBackgroundTask(withName: "b") {},
      host.beginBackgroundTask(withName: "c", expirationHandler: {}),
      host.beginBackgroundTask { (_: Expiration) in },
    ]
    #expect(!tasks.contains(.invalid) && Set(tasks).count == tasks.count)
    // These calls pass their caller on; a protocol's do not.
    #expect(device.openTasks.allSatisfy { $0.origin.fileID.hasSuffix("/SeamTests.swift") })
    let seam: any Datadog.UIKitAppBackgroundTaskCoordinator = host
    _ = seam.beginBackgroundTask(expirationHandler: nil)
    #expect(device.openTasks.last?.origin.description == "an unknown place")
  }
}

/// Observations of a test of one thread.
private final class Seen: @unchecked Sendable {
  var count = 0
  var told: [Bool] = []
  var end: () -> Void = {}
}

/// The same on the main actor.
@MainActor private final class SeenOnMainActor {
  var count = 0
  var end: @MainActor () -> Void = {}
}
