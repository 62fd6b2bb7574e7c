import CurfewEngine
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The ends that `waitpid` reports (rule D2).
@Suite struct WaitStatusTests {
  /// A status as the kernel stores it.
  private func reason(exit status: Int32) -> CrashReason? { CrashReason(waitStatus: status << 8) }

  private func reason(signal: Int32, dumped: Bool = false) -> CrashReason? {
    CrashReason(waitStatus: signal | (dumped ? 0x80 : 0))
  }

  @Test func `D2 an exit is normal or has its status`() {
    #expect(reason(exit: 0) == .normalAppExit)
    for status in UInt8(1)...255 {
      let exit = reason(exit: Int32(status))
      #expect(exit == .exit(status: status))
      #expect(exit?.termination == .abnormalExit && exit?.detail == .status(status))
    }
  }

  @Test func `D2 signals are crashes or have their number, with a core dump or without`() {
    let crashes: [Int32: CrashReason] = [
      SIGSEGV: .badAccess, SIGBUS: .badAccess, SIGILL: .illegalInstruction,
      SIGTRAP: .illegalInstruction,
    ]
    for signal in Int32(1)...126 {
      let expected = crashes[signal] ?? .signal(UInt8(signal))
      #expect(reason(signal: signal) == expected)
      #expect(reason(signal: signal, dumped: true) == expected)
    }
    #expect(reason(signal: SIGKILL) == .signal(9) && reason(signal: SIGTERM) == .signal(15))
  }

  @Test func `D2 a process that was stopped or continued has not ended`() {
    #expect(CrashReason(waitStatus: SIGSTOP << 8 | 0x7f) == nil)
    #expect(CrashReason(waitStatus: 0xffff) == nil)
  }

  #if os(Linux)
    @Test func `D2 a real process ends as waitpid says`() throws {
      func end(_ script: String) throws -> CrashReason? {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", script].map {
          (text: String) in strdup(text)
        }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        let failure = posix_spawn(&pid, "/bin/sh", nil, nil, &arguments, nil)
        try #require(failure == 0)
        var status: Int32 = 0
        try #require(waitpid(pid, &status, 0) == pid)
        return CrashReason(waitStatus: status)
      }
      #expect(try end("exit 0") == .normalAppExit)
      #expect(try end("exit 3") == .exit(status: 3))
      #expect(try end("kill -KILL $$") == .signal(9))
      #expect(try end("kill -SEGV $$") == .badAccess)
    }
  #endif
}
