import Curfew
import CurfewEngine
import TestRuns
import Testing

@testable import CurfewLoadTest

/// Callbacks of a visit that come after the start of the next one.
@Suite(.inTurn) struct SimulatedAppTests {
  /// A load test that is not run, an app with two visits, and their indices.
  private func prepared() throws -> (test: LoadTest, number: Int, first: Int, second: Int) {
    let test = try LoadTest(options(apps: 20))
    let number = try #require(
      test.apps.indices.first { test.plan.visits(of: AppID(rawValue: UInt32($0))).count >= 2 })
    let visits = test.plan.visits(of: AppID(rawValue: UInt32(number)))
    return (test, number, visits.startIndex, visits.startIndex + 1)
  }

  @Test func `a wake is credited to the visit in which it was delivered`() throws {
    let (test, number, first, second) = try prepared()
    let app = test.simulated[number]
    app.startVisit(first)
    // Not admitted, so it has no number.
    app.noteDelivery(first)
    app.noteRefusal()
    #expect(app.noteArrival(WakeID(rawValue: 1), 90) == nil)
    app.noteDelivery(first)
    app.startVisit(second)
    // Comes before the second visit's delivery.
    #expect(app.noteArrival(WakeID(rawValue: 1), 100) == first)
    #expect(
      test.measurements.visits[first].received == 100
        && test.measurements.visits[second].received == -1)
    app.noteDelivery(second)
    #expect(app.noteArrival(WakeID(rawValue: 2), 400) == second)
    #expect(test.measurements.visits[second].received == 400)
    #expect(app.noteArrival(WakeID(rawValue: 3), 500) == nil)
    test.close()
  }

  @Test func `of two activations in a visit the first was the former visit's`() throws {
    let (test, number, first, second) = try prepared()
    let (app, simulated) = (test.apps[number], test.simulated[number])
    simulated.startVisit(first)
    simulated.leave(first)
    simulated.startVisit(second)
    simulated.applicationDidBecomeActive(app)
    let late = test.measurements.visits[second].active
    #expect(late >= 0)
    simulated.applicationDidBecomeActive(app)
    let visits = test.measurements.visits
    #expect(visits[first].active == late && visits[second].active >= late)
    // A third has no visit left that it could belong to.
    let own = visits[second].active
    simulated.applicationDidBecomeActive(app)
    #expect(visits[first].active == late && visits[second].active == own)
    test.close()
  }

  @Test func `callbacks that began just before the visit or its departure were the former visit's`()
    throws
  {
    let (test, number, first, second) = try prepared()
    let (app, simulated) = (test.apps[number], test.simulated[number])
    simulated.startVisit(first)
    simulated.leave(first)
    simulated.startVisit(second)
    simulated.leave(second)
    // As if the calls had come while the callbacks waited for the app's records.
    let visits = test.measurements.visits
    (visits[second].launched, visits[second].left) = (.max, .max)
    simulated.applicationDidBecomeActive(app)
    simulated.applicationDidEnterBackground(app)
    #expect(visits[first].active >= 0 && visits[second].active == -1)
    #expect(visits[first].entered >= 0 && visits[second].entered == -1)
    test.close()
  }

  @Test func `callbacks before the departure were the former visit's`() throws {
    let (test, number, first, second) = try prepared()
    let (app, simulated) = (test.apps[number], test.simulated[number])
    simulated.startVisit(first)
    simulated.leave(first)
    simulated.startVisit(second)
    simulated.applicationDidBecomeActive(app)
    simulated.applicationDidEnterBackground(app)
    let visits = test.measurements.visits
    #expect(visits[first].active >= visits[second].launched && visits[second].active == -1)
    #expect(visits[first].entered >= visits[first].active && visits[second].entered == -1)
    test.close()
  }
}
