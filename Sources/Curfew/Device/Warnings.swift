import CurfewEngine

/// A task's warning that has been decided, on its way to the task's handler.
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

/// Warnings that have been decided and not handed over to their processes yet, in order.
///
/// One step can warn 100,000 apps (rule F11). They are handed over in slices, so whoever wants the
/// device's lock meanwhile waits for one slice, not for all.
///
/// Invariants: warnings before `first` have been handed over, and not all of them unless there is
/// none. In real time, whenever the lock is released, the lane hands over what is left.
struct Warnings {
  /// How many are handed over under one hold of the lock: some hundred microseconds' worth.
  static let slice = 64

  private var warnings: [Warning] = []
  private var first = 0
  /// Whether the lane hands them over, slice by slice.
  private(set) var isHandingOver = false

  var isEmpty: Bool { warnings.isEmpty }
  /// Whether some are left and nobody hands them over.
  var isUnattended: Bool { !isEmpty && !isHandingOver }

  mutating func append(_ warning: Warning) { warnings.append(warning) }

  /// Takes the next one.
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

  /// The lane begins to hand over what is left.
  mutating func startHandingOver() { isHandingOver = true }

  mutating func finishHandingOver() { isHandingOver = false }

  /// Takes all that are left.
  mutating func takeAll() -> ArraySlice<Warning> {
    defer { (warnings, first) = ([], 0) }
    return warnings[first...]
  }

  func checkInvariants(isRealTime: Bool) {
    precondition(
      first < warnings.count || first == 0 && isEmpty,
      "\(first) of \(warnings.count) warnings are handed over")
    precondition(
      isRealTime ? isEmpty || isHandingOver : !isHandingOver, "nobody hands over what is left")
  }
}
