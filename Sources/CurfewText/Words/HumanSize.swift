/// Sizes in a form for people.
package enum HumanSize {
  /// The largest unit that leaves a whole number: `120MiB`, `1500B`.
  package static func text(_ bytes: Int64) -> String {
    let (count, unit) = Units.memory.whole(bytes)
    return "\(count)\(unit)"
  }

  /// The same size with a space: `8 MiB`, `1500 bytes`.
  package static func spaced(_ bytes: Int64) -> String {
    let (count, unit) = Units.memory.whole(bytes)
    return "\(count) \(unit == "B" ? "bytes" : unit)"
  }

  /// Three digits: `12.5 MiB`.
  package static func rounded(_ bytes: Int64) -> String {
    guard let unit = Units.memory.all.first(where: { bytes >= $0.size && $0.size > 1 }) else {
      return "\(bytes) B"
    }
    return "\(HumanNumber.rounded(Double(bytes) / Double(unit.size))) \(unit.name)"
  }
}
