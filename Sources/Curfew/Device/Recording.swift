import CurfewEngine
import CurfewTrace

/// What has entered the engine and what came out, as it came; put into words only when it is asked for.
struct Recording {
  enum Entry {
    case event(Event)
    case advance
    case action(Action)
  }

  /// In pieces: who reads them while they grow makes a copy of the last piece alone necessary.
  private(set) var entries: [[(at: Instant, what: Entry)]] = []
  private static let piece = 4096

  mutating func note(_ event: Event, at instant: Instant) { note(.event(event), at: instant) }
  mutating func note(_ action: Action, at instant: Instant) { note(.action(action), at: instant) }
  mutating func noteAdvance(at instant: Instant) { note(.advance, at: instant) }

  private mutating func note(_ entry: Entry, at instant: Instant) {
    if entries.last.map({ $0.count == Recording.piece }) ?? true {
      entries.append([])
      entries[entries.count - 1].reserveCapacity(Recording.piece)
    }
    entries[entries.count - 1].append((instant, entry))
  }
}

extension TraceCoder {
  mutating func line(for entry: (at: Instant, what: Recording.Entry)) -> TraceLine? {
    switch entry.what {
    case .event(let event): line(entering: event, at: entry.at)
    case .advance: TraceLine(time: entry.at, app: nil, .advance)
    case .action(let action): line(for: action, at: entry.at)
    }
  }
}
