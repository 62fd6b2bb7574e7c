import Curfew
import CurfewEngine
import TestRuns
import Testing

@testable import CurfewLoadTest

/// Callbacks of a visit that come after the start of the next one.
@Suite(.inTurn) struct SimulatedAppTests {
  /// An app of a load test that is not run, and the indices of its first two visits.
  private struct TwoVisits {
    let test: LoadTest
    let app: App
    let simulated: SimulatedApp
    let first: Int
    let second: Int

    init() throws {
      test = try LoadTest(options(apps: 20))
      let plan = test.plan
      let number = try #require(
        test.apps.indices.first { plan.visits(of: AppID(rawValue: UInt32($0))).count >= 2 })
      (app, simulated) = (test.apps[number], test.simulated[number])
      first = plan.visits(of: AppID(rawValue: UInt32(number))).startIndex
      second = first + 1
    }

    /// The records of all visits.
    var visits: UnsafeMutableBufferPointer<Measurements.VisitRecord> { test.measurements.visits }

    /// Begins the second visit before any callback of the first.
    func overtake() {
      simulated.startVisit(first)
      simulated.leave(first)
      simulated.startVisit(second)
    }
  }

  @Test func `a wake is credited to the visit in which it was delivered`() throws {
    let two = try TwoVisits()
    let (app, first, second) = (two.simulated, two.first, two.second)
    app.startVisit(first)
    // Not admitted, so it has no number.
    app.noteDelivery(first)
    app.noteRefusal()
    #expect(app.noteArrival(WakeID(rawValue: 1), 90) == nil)
    app.noteDelivery(first)
    app.startVisit(second)
    // Comes before the second visit's delivery.
    #expect(app.noteArrival(WakeID(rawValue: 1), 100) == first)
    #expect(two.visits[first].received == 100 && two.visits[second].received == -1)
    app.noteDelivery(second)
    #expect(app.noteArrival(WakeID(rawValue: 2), 400) == second)
    #expect(two.visits[second].received == 400)
    #expect(app.noteArrival(WakeID(rawValue: 3), 500) == nil)
    two.test.close()
  }

  @Test func `of two activations in a visit the first was the former visit's`() throws {
    let two = try TwoVisits()
    let (visits, first, second) = (two.visits, two.first, two.second)
    two.overtake()
    two.simulated.applicationDidBecomeActive(two.app)
    let late = visits[second].active
    #expect(late >= 0)
    two.simulated.applicationDidBecomeActive(two.app)
    #expect(visits[first].active == late && visits[second].active >= late)
    // A third has no visit left that it could belong to.
    let own = visits[second].active
    two.simulated.applicationDidBecomeActive(two.app)
    #expect(visits[first].active == late && visits[second].active == own)
    two.test.close()
  }

  @Test func `callbacks that began just before the visit or its departure were the former visit's`()
    throws
  {
    let two = try TwoVisits()
    let (visits, first, second) = (two.visits, two.first, two.second)
    two.overtake()
    two.simulated.leave(second)
    // As if the calls had come while the callbacks waited for the app's records.
    (visits[second].launched, visits[second].left) = (.max, .max)
    two.simulated.applicationDidBecomeActive(two.app)
    two.simulated.applicationDidEnterBackground(two.app)
    #expect(visits[first].active >= 0 && visits[second].active == -1)
    #expect(visits[first].entered >= 0 && visits[second].entered == -1)
    two.test.close()
  }

  @Test func `callbacks before the departure were the former visit's`() throws {
    let two = try TwoVisits()
    let (visits, first, second) = (two.visits, two.first, two.second)
    two.overtake()
    two.simulated.applicationDidBecomeActive(two.app)
    two.simulated.applicationDidEnterBackground(two.app)
    #expect(visits[first].active >= visits[second].launched && visits[second].active == -1)
    #expect(visits[first].entered >= visits[first].active && visits[second].entered == -1)
    two.test.close()
  }
}
