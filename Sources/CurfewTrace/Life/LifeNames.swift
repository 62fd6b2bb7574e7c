package import CurfewEngine

/// The number of a kind: the policy's number, or the next free one for a kind that only
/// a trace has.
package struct KindNumber: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The number of a policy's kind.
  package init(_ kind: AssertionKind) { rawValue = UInt32(kind.rawValue) }
}

/// The words for the numbers in spans: apps, kinds and the identifiers of requests.
///
/// A policy's kinds keep its numbers. A word that occurs only in a trace gets the next number.
package struct LifeNames: Sendable {
  /// The apps, by number.
  package private(set) var apps: [String]
  /// The kinds, by number.
  package private(set) var kinds: [KindName]
  /// The identifiers, by number; empty if actions are read, because actions contain numbers that
  /// the host has assigned.
  package private(set) var texts: [String] = []
  private var appNumbers: [String: Int]
  private var kindNumbers: [KindName: KindNumber]
  private var textNumbers: [String: UInt32] = [:]

  init(apps: [String], kinds: [KindName]) {
    (self.apps, self.kinds) = (apps, kinds)
    appNumbers = Dictionary(
      apps.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    kindNumbers = Dictionary(
      kinds.enumerated().map { ($1, KindNumber(rawValue: UInt32($0))) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The kind with this number.
  package subscript(kind: KindNumber) -> KindName { kinds[Int(kind.rawValue)] }

  /// The app's place among the apps that lines have named so far; nil before the first line that
  /// names it.
  package func place(ofApp name: String) -> Int? { appNumbers[name] }

  mutating func number(ofApp name: String) -> Int {
    if let number = appNumbers[name] { return number }
    appNumbers[name] = apps.count
    apps.append(name)
    return apps.count - 1
  }

  mutating func number(ofKind name: KindName) -> KindNumber {
    if let number = kindNumbers[name] { return number }
    let number = KindNumber(rawValue: UInt32(kinds.count))
    kindNumbers[name] = number
    kinds.append(name)
    return number
  }

  mutating func number(ofText text: String) -> UInt32 {
    if let number = textNumbers[text] { return number }
    let number = UInt32(texts.count)
    textNumbers[text] = number
    texts.append(text)
    return number
  }
}
