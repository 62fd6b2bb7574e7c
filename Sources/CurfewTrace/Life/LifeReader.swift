package import CurfewEngine

/// A reader of apps' lives, which receives each change as it is read. Changes are not stored:
/// a fleet has millions.
package protocol LifeReader {
  /// Whether the reader also receives the changes that no figure counts: beginnings of states,
  /// callbacks, deliveries and diagnostics.
  static var readsDetails: Bool { get }

  /// A span began.
  mutating func began(_ span: LifeSpan, of app: Int)

  /// A span ended.
  mutating func ended(_ span: LifeSpan, of app: Int)

  /// A moment occurred.
  mutating func happened(_ moment: LifeMoment, of app: Int)
}

/// One change of an app in an action or a line.
package struct LifeChange: Hashable, Sendable {
  /// The app's place among those that are read.
  package let app: Int
  /// The instant of the change.
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

/// Collects the changes of one action or line.
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
