package import CurfewEngine

/// The words for the numbers in spans: apps, kinds and the identifiers of requests.
///
/// The kinds of a policy have its numbers. A word that only a trace knows is given the next number.
package struct LifeNames: Sendable {
  /// The apps, by their numbers.
  package private(set) var apps: [String]
  /// The kinds, by their numbers.
  package private(set) var kinds: [KindName]
  /// The identifiers, by their numbers; empty where actions are read, which have their host's numbers.
  package private(set) var texts: [String] = []
  private var appNumbers: [String: Int]
  private var kindNumbers: [KindName: Int]
  private var textNumbers: [String: UInt32] = [:]

  init(apps: [String], kinds: [KindName]) {
    (self.apps, self.kinds) = (apps, kinds)
    appNumbers = Dictionary(apps.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    kindNumbers = Dictionary(kinds.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The app's place among those that lines named so far; nil before the first line that names it.
  package func place(ofApp name: String) -> Int? { appNumbers[name] }

  mutating func number(ofApp name: String) -> Int {
    if let number = appNumbers[name] { return number }
    appNumbers[name] = apps.count
    apps.append(name)
    return apps.count - 1
  }

  mutating func number(ofKind name: KindName) -> Int {
    if let number = kindNumbers[name] { return number }
    kindNumbers[name] = kinds.count
    kinds.append(name)
    return kinds.count - 1
  }

  mutating func number(ofText text: String) -> UInt32 {
    if let number = textNumbers[text] { return number }
    let number = UInt32(texts.count)
    textNumbers[text] = number
    texts.append(text)
    return number
  }
}
