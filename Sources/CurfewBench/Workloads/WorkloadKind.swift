package import CurfewText

/// A workload: what its plans contain, which answer is right, and which figures it has.
package struct WorkloadKind: Sendable {
  /// The sizes that have names.
  package struct Sizes: Sendable {
    package var small: Int
    package var standard: Int
    package var large: Int
    /// The size of `bench check`.
    package var tiny: Int
  }

  /// The name with its version, such as `deadlines/1`.
  package let name: String
  /// One line.
  package let about: String
  /// The noun of the size: `timers`.
  package let unit: String
  package let sizes: Sizes
  /// The shapes, the usual one first; empty if there is only one.
  package let shapes: [String]
  /// Whether contestants wait for instants of the real clock.
  package let isRealTime: Bool
  /// Whether the apps of the timers enter the background before the start, at the distances of the
  /// deadlines. The figure `cpuFromStart` is the processor time without that.
  package var entersBackground = false
  package let figures: [FigureKind]
  /// Writes a plan's lines and own keys.
  let write: @Sendable (inout PlanWriter) -> Expectation

  package var tinySize: Int { sizes.tiny }

  /// The greatest size of any workload.
  package static let largestSize = 1_000_000

  /// All workloads, in the order of lists and tables.
  package static let all: [WorkloadKind] = [
    .deadlines, .restart, .tasks, .fleet, .expirations, .beginEnd, .jobs, .memoryPressure,
    .fleetRate, .queue,
  ]

  /// The workload of that name; the version may be left out.
  package static func named(_ name: String) throws(Refusal) -> WorkloadKind {
    if let kind = all.first(where: { $0.name == name || $0.name == name + "/1" }) { return kind }
    let hint = NearestName.hint(for: name, among: all.map(\.name), "the workloads are")
    throw Refusal("unknown workload '\(name)'\(hint)")
  }

  /// The size that a word or a number names.
  package func size(_ text: String) throws(Refusal) -> Int {
    switch text {
    case "small": return sizes.small
    case "default": return sizes.standard
    case "large": return sizes.large
    default:
      do { return try WholeNumberText.read(text, in: 1...WorkloadKind.largestSize) } catch {
        throw Refusal("--size: \(error.message), or small, default or large")
      }
    }
  }

  /// The reason why a shape is not one of this workload's: nil stands for none.
  package func complaint(aboutShape shape: String?) -> String {
    guard !shapes.isEmpty else { return "\(name) has no shapes" }
    let words = shape.map { "unknown shape '\($0.prefix(80))'" } ?? "missing key 'shape'"
    return words + NearestName.hint(for: shape ?? "", among: shapes, "the shapes are")
  }

  /// The plan of a size, a shape and a seed. The same arguments give the same bytes everywhere.
  ///
  /// - Complexity: O(size).
  package func plan(size: Int, shape: String? = nil, seed: UInt64) -> Plan {
    var writer = PlanWriter(
      workload: name, seed: seed, size: size, shape: shapes.isEmpty ? nil : shape ?? shapes[0])
    let expectation = write(&writer)
    return writer.plan(expectation)
  }
}

extension FigureKind {
  static func time(_ name: String, _ about: String, isMain: Bool = true) -> FigureKind {
    FigureKind(name: name, unit: .nanoseconds, about: about, isMain: isMain)
  }

  static func memory(_ about: String) -> FigureKind {
    FigureKind(name: "memory", unit: .bytes, about: about, isMain: true)
  }
}
