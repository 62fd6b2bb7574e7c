import CurfewPolicy
import CurfewSimulation
import CurfewText
import Foundation
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct UnreadableFileTests {
  @Test func `a missing file is an error`() throws {
    try withFolder([:]) { folder in
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try Scenario.load(folder + "/none.yaml") }
          == ["none.yaml: error: no such file"])
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try PolicyFile.load(folder + "/none.yaml")
        } == ["none.yaml: error: no such file"]
      )
    }
  }

  @Test func `a directory is an error`() throws {
    try withFolder(["a.yaml/b": ""]) { folder in
      let found = errors(in: folder) { () throws(FileErrors) in
        _ = try Scenario.load(folder + "/a.yaml")
      }
      #expect(found == ["a.yaml: error: it is a directory, not a file"])
    }
  }

  @Test func `an empty file is an error`() {
    #expect(scenarioErrors("") == ["mail.yaml:1:1: error: the file is empty"])
    #expect(scenarioErrors(" \n\n") == ["mail.yaml:1:1: error: the file is empty"])
    #expect(
      scenarioErrors("# later\n") == ["mail.yaml:1:1: error: the file contains only comments"])
  }

  @Test func `a file of 8 MiB is read and one byte more is not`() throws {
    let line =
      "# so much to say about so little, and so much of it again, and then once more from the beginning \n"
    var text = "curfew: nothing\n" + String(repeating: line, count: (8 << 20) / line.utf8.count - 1)
    text += String(repeating: "#", count: (8 << 20) - text.utf8.count)
    try withFolder(["full.yaml": text, "over.yaml": text + "#"]) { folder in
      let full = errors(in: folder) { () throws(FileErrors) in
        _ = try SourceFile.read(folder + "/full.yaml")
      }
      #expect(full == [])
      let over = errors(in: folder) { () throws(FileErrors) in
        _ = try SourceFile.read(folder + "/over.yaml")
      }
      #expect(over == ["over.yaml: error: the file exceeds the limit of 8 MiB"])
    }
  }

  #if os(Linux)
    @Test(arguments: [
      ("/dev/zero", "/dev/zero: error: the file exceeds the limit of 8 MiB"),
      ("/dev/null", "/dev/null:1:1: error: the file is empty"),
    ]) func `a device is read like a file`(_ path: String, _ message: String) {
      let found = errors { () throws(FileErrors) in _ = try SourceFile.read(path) }
      #expect(found == [message])
    }
  #endif

  @Test(.timeLimit(.minutes(30))) func `a named pipe is read to its end`() throws {
    try withFolder([:]) { folder in
      let path = folder + "/pipe.yaml"
      try #require(mkfifo(path, 0o600) == 0)
      let writer = Thread {
        // Two writes, with a pause before and between them.
        usleep(20_000)
        guard let pipe = FileHandle(forWritingAtPath: path) else { return }
        pipe.write(Data("curfew: not".utf8))
        usleep(20_000)
        pipe.write(Data("hing".utf8))
        try? pipe.close()
      }
      writer.start()
      let file = try SourceFile.read(path)
      #expect(file.text == "curfew: nothing")
    }
  }

  @Test func `the reader's error names the limit`() throws {
    try withFolder(["five": "12345"]) { folder in
      let full = try SourceFile.read(folder + "/five", limit: 5)
      #expect(full.text == "12345")
      let over = errors(in: folder) { () throws(FileErrors) in
        _ = try SourceFile.read(folder + "/five", limit: 4)
      }
      #expect(over == ["five: error: the file exceeds the limit of 4 bytes"])
    }
    let kilo = errors { () throws(FileErrors) in
      _ = try SourceFile(name: "a", bytes: Array(repeating: 0x41, count: 1_025), limit: 1_024)
    }
    #expect(kilo == ["a: error: the file exceeds the limit of 1 KiB"])
    let long = Array(repeating: UInt8(ascii: "#"), count: SourceFile.limit + 1)
    let trace = try SourceFile(name: "a", bytes: long, limit: SourceFile.traceLimit)
    #expect(trace.text.utf8.count == long.count)
  }

  @Test func `bytes that are not UTF-8 are located`() throws {
    let bytes = Array("name: é\nab".utf8) + [0xFF] + Array("c\n".utf8)
    #expect(
      throws: FileErrors([
        FileDiagnostic(
          at: SourcePlace(file: "a", line: 2, column: 3),
          "not a text file: the byte 0xFF is not UTF-8")
      ])
    ) {
      try SourceFile(name: "a", bytes: bytes)
    }
  }

  @Test func `control characters are located`() {
    #expect(
      scenarioErrors("a: é\nb: \0c\n") == [
        "mail.yaml:2:4: error: not a text file: it contains a NUL byte"
      ])
    #expect(
      scenarioErrors("a:\r\nb: \u{1B}[1m") == [
        "mail.yaml:2:4: error: not a text file: it contains the control character U+001B"
      ])
    #expect(
      scenarioErrors("a: x\u{2028}") == [
        "mail.yaml:1:5: error: not a text file: it contains the control character U+2028"
      ])
  }

  @Test func `any binary content is an error`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let junk = (0..<Int(random.next() % 400 + 1)).map { _ in
        UInt8(truncatingIfNeeded: random.next())
      }
      #expect(throws: FileErrors.self) {
        try Scenario.decode(try SourceFile(name: "junk", bytes: junk))
      }
    }
  }

  @Test func `a byte order mark is ignored`() {
    #expect(scenarioErrors("\u{FEFF}" + timeline("{at: 0s, do: lock}")) == [])
  }
}
