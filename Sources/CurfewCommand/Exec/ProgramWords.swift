import ArgumentParser
import CurfewText

/// The words of the command line, without the program's name.
///
/// Everything from the command of `exec` on is the command's. The parser does not see it: it takes
/// quadratic time for many words, and text would alter bytes that are not UTF-8.
struct ProgramWords {
  /// The words that the parser reads: those before the command, and the command's first.
  let parsed: [String]
  /// The words of `exec` from the command on; empty for other commands.
  let command: [[UInt8]]
  /// The first word of `exec` before the command that is not UTF-8.
  private let unreadable: String?

  init(_ words: [[UInt8]]) {
    let isExec = words.first.map(ProgramWords.text) == ExecCommand.configuration.commandName
    let count = isExec ? ProgramWords.countBeforeCommand(words) : words.count
    command = Array(words[count...])
    parsed = words.prefix(count + 1).map(ProgramWords.text)
    unreadable =
      isExec ? zip(words, parsed).prefix(count).first { $0 != Array($1.utf8) }?.1 : nil
  }

  /// Throws if the options are not text. A path would be that of another file.
  func check() throws(Refusal) {
    if let unreadable {
      throw Refusal("'\(unreadable)' is not UTF-8, as options of exec have to be")
    }
  }

  /// Whether the words begin with those of `exec`.
  var isExec: Bool { parsed.first == ExecCommand.configuration.commandName }

  /// The options that take the word after them. A test compares both sets with the help.
  static let valued: Set = [
    "--grant", "--warning", "--on-expire", "--policy", "--policy-set", "--kind", "--journal",
    "--wait", "--name", "--report",
  ]
  /// The options without a value.
  static let flags: Set = ["--require-cgroup"]

  /// The number of words of `exec` before its command. The first word that is no option, and
  /// the first unknown option, is the command's, as for the parser.
  private static func countBeforeCommand(_ words: [[UInt8]]) -> Int {
    var count = 1
    while count < words.count {
      let parts = words[count].split(separator: UInt8(ascii: "="), maxSplits: 1)
      let name = parts.first.map(text) ?? ""
      guard valued.contains(name) || flags.contains(name) else { break }
      count += valued.contains(name) && words[count].count == name.utf8.count ? 2 : 1
    }
    return min(count, words.count)
  }

  private static func text(_ word: some Collection<UInt8>) -> String {
    String(decoding: word, as: UTF8.self)
  }
}
