import CurfewText
import Foundation

/// The signals that an option may name, and their names in a report.
enum SignalName {
  /// The names with their numbers, without `SIG`, except those of real-time signals.
  static let all: [(name: String, number: Int32)] =
    [
      ("TERM", SIGTERM), ("INT", SIGINT), ("HUP", SIGHUP), ("QUIT", SIGQUIT), ("USR1", SIGUSR1),
      ("USR2", SIGUSR2), ("ALRM", SIGALRM), ("ABRT", SIGABRT), ("CONT", SIGCONT),
      ("STOP", SIGSTOP), ("KILL", SIGKILL), ("PIPE", SIGPIPE), ("SEGV", SIGSEGV), ("BUS", SIGBUS),
      ("FPE", SIGFPE), ("ILL", SIGILL), ("TRAP", SIGTRAP), ("SYS", SIGSYS), ("XCPU", SIGXCPU),
      ("XFSZ", SIGXFSZ), ("VTALRM", SIGVTALRM), ("PROF", SIGPROF), ("IO", SIGIO),
      ("CHLD", SIGCHLD), ("URG", SIGURG), ("WINCH", SIGWINCH), ("TSTP", SIGTSTP),
      ("TTIN", SIGTTIN), ("TTOU", SIGTTOU),
    ] + ofSystem

  #if os(Linux)
    private static let ofSystem = [("PWR", SIGPWR), ("STKFLT", SIGSTKFLT)]
    /// RTMIN to RTMAX. The numbers between 31 and RTMIN are the C library's.
    private static let realTime = Int(__libc_current_sigrtmin())...Int(__libc_current_sigrtmax())
    private static let last = realTime.upperBound
    private static let realTimeNames = ", RTMIN to RTMAX, RTMIN+n, RTMAX-n"
  #else
    private static let ofSystem: [(String, Int32)] = []
    private static let realTime = 0..<0
    private static let last = 31
    private static let realTimeNames = ""
  #endif

  /// Reads `TERM`, `SIGTERM`, `term`, `15` or `RTMIN+1`.
  static func read(_ text: String, _ option: String) throws(Refusal) -> Int32 {
    let upper = text.uppercased()
    let name = upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
    if let number = all.first(where: { $0.name == name })?.number ?? realTimeNumber(name) {
      return number
    }
    if let number = Int32(text), (1...Int32(last)).contains(number) { return number }
    let names = all.map(\.name)
    let near = NearestName.to(name, among: names).map { "did you mean '\($0)'? " } ?? ""
    throw Refusal(
      "\(option): unknown signal '\(text)'; \(near)expected one of: \(names.joined(separator: ", "))\(realTimeNames), or a number from 1 to \(last)"
    )
  }

  /// The number of `RTMIN`, `RTMAX`, `RTMIN+n` or `RTMAX-n`; nil for anything else.
  private static func realTimeNumber(_ name: String) -> Int32? {
    guard let first = realTime.first, let last = realTime.last else { return nil }
    for (prefix, start, sign) in [("RTMIN", first, "+"), ("RTMAX", last, "-")]
    where name.hasPrefix(prefix) {
      let rest = name.dropFirst(prefix.count)
      if rest.isEmpty { return Int32(start) }
      guard rest.hasPrefix(sign), rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
        let distance = Int(rest.dropFirst()), distance < realTime.count
      else { return nil }
      return Int32(sign == "+" ? start + distance : start - distance)
    }
    return nil
  }

  /// The name of a signal; its number if it has no name here.
  static func text(_ number: Int32) -> String {
    if let name = all.first(where: { $0.number == number })?.name { return name }
    guard let first = realTime.first, realTime.contains(Int(number)) else { return "\(number)" }
    return Int(number) == first ? "RTMIN" : "RTMIN+\(Int(number) - first)"
  }
}
