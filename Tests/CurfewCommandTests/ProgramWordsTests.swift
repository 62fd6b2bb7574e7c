import CurfewText
import Testing

@testable import CurfewCommand

/// The words of a command line, and those of a command.
@Suite struct ProgramWordsTests {
  private func words(_ words: String...) -> ProgramWords {
    ProgramWords(words.map { Array($0.utf8) })
  }

  @Test func `the options that take a value are those of the help`() throws {
    let help = try CurfewProcess.run("exec", "--help").output
    let found = help.matches(of: /(?m)^ +(?:-h, )?(--[a-z-]+)( <)?/)
    let (valued, flags) = (found.filter { $0.output.2 != nil }, found.filter { $0.output.2 == nil })
    #expect(Set(valued.map { String($0.output.1) }) == ProgramWords.valued)
    // The command's words are looked at for these.
    let builtIn: Set = ["--help", "--version"]
    #expect(Set(flags.map { String($0.output.1) }).subtracting(builtIn) == ProgramWords.flags)
  }

  @Test func `the words of a command begin behind the options`() {
    let cases: [([String], Int)] = [
      (["exec", "true", "--grant", "5s"], 1), (["exec", "--grant", "5s", "true", "x"], 3),
      (["exec", "--grant=5s", "--require-cgroup", "true"], 3), (["exec", "--", "-x"], 1),
      (["exec", "--grnat", "5s", "true"], 1), (["exec", "--help", "true"], 1),
      (["exec", "--report", "-", "-"], 3), (["exec", "--grant"], 2), (["exec"], 1),
      (["exec", "--policy-set", "a=b", "--policy-set=a=b", "c=d"], 4),
    ]
    for (words, count) in cases {
      let found = ProgramWords(words.map { Array($0.utf8) })
      #expect(found.command == words[count...].map { Array($0.utf8) }, "\(words)")
      #expect(found.parsed == Array(words.prefix(count + 1)), "\(words)")
    }
    let other = words("simulate", "--json", "day.yaml", "--from", "1h")
    #expect(other.parsed.count == 5 && other.command.isEmpty && !other.isExec)
  }

  @Test func `options of exec are text, and the words of a command need not be`() {
    let exec = Array("exec".utf8)
    #expect(throws: Refusal.self) {
      try ProgramWords([exec, Array("--name".utf8), [0x6a, 0xe9], [0x61]]).check()
    }
    #expect(throws: Never.self) { try ProgramWords([exec, [0x6a, 0xe9], [0xff]]).check() }
  }
}
