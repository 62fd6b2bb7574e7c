import TestRuns
import TestSupport
import Testing

@testable import CurfewEngine

/// The order of purging (rule M1): the engine's heap against a sort.
@Suite(.inTurn) struct PurgeOrderTests {
  /// The state of an app as the test tracks it, without asking the engine.
  private struct Resident {
    var footprint: Int64 = 0
    var tier = 0
    var departure = 0
    var cost: Int64 = 0
  }

  private static let orders: [MemoryRules.PurgeOrder] = [
    .largest, .leastRecentlyUsed, .leastCostly,
  ]

  /// Apps of random size, sent to the background in random order, some kept running, some with
  /// music on.
  private static func crowd(
    _ count: UInt32, purging purge: MemoryRules.PurgeOrder = .largest,
    _ random: inout SeededGenerator, _ residents: inout [Resident]
  ) -> Driver {
    let policy = Policy.ios13.with {
      ($0.memory.purge, $0.memory.startCost) = (purge, .nanoseconds(3))
    }
    var driver = Driver(Engine(policy: policy, device: DeviceFacts(memory: .max)))
    residents = Array(repeating: Resident(), count: Int(count))
    for app in residents.indices {
      residents[app].cost = Int64(random.below(9))
      let cost = residents[app].cost == 3 ? nil : Interval.nanoseconds(residents[app].cost)
      _ = driver.addApp(Manifest(backgroundModes: [.audio, .voip], startCost: cost))
    }
    var order = Array(0..<count)
    for index in order.indices.dropFirst() { order.swapAt(index, random.below(index + 1)) }
    for (place, app) in order.enumerated() {
      let id = AppID(rawValue: app)
      residents[Int(app)].departure = place
      residents[Int(app)].footprint = Int64(random.below(40))
      driver.tell(.launch(id))
      driver.tell(.setFootprint(id, residents[Int(app)].footprint))
      residents[Int(app)].tier = random.below(3)
      if residents[Int(app)].tier > 0 {
        driver.tell(.startSession(id, residents[Int(app)].tier == 2 ? .audio : .voip))
      }
    }
    driver.tell(.home(nil))
    return driver
  }

  private static func sorted(_ residents: [Resident], _ purge: MemoryRules.PurgeOrder = .largest)
    -> [UInt32]
  {
    func weight(_ resident: Resident) -> Int64 {
      switch purge {
      case .largest: -resident.footprint
      case .leastRecentlyUsed: Int64(resident.departure)
      case .leastCostly: resident.cost
      }
    }
    return (0..<UInt32(residents.count)).sorted { a, b in
      let (one, other) = (residents[Int(a)], residents[Int(b)])
      return (one.tier, weight(one), -one.footprint, one.departure, a) < (
        other.tier, weight(other), -other.footprint, other.departure, b
      )
    }
  }

  /// Sets the capacity to zero and purges every app, one memory check at a time.
  private static func purgeAll(_ driver: inout Driver) -> [UInt32] {
    var gone: [UInt32] = []
    driver.say(.setDevice(DeviceFacts(memory: 0)))
    while let item = driver.next(until: driver.now) {
      switch item {
      case .action(.terminated(let app, let end)):
        precondition(end.reason == .memoryPressure)
        gone.append(app.rawValue)
      case .turn(let app): driver.say(.returned(app))
      case .action, .due: break
      }
    }
    return gone
  }

  @Test(arguments: orders) func `M1 two thousand apps are purged in sorted order`(
    _ purge: MemoryRules.PurgeOrder
  ) {
    var random = SeededGenerator(seed: 1)
    var residents: [Resident] = []
    var driver = PurgeOrderTests.crowd(2000, purging: purge, &random, &residents)
    // The first purge makes the engine keep ranks. From then on it must update them when an app's
    // rank changes.
    let first = PurgeOrderTests.sorted(residents, purge).first { residents[Int($0)].footprint > 0 }!
    let total = residents.map(\.footprint).reduce(0, +)
    driver.tell(.setDevice(DeviceFacts(memory: total - 1)))
    #expect(driver.engine.state(of: AppID(rawValue: first)) == .notRunning)
    driver.tell(.setDevice(DeviceFacts(memory: total)))
    for _ in 0..<20_000 {
      let app = UInt32(random.below(2000))
      guard app != first else { continue }
      residents[Int(app)].footprint = Int64(random.below(20))
      driver.tell(.setFootprint(AppID(rawValue: app), residents[Int(app)].footprint))
    }
    driver.engine.checkInvariants()
    let left = PurgeOrderTests.sorted(residents, purge).filter {
      driver.engine.state(of: AppID(rawValue: $0)) != .notRunning
    }
    // Purging continues while any memory is in use.
    let inUse = left.indices.filter { index in
      left[index...].contains { residents[Int($0)].footprint > 0 }
    }
    let gone = PurgeOrderTests.purgeAll(&driver)
    let isSorted = gone == inUse.map { left[$0] }
    #expect(isSorted && driver.engine.memoryInUse == 0)
    driver.engine.checkInvariants()
  }

  @Test func `M1 departures keep their order after their numbers are exhausted`() {
    var random = SeededGenerator(seed: 2)
    var residents: [Resident] = []
    var driver = PurgeOrderTests.crowd(50, &random, &residents)
    driver.engine.foreground.skipStamps(to: .max - 20)
    for app in 0..<50 as Range<UInt32> where app % 2 == 0 {
      driver.tell(.launch(AppID(rawValue: app)))
      residents[Int(app)].departure = 1000 + Int(app)
    }
    driver.tell(.home(nil))
    #expect(driver.engine.foreground.lastStamp < 200)
    for app in 0..<50 as Range<UInt32> {
      residents[Int(app)].footprint = 7
      driver.tell(.setFootprint(AppID(rawValue: app), 7))
    }
    let gone = PurgeOrderTests.purgeAll(&driver)
    #expect(gone == PurgeOrderTests.sorted(residents))
  }

  /// Four apps of 100 MiB, sent away one after the other, on a device of 1000 MiB.
  private static func levels(above: UInt8, to goal: UInt8?) -> TestHost {
    let policy = Policy.ios13.with { ($0.memory.purgeAbove, $0.memory.purgeTo) = (above, goal) }
    var host = TestHost(
      policy, device: DeviceFacts(memory: 1000 << 20),
      apps: Array(repeating: Manifest(footprint: 100 << 20), count: 4))
    for app in 0..<4 as Range<UInt32> { host.tell(.launch(AppID(rawValue: app)), at: Int64(app)) }
    host.tell(.home(nil), at: 4)
    _ = host.takeLines()
    return host
  }

  @Test func `M1 purging begins above one level and continues until use is at or under the other`()
  {
    // 400 MiB are in use; purging begins above 60 % (600 MiB) and stops at 30 % (300 MiB).
    var host = PurgeOrderTests.levels(above: 60, to: 30)
    host.tell(.setFootprint(AppID(rawValue: 3), 300 << 20), at: 5)
    #expect(host.takeLines() == [])
    host.tell(.setFootprint(AppID(rawValue: 3), (300 << 20) + 1), at: 6)
    // 600 MiB and one byte: d goes, which leaves 300.
    #expect(host.takeLines() == ["6s d suspended → notRunning", "6s d terminated memoryPressure"])
    host.tell(.setFootprint(AppID(rawValue: 0), 400 << 20), at: 7)
    #expect(host.takeLines() == [])
    host.tell(.setFootprint(AppID(rawValue: 1), 101 << 20), at: 8)
    // 601 MiB: a goes, which leaves 201.
    #expect(host.takeLines() == ["8s a suspended → notRunning", "8s a terminated memoryPressure"])
    #expect(host.engine.memoryInUse == 201 << 20)
  }

  @Test func `M1 purging that finds no app continues when the next app leaves the foreground`() {
    // 400 MiB are in use; the capacity shrinks to 500 MiB, of which 60 % are 300 and 10 % are 50.
    var host = PurgeOrderTests.levels(above: 60, to: 10)
    host.tell(.launch(AppID(rawValue: 0)), at: 5)
    _ = host.takeLines()
    host.tell(.setDevice(DeviceFacts(memory: 500 << 20)), at: 6)
    // Use stays under the warning level of 400 MiB, so no app is warned. The app in front stays,
    // and use is within capacity.
    #expect(
      host.takeLines().filter { $0.hasSuffix("memoryPressure") }.map { $0.prefix(4) } == [
        "6s b", "6s c", "6s d",
      ])
    #expect(host.engine.nextDeadline == nil)
    host.tell(.home(nil), at: 7)
    #expect(host.takeLines().last == "7s a terminated memoryPressure")
  }

  @Test func `M1 without a second level purging stops at the first`() {
    var host = PurgeOrderTests.levels(above: 30, to: nil)
    #expect(host.engine.memoryInUse == 300 << 20)
    host.tell(.setDevice(DeviceFacts(memory: 200 << 20)), at: 5)
    #expect(host.engine.memoryInUse == 0)
  }

  @Test func `M1 an app that was never in front is purged before one that was`() {
    var host = TestHost(.ios13, apps: [Manifest(), Manifest()])
    host.tell(.launch(AppID(rawValue: 0)), at: 0)
    host.tell(.home(nil), at: 1)
    host.tell(.deliver(AppID(rawValue: 1), .region), at: 2)
    host.tell(.completeWake(AppID(rawValue: 1), WakeChoice(), nil), at: 3)
    _ = host.takeLines()
    host.tell(.setDevice(DeviceFacts(memory: 60 << 20)), at: 4)
    #expect(host.takeLines() == ["4s b suspended → notRunning", "4s b terminated memoryPressure"])
  }

  @Test func `M1 an app whose process has ended keeps its place in the order of departures`() {
    var host = TestHost(.ios13, apps: [Manifest(), Manifest()])
    let (early, late) = (AppID(rawValue: 0), AppID(rawValue: 1))
    for app in [early, late] { host.tell(.launch(app), at: 0) }
    host.tell(.home(nil), at: 1)
    // The process of the app that was last in front ends, and the app returns without having been
    // in front again.
    host.tell(.launch(late), at: 2)
    host.tell(.crash(late, .abnormalExit), at: 3)
    host.tell(.deliver(late, .region), at: 4)
    host.tell(.completeWake(late, WakeChoice(), nil), at: 5)
    _ = host.takeLines()
    host.tell(.setDevice(DeviceFacts(memory: 60 << 20)), at: 6)
    #expect(host.takeLines() == ["6s a suspended → notRunning", "6s a terminated memoryPressure"])
  }

  @Test func `M1 a purged app that is busy counts as gone, and no other app is purged for it`() {
    let (app, other) = (AppID(rawValue: 0), AppID(rawValue: 1))
    var host = TestHost(
      .ios13, apps: [Manifest(footprint: 100 << 20), Manifest(footprint: 10 << 20)])
    for app in [app, other] {
      host.tell(.launch(app), at: 0)
      host.tell(.beginTask(app, label: 0, handler: .absent), at: 0)
    }
    host.isSlow = {
      $0 == .callback(AppID(rawValue: 1), .willResignActive)
        || $0 == .callback(AppID(rawValue: 0), .didReceiveMemoryWarning)
    }
    host.tell(.home(nil), at: 1)
    _ = host.takeLines()
    host.tell(.setDevice(DeviceFacts(memory: 50 << 20)), at: 2)
    // Both are warned; the larger one is handling the warning when it is terminated.
    #expect(host.takeLines() == ["2s a didReceiveMemoryWarning"])
    #expect(host.engine.memoryInUse == 10 << 20 && host.engine.nextDeadline == .zero + .seconds(25))
    host.tell(.returned(app), at: 3)
    #expect(
      host.takeLines() == [
        "3s a willTerminate", "3s a background → notRunning", "3s a terminated memoryPressure",
      ])
    host.tell(.returned(other), at: 4)
    #expect(host.takeLines().last == "4s b didReceiveMemoryWarning")
    #expect(host.engine.state(of: other) == .background)
  }
}
