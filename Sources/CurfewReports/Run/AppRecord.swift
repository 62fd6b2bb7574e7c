import CurfewEngine
import CurfewTrace

/// What happened to one app.
package struct AppRecord: Sendable {
  let name: String
  /// The states that it was in, each until the next.
  var states: [LifeSpan] = []
  private(set) var signs: [(sign: Sign, time: Instant, words: String)] = []
  private(set) var events: [(time: Instant, words: String, isGrave: Bool)] = []
  private(set) var eventsLeftOut = 0

  /// The places of its open tasks, sessions and wakes among the record's.
  var open: [LifeSpan.Subject: Int] = [:]
  var last = Last()

  /// The last callback, overrun and expiration of its process.
  struct Last: Sendable {
    var callback: Callback?
    var overrun: (kind: KindName, limit: RunLimit)?
    var expiration: ExpirationReason?
  }

  /// What is marked.
  enum Sign: Int, CaseIterable, Sendable { case end, expiration, denial }

  /// No more are kept of one app.
  private static let mostEvents = 100

  init(_ name: String) { self.name = name }

  /// How much there is to see: ends before expirations before denials.
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
    guard events.count < AppRecord.mostEvents else { return eventsLeftOut += 1 }
    let words = line.words(.uikit)
    events.append((line.time, words.text + words.rest, isGrave))
  }
}
