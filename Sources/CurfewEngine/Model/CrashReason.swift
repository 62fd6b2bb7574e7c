/// The way in which a process ends without a decision of the engine (rule D2).
public enum CrashReason: Hashable, Sendable, BitwiseCopyable {
  /// An exit with an error, whose status is not known. Also a crash without a reason.
  case abnormalExit
  /// Bad memory access.
  case badAccess
  /// Illegal instruction.
  case illegalInstruction
  /// `exit(0)`.
  case normalAppExit
  /// An exit with this status: `abnormalExit`, or `normalAppExit` for status 0.
  case exit(status: UInt8)
  /// The kernel killed the process because memory was short.
  case oomKill
  /// A signal, from 1 to 126, ended the process.
  case signal(UInt8)
  /// The process could not be started.
  case spawnFailed(SpawnError)
  /// The host of the process failed, and the process ended with it.
  case hostFailure

  /// Creates the reason for a status that `waitpid` has stored.
  ///
  /// SIGSEGV and SIGBUS are `badAccess`, SIGILL and SIGTRAP are `illegalInstruction`, any other
  /// signal is `signal`. A kill by the kernel because of memory looks like any other SIGKILL,
  /// so a host that knows better reports `oomKill` itself.
  ///
  /// - Returns: nil if the process has not ended: it was stopped or continued.
  public init?(waitStatus: Int32) {
    let status = UInt8(truncatingIfNeeded: waitStatus >> 8)
    switch waitStatus & 0x7f {
    case 0: self = status == 0 ? .normalAppExit : .exit(status: status)
    // Stopped (0x7f), or continued (0xffff on Linux).
    case 0x7f: return nil
    case Signal.segmentationFault, Signal.busError: self = .badAccess
    case Signal.illegalInstruction, Signal.trap: self = .illegalInstruction
    case let signal: self = .signal(UInt8(signal))
    }
  }

  /// The numbers of the signals that mean a crash. The engine imports no C library; a test
  /// compares the numbers with the library's.
  enum Signal {
    static let illegalInstruction: Int32 = 4
    static let trap: Int32 = 5
    #if os(Linux) || os(Android)
      static let busError: Int32 = 7
    #else
      static let busError: Int32 = 10
    #endif
    static let segmentationFault: Int32 = 11
  }

  /// The reasons of the ends that a step `crash` reports, in the order in which lists print them.
  package static let terminations: [TerminationReason] = [
    .abnormalExit, .badAccess, .illegalInstruction, .normalAppExit, .oomKill, .signal,
    .spawnFailed, .hostFailure,
  ]

  /// The signals that can end a process: seven bits of a wait status, of which 0 is an exit and 127
  /// a stop.
  package static let signals: ClosedRange<UInt8> = 1...126

  /// The reason of the end.
  package var termination: TerminationReason {
    switch self {
    case .abnormalExit: .abnormalExit
    case .badAccess: .badAccess
    case .illegalInstruction: .illegalInstruction
    case .normalAppExit: .normalAppExit
    case .exit(let status): status == 0 ? .normalAppExit : .abnormalExit
    case .oomKill: .oomKill
    case .signal: .signal
    case .spawnFailed: .spawnFailed
    case .hostFailure: .hostFailure
    }
  }

  /// The number or the name that belongs to the reason; nil if none does.
  package var detail: ExitDetail? {
    switch self {
    case .exit(let status): status == 0 ? nil : .status(status)
    case .signal(let number): .signal(number)
    case .spawnFailed(let error): .error(error)
    case .abnormalExit, .badAccess, .illegalInstruction, .normalAppExit, .oomKill, .hostFailure: nil
    }
  }

  /// Whether the end comes from outside the process. Such an end is possible while the app
  /// is suspended.
  var isFromOutside: Bool {
    switch self {
    case .oomKill, .signal, .spawnFailed, .hostFailure: true
    case .abnormalExit, .badAccess, .illegalInstruction, .normalAppExit, .exit: false
    }
  }
}

/// The number or the name in the record of a process's end (rule D2).
public enum ExitDetail: Hashable, Sendable, BitwiseCopyable {
  /// The status of an exit with an error: 1 to 255.
  case status(UInt8)
  /// The signal that ended the process: 1 to 126.
  case signal(UInt8)
  /// The error with which the process could not be started.
  case error(SpawnError)
}

extension ExitDetail: CustomStringConvertible {
  /// `status 3`, `signal 15` or `ENOENT`.
  public var description: String {
    switch self {
    case .status(let status): "status \(status)"
    case .signal(let number): "signal \(number)"
    case .error(let error): error.rawValue
    }
  }

  /// The value alone: `3`, `15` or `ENOENT`.
  package var value: String {
    switch self {
    case .status(let number), .signal(let number): "\(number)"
    case .error(let error): error.rawValue
    }
  }
}
