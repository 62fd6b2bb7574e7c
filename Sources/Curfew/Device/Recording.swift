import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The engine's events and actions, in order; encoded only when a trace is requested.
struct Recording {
  enum Entry {
    case event(Event)
    case advance
    case action(Action)
    /// The app with this index was registered after the recording had begun.
    case app(Int)
  }

  /// The index of the first app that was registered after the recording had begun.
  private(set) var firstLateApp: Int?

  /// Stored in pieces, so that if a reader holds a copy while the recording grows, only the last
  /// piece is copied.
  private(set) var entries: [[(at: Instant, what: Entry)]] = []
  private static let piece = 4096

  mutating func note(_ event: Event, at instant: Instant) { note(.event(event), at: instant) }
  mutating func note(_ action: Action, at instant: Instant) { note(.action(action), at: instant) }
  mutating func noteAdvance(at instant: Instant) { note(.advance, at: instant) }

  /// Notes that an app has been registered.
  mutating func noteApp(_ app: AppID, at instant: Instant) {
    guard !entries.isEmpty else { return }
    let place = Int(app.rawValue)
    firstLateApp = firstLateApp ?? place
    note(.app(place), at: instant)
  }

  private mutating func note(_ entry: Entry, at instant: Instant) {
    if entries.last.map({ $0.count == Recording.piece }) ?? true {
      entries.append([])
      entries[entries.count - 1].reserveCapacity(Recording.piece)
    }
    entries[entries.count - 1].append((instant, entry))
  }
}

extension TraceCoder {
  mutating func line(
    for entry: (at: Instant, what: Recording.Entry),
    of apps: [(name: String, manifest: AppManifest)]
  ) -> TraceLine? {
    switch entry.what {
    case .app(let place):
      _ = addApp(named: apps[place].name)
      let deed = EngineInput(.addApp) {
        $0.manifest = apps[place].manifest == AppManifest() ? nil : apps[place].manifest
      }
      return TraceLine(time: entry.at, app: apps[place].name, .event(deed))
    case .event(let event): return line(entering: event, at: entry.at)
    case .advance: return TraceLine(time: entry.at, app: nil, .advance)
    case .action(let action): return line(for: action, at: entry.at)
    }
  }
}
