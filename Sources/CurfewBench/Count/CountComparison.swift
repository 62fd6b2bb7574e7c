/// A count compared with the stored count.
package struct CountComparison: Hashable, Sendable {
  /// The largest change that is no finding, in percent.
  package static let tolerance: Int64 = 2
  /// The number of functions that a message names.
  package static let namedFunctions = 10

  package enum Verdict: Hashable, Sendable {
    /// No more than the tolerance from the stored count.
    case same
    case more
    case less
    /// There is no stored count.
    case unknown
  }

  /// A function that takes more instructions than before.
  package struct Growth: Hashable, Sendable {
    package var name: String
    package var instructions: Int64
  }

  package let found: InstructionCount
  package let stored: InstructionCount?

  package init(_ found: InstructionCount, stored: InstructionCount?) {
    (self.found, self.stored) = (found, stored)
  }

  package var verdict: Verdict {
    guard let stored else { return .unknown }
    let change = (found.instructions - stored.instructions) * 100
    let limit = stored.instructions * Self.tolerance
    return change > limit ? .more : change < -limit ? .less : .same
  }

  /// The change as a share of the stored count; nil without one.
  package var change: Double? {
    stored.map { Double(found.instructions - $0.instructions) / Double(max(1, $0.instructions)) }
  }

  /// The functions that grew most, at most ten.
  ///
  /// The file stores only the most expensive functions of a work. A function that is not among
  /// them had at most as many instructions as the last of them, so only what is above that number
  /// is certain to be growth.
  package var grown: [Growth] {
    guard let stored else { return [] }
    let isCut = stored.functions.count >= CountsFile.storedFunctions
    let least = isCut ? stored.functions.map(\.instructions).min() ?? 0 : 0
    let before = Dictionary(
      stored.functions.map { ($0.name, $0.instructions) }, uniquingKeysWith: +)
    let growths = found.functions.map {
      Growth(name: $0.name, instructions: $0.instructions - (before[$0.name] ?? least))
    }
    return Array(
      growths.filter { $0.instructions > 0 }
        .sorted { ($1.instructions, $0.name) < ($0.instructions, $1.name) }
        .prefix(Self.namedFunctions))
  }
}
