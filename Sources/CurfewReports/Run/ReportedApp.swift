import CurfewEngine
import CurfewTrace

/// The record of one app.
package struct ReportedApp: Sendable {
  let name: String
  /// The states, each until the next.
  var states: [LifeSpan] = []
  private(set) var signs: [(sign: Sign, time: Instant, words: String)] = []
  private(set) var events: [(time: Instant, words: String, isGrave: Bool)] = []
  private(set) var eventsLeftOut = 0

  /// The indices of its open tasks, sessions and wakes in `RunRecord.runs`.
  var open: [LifeSpan.Subject: Int] = [:]
  var last = Last()

  /// The last callback, overrun and expiration of its process.
  struct Last: Sendable {
    var callback: Callback?
    var overrun: (kind: KindName, limit: RunLimit)?
    var expiration: ExpirationReason?
  }

  /// The signs of a lane.
  enum Sign: Int, CaseIterable, Sendable { case end, expiration, denial }

  /// The maximum number of events that are kept for one app.
  private static let mostEvents = 100

  init(_ name: String) { self.name = name }

  /// The numbers of ends, expirations and denials, by which apps are ordered.
  var interest: (Int, Int, Int) {
    signs.reduce(into: (0, 0, 0)) { count, sign in
      switch sign.sign {
      case .end: count.0 += 1
      case .expiration: count.1 += 1
      case .denial: count.2 += 1
      }
    }
  }

  mutating func mark(_ sign: Sign, at time: Instant, _ words: String) {
    signs.append((sign, time, words))
  }

  mutating func tell(_ line: TraceLine, isGrave: Bool = false) {
    guard events.count < ReportedApp.mostEvents else { return eventsLeftOut += 1 }
    let words = line.words(.uikit)
    events.append((line.time, words.text + words.rest, isGrave))
  }
}
