import CurfewText
import Foundation

/// The signals that an option may name.
enum SignalName {
  /// The names with their numbers, without `SIG`.
  static let all: [(name: String, number: Int32)] = [
    ("TERM", SIGTERM), ("INT", SIGINT), ("HUP", SIGHUP), ("QUIT", SIGQUIT), ("USR1", SIGUSR1),
    ("USR2", SIGUSR2), ("ALRM", SIGALRM), ("ABRT", SIGABRT), ("CONT", SIGCONT), ("STOP", SIGSTOP),
    ("KILL", SIGKILL),
  ]

  /// Reads `TERM`, `SIGTERM`, `term` or `15`.
  static func read(_ text: String, _ option: String) throws(Refusal) -> Int32 {
    let upper = text.uppercased()
    let name = upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
    if let signal = all.first(where: { $0.name == name }) { return signal.number }
    if let number = Int32(text), (1...64).contains(number) { return number }
    let hint = NearestName.hint(for: name, among: all.map(\.name), "expected one of")
    throw Refusal("\(option): unknown signal '\(text)'\(hint)")
  }

  /// The name of a signal; its number if it has no name here.
  static func text(_ number: Int32) -> String {
    all.first { $0.number == number }?.name ?? "\(number)"
  }
}
