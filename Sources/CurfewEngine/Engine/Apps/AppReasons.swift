/// Two reasons in one byte. Four bits hold the reason why this visit's handlers are called, four
/// bits the reason of a termination in progress, which is one of `TerminationReason.ofQuits`.
struct AppReasons: BitwiseCopyable {
  private var bits: UInt8 = 0

  var expiration: ExpirationReason {
    get { ExpirationReason(rawValue: bits & 15) ?? .timeLimit }
    set { bits = bits & 0xf0 | newValue.rawValue }
  }

  var quit: TerminationReason {
    get { TerminationReason(rawValue: bits >> 4) ?? .normalAppExit }
    set { bits = bits & 15 | newValue.rawValue << 4 }
  }

  /// Whether every reason fits its four bits.
  static var fits: Bool {
    ExpirationReason.allCases.allSatisfy { $0.rawValue < 16 }
      && TerminationReason.ofQuits.allSatisfy { $0.rawValue < 16 }
  }
}
