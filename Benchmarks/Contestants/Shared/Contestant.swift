/// A program that takes part in a workload. It is made from the plan, with everything that
/// is not measured.
@MainActor protocol Contestant: AnyObject {
  /// The steps by which it makes an instant later, so as not to be early.
  var rounding: String { get }
  /// Runs a segment. `start` is an instant of `CLOCK_MONOTONIC`; workloads without real time
  /// ignore it.
  func run(start: Int64) async -> Measurement
  /// Appends the members of the answer, each after a comma.
  func answer(to text: inout Text)
}

extension Contestant {
  var rounding: String { "none" }
}

/// The outcome of a segment.
enum Measurement {
  /// The measured part, in instants of `CLOCK_MONOTONIC`.
  case measured(began: Int64, ended: Int64)
  /// The contestant was armed this long after the start, so it has run nothing.
  case late(Int64)

  @MainActor static func of(_ body: () -> Void) -> Measurement {
    let began = now()
    body()
    return .measured(began: began, ended: now())
  }
}

/// A reason why a contestant takes no part. It is a result, and no error.
struct CannotTakePart: Error {
  let reason: String
}
