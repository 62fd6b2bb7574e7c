import CurfewEngine

/// A warning that the engine has decided and that has not reached the task's handler yet.
struct Warning {
  let app: AppID
  let task: BackgroundTask
  let name: String
  let identifier: BackgroundTaskIdentifier
  let reason: ExpirationReason
  let due: Instant
  let instant: Instant
  let making: Making
  /// The process that was warned.
  let process: AppProcess?
  /// Whether the engine waits for a handler's return.
  let hasHandler: Bool
}

/// Warnings that have been decided but not yet handed over to their processes, in order.
///
/// One step can warn 100,000 apps (rule F11). The warnings are handed over in slices, so that
/// a caller that needs the device's lock waits for one slice, not for all.
///
/// Invariants: the warnings before `first` have been handed over; if all have been handed over,
/// the list is empty. In real time, whenever the lock is released, the lane hands over the rest.
struct Warnings {
  /// The number of warnings that are handed over while the lock is held once; this takes about
  /// 100 µs.
  static let slice = 64

  private var warnings: [Warning] = []
  private var first = 0
  /// Whether the lane is handing over warnings, slice by slice.
  private(set) var isHandingOver = false

  var isEmpty: Bool { warnings.isEmpty }
  /// Whether warnings are left that the lane is not handing over.
  var isUnattended: Bool { !isEmpty && !isHandingOver }

  mutating func append(_ warning: Warning) { warnings.append(warning) }

  /// Takes the next warning.
  mutating func popFirst() -> Warning? {
    guard !warnings.isEmpty else { return nil }
    let warning = warnings[first]
    first += 1
    if first == warnings.count {
      warnings.removeAll(keepingCapacity: first <= Warnings.slice)
      first = 0
    }
    return warning
  }

  /// Notes that the lane begins to hand over the rest.
  mutating func startHandingOver() { isHandingOver = true }

  mutating func finishHandingOver() { isHandingOver = false }

  /// Takes all warnings that are left.
  mutating func takeAll() -> ArraySlice<Warning> {
    defer { (warnings, first) = ([], 0) }
    return warnings[first...]
  }

  func checkInvariants(isRealTime: Bool) {
    precondition(
      first < warnings.count || first == 0 && isEmpty,
      "\(first) of \(warnings.count) warnings are handed over")
    precondition(
      isRealTime ? isEmpty || isHandingOver : !isHandingOver, "no thread hands over the rest")
  }
}
