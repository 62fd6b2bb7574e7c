import TestRuns
import Testing

@testable import CurfewEngine

@Suite(.inTurn) struct LifecycleTests {
  /// T9 is the user's way back from suspension; its first pair is T8's.
  private static let legal: [(AppState, AppState, Transition)] = [
    (.notRunning, .inactive, .t1),
    (.notRunning, .background, .t2),
    (.inactive, .active, .t3),
    (.active, .inactive, .t4),
    (.inactive, .background, .t5),
    (.background, .inactive, .t6),
    (.background, .suspended, .t7),
    (.suspended, .background, .t8),
    (.suspended, .notRunning, .t10),
    (.background, .notRunning, .t11),
    (.inactive, .notRunning, .t12),
    (.active, .notRunning, .t13),
  ]

  @Test func `A1 only the pairs of T1 to T13 are legal among the 25 pairs of states`() {
    var pairs = 0
    for from in AppState.allCases {
      for to in AppState.allCases {
        let row = LifecycleTests.legal.first { $0.0 == from && $0.1 == to }
        #expect(from.transition(to: to) == row?.2, "\(from) to \(to)")
        pairs += 1
      }
    }
    #expect(pairs == 25)
    #expect(LifecycleTests.legal.map(\.2) == Transition.allCases)
  }

  // MARK: Plans

  @Test func `A3 a launch gives inactive, the launch callbacks and active`() {
    #expect(
      Presence.notRunning.plan(for: .bringToFront, .toBackground)
        == Plan(.active, .launch, .becomeActive))
  }

  @Test func `A4 at Home an app resigns, then enters the background`() {
    #expect(
      Presence.active.plan(for: .sendAway, .toBackground)
        == Plan(.background, .resignActive, .enterBackground))
  }

  @Test func `A4 Home during an interruption gives no second willResignActive`() {
    #expect(
      Presence.interrupted.plan(for: .sendAway, .toBackground)
        == Plan(.background, .enterBackground))
  }

  @Test func `A4 an app that comes back enters the foreground, then becomes active`() {
    #expect(
      Presence.background.plan(for: .bringToFront, .toBackground)
        == Plan(.active, .enterForeground, .becomeActive))
  }

  @Test func `A5 an app resigns at an interruption, which is then ignored or accepted`() {
    #expect(
      Presence.active.plan(for: .interrupt, .toBackground) == Plan(.interrupted, .resignActive))
    #expect(
      Presence.interrupted.plan(for: .ignoreInterruption, .toBackground)
        == Plan(.active, .becomeActive))
    #expect(
      Presence.interrupted.plan(for: .acceptInterruption, .toBackground)
        == Plan(.background, .enterBackground))
  }

  @Test func `A7 a force quit ends the app from the background`() {
    #expect(
      Presence.active.plan(for: .forceQuit, .toBackground)
        == Plan(.terminating, .resignActive, .enterBackground, .terminate))
    #expect(
      Presence.interrupted.plan(for: .forceQuit, .toBackground)
        == Plan(.terminating, .enterBackground, .terminate))
    #expect(
      Presence.background.plan(for: .forceQuit, .toBackground) == Plan(.terminating, .terminate))
    #expect(Presence.notRunning.plan(for: .forceQuit, .toBackground) == Plan(.notRunning))
  }

  @Test func `A9 without a background, leaving is the end`() {
    #expect(
      Presence.active.plan(for: .sendAway, .toExit) == Plan(.terminating, .resignActive, .terminate)
    )
    #expect(Presence.interrupted.plan(for: .sendAway, .toExit) == Plan(.terminating, .terminate))
    #expect(
      Presence.interrupted.plan(for: .acceptInterruption, .toExit) == Plan(.terminating, .terminate)
    )
    #expect(
      Presence.active.plan(for: .forceQuit, .toExit)
        == Plan(.terminating, .resignActive, .terminate))
  }

  @Test func `A7 an app that is being terminated accepts no events`() {
    for gesture in Gesture.allCases {
      #expect(Presence.terminating.plan(for: gesture, .toBackground) == nil)
      #expect(Presence.terminating.plan(for: gesture, .toExit) == nil)
    }
  }

  @Test
  func `A4 an app that is not in front can be neither sent to the background nor interrupted`() {
    for presence in [Presence.notRunning, .background] {
      for gesture in [Gesture.sendAway, .interrupt, .acceptInterruption, .ignoreInterruption] {
        #expect(presence.plan(for: gesture, .toBackground) == nil)
      }
    }
  }

  // MARK: Traps

  @Test func `A1 the engine refuses an illegal pair`() async {
    await #expect(processExitsWith: .failure) {
      var engine = Engine(policy: .ios13)
      var actions = ActionBuffer()
      let app = engine.addApp()
      engine.setState(.suspended, of: app, &actions)
    }
  }

  @Test func `C1 time that goes backwards stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var engine = Engine(policy: .ios13)
      var actions = ActionBuffer()
      let app = engine.addApp()
      engine.handle(.launch(app), at: Instant(nanoseconds: 2), into: &actions)
      _ = engine.advance(to: Instant(nanoseconds: 1), into: &actions)
    }
  }

  @Test func `C1 a deadline before the start stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var queue = TimerQueue()
      _ = queue.insert(Instant(nanoseconds: -1), payload: 0)
    }
    await #expect(processExitsWith: .failure) {
      var queue = TimerQueue()
      let id = queue.insert(Instant(nanoseconds: 1), payload: 0)
      queue.reschedule(id, to: Instant(nanoseconds: -1))
    }
  }

  @Test func `cancelling a deadline that has fired stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var queue = TimerQueue()
      let id = queue.insert(.zero, payload: 0)
      _ = queue.popFirst(notAfter: .zero)
      queue.cancel(id)
    }
  }

  @Test func `A2 a return without a delivery stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var engine = Engine(policy: .ios13)
      var actions = ActionBuffer()
      let app = engine.addApp()
      engine.handle(.returned(app), at: .zero, into: &actions)
    }
  }
}
