package import CurfewEngine

/// A reader of apps' lives, which is told each change as it is read. Nothing is kept of it: a fleet
/// has millions of changes.
package protocol LifeReader {
  /// Whether it is told begins of states, callbacks, deliveries and remarks, which no
  /// figure counts.
  static var readsDetails: Bool { get }

  /// A span began.
  mutating func began(_ span: LifeSpan, of app: Int)

  /// A span ended.
  mutating func ended(_ span: LifeSpan, of app: Int)

  /// A moment came.
  mutating func happened(_ moment: LifeMoment, of app: Int)
}

/// One thing that an action or a line says of an app.
package struct LifeChange: Hashable, Sendable {
  /// The app's place among those that are read.
  package let app: Int
  /// Its instant.
  package let time: Instant
  /// The change.
  package let body: Body

  /// A span that begins or ends, or a moment.
  package enum Body: Hashable, Sendable {
    case began(LifeSpan)
    case ended(LifeSpan)
    case moment(LifeMoment)
  }
}

/// The changes of one action or line, gathered.
struct LifeChanges: LifeReader {
  static let readsDetails = true

  var all: [LifeChange]
  let time: Instant

  mutating func began(_ span: LifeSpan, of app: Int) { append(.began(span), app) }
  mutating func ended(_ span: LifeSpan, of app: Int) { append(.ended(span), app) }
  mutating func happened(_ moment: LifeMoment, of app: Int) { append(.moment(moment), app) }

  private mutating func append(_ body: LifeChange.Body, _ app: Int) {
    all.append(LifeChange(app: app, time: time, body: body))
  }
}
