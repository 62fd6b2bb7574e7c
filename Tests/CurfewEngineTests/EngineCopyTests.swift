import CurfewEngine
import Testing

/// An engine is a value; its copies are other values. Random lives do the same in `EngineFuzzTests`.
@Suite struct EngineCopyTests {
  private let app = AppID(rawValue: 0)
  private let other = AppID(rawValue: 1)

  /// Two apps in the background, one with a task and one with a session, and a lock that is half done.
  private func engine(_ actions: inout ActionBuffer) -> Engine {
    var host = TestHost(.twoInFront, apps: [Manifest(), Manifest(backgroundModes: .location)])
    host.tell(.launch(app), at: 0)
    host.tell(.launch(other), at: 1)
    host.tell(.startSession(other, .location), at: 2)
    host.tell(.beginTask(app, label: 0, handler: .present), at: 3)
    var engine = host.engine.copy()
    engine.handle(.lock, at: .zero + .seconds(4), into: &actions)
    return engine
  }

  /// Goes on for so many seconds, with callbacks that return at once.
  private func goOn(_ engine: inout Engine, until second: Int64) -> [Action] {
    var all: [Action] = []
    var buffer = ActionBuffer()
    while true {
      let new = buffer.actions
      buffer.removeAll()
      all += new
      let deliveries = new.compactMap(\.deliveredTo)
      for app in deliveries { engine.handle(.returned(app), at: engine.now, into: &buffer) }
      guard deliveries.isEmpty else { continue }
      let next = max(engine.now, engine.nextDeadline ?? .distantFuture)
      guard next <= .zero + .seconds(second) else { return all }
      _ = engine.advance(to: next, into: &buffer)
    }
  }

  @Test func `what a copy and its original are told alike they answer alike`() {
    var actions = ActionBuffer()
    var engine = engine(&actions)
    var copy = engine.copy()
    #expect(copy.now == engine.now && copy.appCount == 2 && copy.nextDeadline == engine.nextDeadline)
    let (first, second) = (goOn(&engine, until: 100), goOn(&copy, until: 100))
    #expect(first == second)
    #expect(first.contains { if case .terminated = $0 { true } else { false } })
  }

  @Test func `what happens to a copy does not happen to its original`() {
    var actions = ActionBuffer()
    var engine = engine(&actions)
    var copy = engine.copy()
    let undisturbed = engine.copy()
    copy.handle(.reboot, at: copy.now, into: &actions)
    _ = goOn(&copy, until: 1000)
    #expect(copy.state(of: app) == .notRunning && engine.state(of: app) == .active)
    #expect(engine.now == undisturbed.now && engine.nextDeadline == undisturbed.nextDeadline)
    #expect(engine.openTaskCount(of: app) == 1 && copy.openTaskCount(of: app) == 0)
    var control = undisturbed.copy()
    let (first, second) = (goOn(&engine, until: 100), goOn(&control, until: 100))
    #expect(first == second)
  }
}
