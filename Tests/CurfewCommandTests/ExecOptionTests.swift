import ArgumentParser
import CurfewPolicy
import CurfewText
import Foundation
import Testing

@testable import CurfewCommand

/// Options of `curfew exec` whose values are refused, or read in more than one way.
@Suite struct ExecOptionTests {
  @Test(
    arguments: [
      ("TERM", SIGTERM), ("sigterm", SIGTERM), ("15", 15), ("PIPE", SIGPIPE), ("SIGSEGV", SIGSEGV),
      ("winch", SIGWINCH), ("1", 1),
    ] as [(String, Int32)])
  func `a signal has a name or a number`(_ text: String, _ number: Int32) throws {
    #expect(try SignalName.read(text, "--on-expire") == number)
    #expect(try SignalName.read(SignalName.text(number), "--on-expire") == number)
  }

  #if os(Linux)
    @Test func `a real-time signal counts from RTMIN or RTMAX`() throws {
      let (first, last) = (__libc_current_sigrtmin(), __libc_current_sigrtmax())
      for (text, number) in [
        ("RTMIN", first), ("SIGRTMIN+1", first + 1), ("rtmin+0", first), ("RTMAX-2", last - 2),
        ("RTMAX", last), ("\(last)", last),
      ] {
        #expect(try SignalName.read(text, "--on-expire") == number, "\(text)")
      }
      #expect(SignalName.text(first) == "RTMIN" && SignalName.text(first + 3) == "RTMIN+3")
      #expect(SignalName.text(33) == "33")
    }
  #endif

  @Test(
    arguments: [
      "", "0", "-9", "65", "999999999999", "TREM", "EXIT", "RTMIN-1", "RTMIN+", "RTMIN+99",
      "RTMAX+1", "RTMAX-99", "RTMIN+x",
    ])
  func `an unknown signal is refused with the signals that are known`(_ text: String) throws {
    let refusal = #expect(throws: Refusal.self) { try SignalName.read(text, "--on-expire") }
    let message = refusal.map { "\($0)" } ?? ""
    for part in ["'\(text)'", "TERM, INT", "PIPE", "SEGV", "or a number from 1 to "] {
      #expect(message.contains(part), "\(message)")
    }
    #if os(Linux)
      #expect(message.contains("RTMIN+n") && message.contains("from 1 to 64"), "\(message)")
    #endif
  }

  @Test func `a journal is a regular file, or can become one`() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.url.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    try folder.write("", to: "file")
    for path in ["", "-", pipe, "/dev/null", folder.url.path] {
      #expect(throws: Refusal.self, "\(path)") { try Journal.check(path) }
    }
    for name in ["file", "new"] {
      try Journal.check(folder.url.appendingPathComponent(name).path)
    }
  }

  @Test func `a row that asks about the user is refused by its name`() throws {
    for (condition, fact) in [
      ("requires: locked", "locked"), ("blockedBy: [draining, userPresent]", "userPresent"),
      ("requires: wifi", nil), ("blockedBy: draining", nil),
    ] {
      let row = "{length: 9m, relaunches: true, overrun: kill, \(condition)}"
      let file = try PolicyFile.decode(
        "curfew: policy/1\nname: mine\nextends: server\nwakes: {backup: \(row)}\n",
        name: "mine.yaml")
      let command = try ExecCommand.parse(["--kind", "backup", "true"])
      func request() throws { _ = try command.request([Array("true".utf8)], ExecPolicy(file)) }
      guard let fact else {
        try request()
        continue
      }
      let refusal = #expect(throws: Refusal.self) { try request() }
      let message = refusal.map { "\($0)" } ?? ""
      #expect(message.contains("'backup'") && message.contains("'\(fact)'"), "\(message)")
    }
  }
}
