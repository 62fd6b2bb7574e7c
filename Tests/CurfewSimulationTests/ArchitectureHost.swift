import CurfewEngine

// Documentation/architecture.md quotes the type below; `DocumentationTests` compares it.
struct Host: ~Copyable {
  var driver: Driver

  init(_ policy: Policy) { driver = Driver(Engine(policy: policy)) }

  /// Lets time pass up to an instant. Here every callback returns at once.
  mutating func run(until limit: Instant = .distantFuture) {
    while let next = driver.next(until: limit) {
      switch next {
      case .action(let action): print(driver.now.nanoseconds, action)
      case .turn(let app): driver.say(.returned(app))
      case .due: break
      }
    }
  }

  mutating func tell(_ event: Event, at now: Instant) {
    run(until: now)
    driver.say(event)
    run(until: now)
  }
}
