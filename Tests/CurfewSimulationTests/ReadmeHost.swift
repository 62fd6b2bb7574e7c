import CurfewEngine

// README shows the type below, line by line; `DocumentationTests` compares.
struct Host: ~Copyable {
  var engine: Engine
  var actions = ActionBuffer()

  init(_ policy: Policy) { engine = Engine(policy: policy) }

  mutating func tell(_ event: Event, at now: Instant) {
    engine.handle(event, at: now, into: &actions)
    answer()
  }

  mutating func run() {
    while let deadline = engine.nextDeadline, engine.advance(to: deadline, into: &actions) { answer() }
  }

  /// Acts on what came out. Here every callback returns at once.
  private mutating func answer() {
    var index = 0
    while index < actions.count {
      print(engine.now.nanoseconds, actions[index])
      if case .callback(let app, _) = actions[index] { engine.handle(.returned(app), at: engine.now, into: &actions) }
      index += 1
    }
    actions.removeAll()
  }
}
