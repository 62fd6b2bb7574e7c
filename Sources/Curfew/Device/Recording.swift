internal import CurfewEngine
internal import CurfewFiles

/// What has entered the engine and what came out, as it came; put into words only when it is asked for.
struct Recording {
  enum Entry {
    case event(Event)
    case advance
    case action(Action)
  }

  private(set) var entries: [(at: Instant, what: Entry)] = []

  mutating func note(_ event: Event, at instant: Instant) { entries.append((instant, .event(event))) }
  mutating func note(_ action: Action, at instant: Instant) { entries.append((instant, .action(action))) }
  mutating func noteAdvance(at instant: Instant) { entries.append((instant, .advance)) }
}
