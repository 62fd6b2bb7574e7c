/// A number, a time or a distribution that can be added to another.
protocol Summable: Hashable, Sendable {
  init()
  static func += (sum: inout Self, other: Self)
}

extension Int: Summable {}
extension TotalTime: Summable {}
extension Tally: Summable {
  static func += (sum: inout Tally, other: Tally) { sum.merge(other) }
}

/// A sum for each case of an enum. Addition goes through all cases, so none can be forgotten.
struct Sums<Key: CaseIterable & RawRepresentable, Value: Summable>: Hashable, Sendable
where Key.RawValue == UInt8 {
  private var values = [Value](repeating: Value(), count: Key.allCases.count)

  subscript(key: Key) -> Value {
    get { values[Int(key.rawValue)] }
    _modify { yield &values[Int(key.rawValue)] }
  }

  /// Whether nothing has been added. A comparison with empty sums would allocate them.
  var isZero: Bool { values.allSatisfy { $0 == Value() } }

  static func += (sums: inout Sums, others: Sums) {
    for place in sums.values.indices { sums.values[place] += others.values[place] }
  }
}
