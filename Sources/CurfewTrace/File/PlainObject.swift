internal import CurfewText
internal import Foundation

/// An object of a trace's line as it is written: its members in order, each a plain value; nil for one that is none.
struct PlainObject {
  private struct Member {
    var key: String
    var value: Plain?
  }

  /// Those from `count` on are a longer line's: the next line writes over them.
  private var members: [Member] = []
  private var count = 0

  init() {}

  subscript(_ key: String) -> Plain?? {
    for index in 0..<count where members[index].key == key { return .some(members[index].value) }
    return nil
  }

  /// The text under `key`.
  func text(_ key: String) throws(Refusal) -> String? {
    guard let value = self[key] else { return nil }
    guard case .text(let text) = value else { throw PlainObject.mistyped }
    return text
  }

  /// The whole number under `key`.
  func number(_ key: String) throws(Refusal) -> Int64? {
    guard let value = self[key] else { return nil }
    guard case .number(let number) = value else { throw PlainObject.mistyped }
    return number
  }

  func need<Value>(_ value: Value?, _ key: String) throws(Refusal) -> Value {
    guard let value else { throw PlainObject.missing(key) }
    return value
  }

  /// Puts what stands under the attributes' keys into its place.
  func read<Root>(_ attributes: [Attribute<Root>], into root: inout Root) throws(Refusal) {
    for attribute in attributes {
      guard let value = self[attribute.name] else {
        if attribute.field.presence == .required { throw PlainObject.missing(attribute.name) }
        continue
      }
      guard let value, try attribute.read(&root, value) else { throw PlainObject.mistyped }
    }
  }

  static func missing(_ key: String) -> Refusal { Refusal("the key '\(key)' is missing") }
  /// What is no value that a known key may have; whoever has the line adds it.
  static let mistyped = Refusal("not a trace's line")

  // MARK: Reading

  /// A line of plain values; false for any other, which a JSON library has to look at.
  ///
  /// - Parameter isCutOff: Whether the line just stops.
  mutating func scan(_ bytes: [UInt8], isCutOff: inout Bool) -> Bool {
    count = 0
    guard var scan = FlatObjectScan(bytes) else { return false }
    while true {
      switch scan.next() {
      case .end: return true
      case .member(let key, let value):
        if count < members.count {
          members[count] = Member(key: key, value: value)
        } else {
          members.append(Member(key: key, value: value))
        }
        count += 1
      case .other:
        isCutOff = scan.reached == bytes.count
        return false
      }
    }
  }

  /// The same by a JSON library, for lines that have escapes, or more than plain values.
  init(_ loose: [String: LooseValue]) {
    // By name: a dictionary's own order is another in each process.
    members = loose.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: $0.value.plain) }
    count = members.count
  }
}

/// A JSON value of any kind, of which plain ones are kept.
struct LooseValue: Decodable {
  let plain: Plain?

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer() {
      if let text = try? container.decode(String.self) {
        plain = .text(text)
      } else if let flag = try? container.decode(Bool.self) {
        plain = .flag(flag)
      } else if let number = try? container.decode(Int64.self) {
        plain = .number(number)
      } else {
        plain = (try? container.decode([String].self)).map(Plain.texts)
      }
    } else {
      plain = nil
    }
  }
}
