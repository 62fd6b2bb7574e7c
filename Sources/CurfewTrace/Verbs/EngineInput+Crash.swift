package import CurfewEngine
import CurfewPolicy
import CurfewText

// The values of the step `crash` (rule D2).

extension EngineInput {
  /// The reason of a crash, with its number or its error. Nil if the values do not fit together.
  package var crashReason: CrashReason? {
    get {
      switch (crash ?? .abnormalExit, exitStatus, signal, spawnError) {
      case (.abnormalExit, let status?, nil, nil): .exit(status: status)
      case (.signal, nil, let signal?, nil): .signal(signal)
      case (.spawnFailed, nil, nil, let error?): .spawnFailed(error)
      case (.abnormalExit, nil, nil, nil): .abnormalExit
      case (.badAccess, nil, nil, nil): .badAccess
      case (.illegalInstruction, nil, nil, nil): .illegalInstruction
      case (.normalAppExit, nil, nil, nil): .normalAppExit
      case (.oomKill, nil, nil, nil): .oomKill
      case (.hostFailure, nil, nil, nil): .hostFailure
      default: nil
      }
    }
    set {
      (crash, exitStatus, signal, spawnError) = (newValue?.termination, nil, nil, nil)
      switch newValue?.detail {
      case .status(let status): exitStatus = status
      case .signal(let number): signal = number
      case .error(let error): spawnError = error
      case nil: break
      }
    }
  }

  /// The rule that the values of a crash break; nil if they fit together.
  package var crashProblem: String? {
    crashReason == nil
      ? "a 'crash' as 'signal' has 'signal', one as 'spawnFailed' has 'error', one as 'abnormalExit' may have 'status', and no other has any of these"
      : nil
  }
}

extension InputVerb {
  static let crashValues: [Attribute<EngineInput>] = [
    .init(
      "reason", \.crash, .word("reason", among: CrashReason.terminations), .optional,
      "The reason; abnormalExit if absent."),
    .init(
      "signal", \.signal, .signal, .optional, "The signal that ended the process, for 'signal'."),
    .init("status", \.exitStatus, .exitStatus, .optional, "The exit's status, for 'abnormalExit'."),
    .init(
      "error", \.spawnError, .word("error"), .optional,
      "The error with which the process could not be started, for 'spawnFailed'."),
  ]
}

extension Notation<UInt8> {
  /// The number of a signal.
  static var signal: Notation { number(in: CrashReason.signals, "signals are numbered") }
  /// The status of an exit with an error.
  static var exitStatus: Notation { number(in: 1...255, "the status of an error is a number") }

  /// - Parameter rule: The begin of the message about another number.
  private static func number(in range: ClosedRange<UInt8>, _ rule: String) -> Notation {
    Notation(.wholeNumber(Int64(range.lowerBound)...Int64(range.upperBound))) {
      plain throws(Refusal) in
      guard case .number(let number) = plain else { return nil }
      guard let value = UInt8(exactly: number), range.contains(value) else {
        throw Refusal("\(rule) from \(range.lowerBound) to \(range.upperBound), found \(number)")
      }
      return value
    } write: {
      .number(Int64($0))
    }
  }
}
