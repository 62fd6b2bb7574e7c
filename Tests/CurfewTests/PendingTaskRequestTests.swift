import Curfew
import Foundation
import TestRuns
import Testing

/// Registers every identifier that its app's manifest permits, and completes every task at once.
private final class Registrar: AppDelegate, @unchecked Sendable {
  let identifiers: [String]
  private(set) var starts: [Date] = []

  init(_ identifiers: [String]) { self.identifiers = identifiers }

  func applicationDidFinishLaunching(_ app: App) {
    for identifier in identifiers {
      app.taskScheduler.register(forTaskWithIdentifier: identifier, using: nil) { [self] task in
        starts.append(app.date)
        task.setTaskCompleted(success: true)
      }
    }
  }
}

/// Pending requests, and dates.
@Suite(.inTurn) struct PendingTaskRequestTests {
  private func phone(startDate: Date? = nil) -> (Device, App, Registrar) {
    let identifiers = ["refresh", "clean", "sync"]
    let (device, registrar) = (Device(policy: .ios13, startDate: startDate), Registrar(identifiers))
    let manifest = AppManifest(
      backgroundModes: [.fetch, .processing], permittedIdentifiers: identifiers)
    let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
    app.launch()
    return (device, app, registrar)
  }

  private func pending(_ app: App) -> [BGTaskRequest] {
    var requests: [BGTaskRequest] = []
    app.taskScheduler.getPendingTaskRequests { requests = $0 }
    return requests
  }

  @Test func `W5 pending requests are copies, in order, until they are started or cancelled`()
    async throws
  {
    let (device, app, registrar) = phone()
    let refresh = BGAppRefreshTaskRequest(identifier: "refresh")
    refresh.earliestBeginDate = Device.virtualStartDate + 0.1
    let clean = BGProcessingTaskRequest(identifier: "clean")
    clean.requiresExternalPower = true
    for request in [refresh, clean] { try app.taskScheduler.submit(request) }
    refresh.earliestBeginDate = nil
    clean.requiresNetworkConnectivity = true
    #expect(pending(app).map(\.identifier) == ["refresh", "clean"])
    #expect(pending(app).map(\.earliestBeginDate) == [Device.virtualStartDate + 0.1, nil])
    let kept = try #require(pending(app).last as? BGProcessingTaskRequest)
    #expect(
      kept.requiresExternalPower && !kept.requiresNetworkConnectivity
        && pending(app).first is BGAppRefreshTaskRequest)
    // The request is replaced, and outlives the process.
    try app.taskScheduler.submit(refresh)
    app.crash()
    #expect(
      await app.taskScheduler.pendingTaskRequests().map(\.identifier) == ["clean", "refresh"])
    #expect(pending(app).last?.earliestBeginDate == nil)
    device.advance(by: .seconds(900))
    #expect(registrar.starts.count == 1 && pending(app).map(\.identifier) == ["clean"])
  }

  @Test func `W5 requests are cancelled one by one, or all`() throws {
    let (device, app, registrar) = phone()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    for identifier in ["clean", "sync"] {
      try app.taskScheduler.submit(BGProcessingTaskRequest(identifier: identifier))
    }
    app.taskScheduler.cancel(taskRequestWithIdentifier: "clean")
    app.taskScheduler.cancel(taskRequestWithIdentifier: "clean")
    #expect(pending(app).map(\.identifier) == ["refresh", "sync"])
    app.taskScheduler.cancelAllTaskRequests()
    #expect(pending(app).isEmpty)
    device.lock()
    device.advance(by: .seconds(3600))
    #expect(registrar.starts.isEmpty)
  }

  @Test
  func `requests that were submitted under the app's own names are pending too, with their dates`()
    throws
  {
    let (device, app, _) = phone()
    device.advance(by: .seconds(1))
    try app.submitTaskRequest(
      "clean", kind: .processing, earliestBegin: .seconds(60), requiresNetworkConnectivity: true)
    try app.submitTaskRequest("refresh", kind: .appRefresh)
    #expect(pending(app).map(\.earliestBeginDate) == [Device.virtualStartDate + 61, nil])
    #expect((pending(app).first as? BGProcessingTaskRequest)?.requiresNetworkConnectivity == true)
  }

  @Test func `an app has one scheduler; a closed device has nothing pending`() throws {
    let (device, app, _) = phone()
    #expect(app.taskScheduler === app.taskScheduler)
    #expect(app.taskScheduler !== device.register("com.example.other").taskScheduler)
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    device.close()
    #expect(pending(app).isEmpty)
    #expect(throws: BGTaskScheduler.Error.self) {
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    }
  }

  // MARK: Dates

  @Test func `a device in virtual time starts on the given date, or on one fixed date`() {
    let device = Device(policy: .ios13)
    #expect(
      device.date == Date(timeIntervalSinceReferenceDate: 0)
        && device.date == Device.virtualStartDate)
    device.advance(by: .milliseconds(1500))
    #expect(device.date == Date(timeIntervalSinceReferenceDate: 1.5))
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let later = Device(policy: .ios13, startDate: start)
    later.advance(by: .seconds(60))
    #expect(later.date == start + 60 && later.register("app").date == start + 60)
  }

  @Test func `a device in real time starts on the current date`() {
    let clock = StandingClock()
    let before = Date()
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let after = Date()
    #expect((before...after).contains(device.date))
    clock.goOn(at: .zero + .seconds(60))
    #expect((before + 60...after + 60).contains(device.date))
  }

  @Test
  func
    `W5 a date is a lower bound; a past date delays nothing, and a date past the end of time never comes`()
    throws
  {
    for (date, expected) in [
      (nil, 900.0), (Date.distantPast, 900), (Device.virtualStartDate + 900, 900),
      (Device.virtualStartDate + 901, 1800),
      (Date.distantFuture, nil),
    ] as [(Date?, Double?)] {
      let (device, app, registrar) = phone()
      device.advance(by: .milliseconds(1))
      let request = BGAppRefreshTaskRequest(identifier: "refresh")
      request.earliestBeginDate = date
      try app.taskScheduler.submit(request)
      #expect(pending(app).map(\.earliestBeginDate) == [date])
      app.home()
      device.advance(by: .seconds(7200))
      #expect(
        registrar.starts == (expected.map { [Device.virtualStartDate + $0] } ?? []),
        "\(String(describing: date))")
    }
  }

  @Test func `W5 dates of any day are exact to the microsecond`() throws {
    // An opportunity comes exactly when the request may start, or a microsecond before.
    for (late, start) in [(0, 900.0), (1, 1800)] {
      for day in [-9e8, 0, 7.9e8 + 0.1, 1.2e9 + 0.7] {
        for step in 1...20 {
          let (device, app, registrar) = phone(startDate: Date(timeIntervalSinceReferenceDate: day))
          device.advance(by: .microseconds(1_234_567 * step))
          let request = BGAppRefreshTaskRequest(identifier: "refresh")
          request.earliestBeginDate =
            device.date + Double(900_000_000 - 1_234_567 * step + late) / 1e6
          try app.taskScheduler.submit(request)
          app.home()
          device.advance(by: .seconds(1800))
          let first = registrar.starts.first.map { $0.timeIntervalSinceReferenceDate - day }
          #expect(first.map { $0.rounded() } == start, "\(late) µs late, day \(day), step \(step)")
        }
      }
    }
  }
}
