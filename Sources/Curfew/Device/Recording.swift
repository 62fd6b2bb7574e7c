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

  /// The lines of all this.
  func lines(_ recorder: TraceRecorder) -> [TraceLine] {
    var recorder = recorder
    return entries.compactMap { at, what in
      switch what {
      case .event(let event): recorder.line(entering: event, at: at)
      case .advance: recorder.advanceLine(at: at)
      case .action(let action): recorder.line(for: action, at: at)
      }
    }
  }
}
