import CurfewLoadTest
import Foundation
import TestRuns
import Testing

@testable import CurfewCommand

/// Completions, near names and wrapped text: the parts of the command that help while a user
/// types it.
@Suite(.inTurn) struct ShellTests {
  // MARK: Completions

  /// A command of `--experimental-dump-help`, with the words that name it.
  private struct Command {
    var words: [String]
    /// Its flags, options and arguments.
    var parts: [[String: Any]]

    var values: [[String: Any]] { parts.filter { $0["kind"] as? String != "flag" } }

    /// Its words, these options, and a value for each argument that it requires. The arguments come
    /// last, because they may take everything that follows.
    func line(_ options: [String]) -> [String] {
      let required = parts.filter {
        $0["kind"] as? String == "positional" && $0["isOptional"] as? Bool == false
      }
      return words + options + required.map { _ in "x" }
    }
  }

  private static func commands() throws -> [Command] {
    let run = try CurfewProcess.run("--experimental-dump-help")
    let dump = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    func all(_ command: [String: Any], _ words: [String]) -> [Command] {
      let arguments = command["arguments"] as? [[String: Any]] ?? []
      return [Command(words: words, parts: arguments)]
        + (command["subcommands"] as? [[String: Any]] ?? []).flatMap {
          all($0, words + [$0["commandName"] as? String ?? ""])
        }
    }
    return all(try #require(dump?["command"] as? [String: Any]), [])
      .filter { $0.words.first != "help" }
  }

  /// The candidates that the program offers for a value that it computes.
  private func candidates(
    _ command: [String], _ name: String, words: [String], prefix: String = "",
    in folder: TemporaryFolder? = nil
  ) throws -> [String] {
    let run = try CurfewProcess.run(
      ["---completion"] + command + ["--", name, "\(words.count)", "\(prefix.utf8.count)"] + words
        + [prefix],
      in: folder, environment: ["SAP_SHELL": "bash", "SAP_SHELL_VERSION": "5.2"])
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `every value of every command says how a shell completes it`() throws {
    let commands = try Self.commands()
    #expect(commands.count >= 16)
    for command in commands {
      for value in command.values {
        let name = value["valueName"] as? String ?? ""
        #expect(value["completionKind"] != nil, "curfew \(command.words) \(name)")
      }
    }
  }

  @Test func `every flag and option of the help is accepted by its command`() throws {
    var tried = 0
    for command in try Self.commands() where !command.words.isEmpty {
      for part in command.parts where part["kind"] as? String != "positional" {
        let list = (part["completionKind"] as? [String: Any])?["list"] as? [String: Any]
        let value = (list?["values"] as? [String])?.first ?? "1"
        for name in part["names"] as? [[String: String]] ?? [] {
          guard let text = name["name"], !["help", "h", "version"].contains(text) else { continue }
          let option = (name["kind"] == "long" ? "--" : "-") + text
          let values = part["kind"] as? String == "option" ? [value] : []
          // The unknown option keeps the command from running, and is the only complaint.
          let run = try CurfewProcess.run(
            command.line([option] + values + ["--no-such-option"]))
          #expect(
            run.exitCode == 64
              && run.told.first?.hasPrefix("curfew: error: unknown option '--no-such-option'")
                == true,
            "curfew \(command.words) \(option): \(run.messages)")
          tried += 1
        }
      }
    }
    #expect(tried > 60)
  }

  @Test func `every value of a closed list is accepted by the option that offers it`() throws {
    var tried = 0
    for command in try Self.commands() where !command.words.isEmpty {
      for part in command.parts where part["kind"] as? String == "option" {
        let names = part["names"] as? [[String: String]] ?? []
        let list = (part["completionKind"] as? [String: Any])?["list"] as? [String: Any]
        guard let name = names.first(where: { $0["kind"] == "long" })?["name"],
          let values = list?["values"] as? [String], values.count < 30
        else { continue }
        for value in values {
          let run = try CurfewProcess.run(
            command.line(["--" + name, value, "--no-such-option"]))
          #expect(
            run.told.first?.hasPrefix("curfew: error: unknown option '--no-such-option'") == true,
            "curfew \(command.words) --\(name) \(value): \(run.messages)")
          tried += 1
        }
      }
    }
    #expect(tried > 20)
    // A value that is not in the list is the first complaint.
    let wrong = try CurfewProcess.run("simulate", "--format", "x", "--no-such-option")
    #expect(wrong.told.first?.hasPrefix("curfew: error: the value 'x' is invalid") == true)
  }

  @Test func `every policy option offers the built-in names, and each of them is accepted`() throws
  {
    let all = try candidates(
      ["simulate"], "--policy", words: ["curfew", "simulate", "--policy"], in: TemporaryFolder())
    #expect(all.count >= 7)
    for name in all {
      let run = try CurfewProcess.run("explain", "--kind", "finiteTask", "--policy", name)
      #expect([0, 3].contains(run.exitCode), "\(name): \(run.messages)")
    }
    let names = try candidates(
      ["policy", "show"], "positional@0", words: ["curfew", "policy", "show"], prefix: "ios")
    #expect(names == ["ios3", "ios4", "ios7", "ios13"])
  }

  @Test func `files and folders are offered beside the names`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("x".utf8), to: "phone-two.yaml")
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("photos"), withIntermediateDirectories: false)
    #expect(
      try candidates(
        ["fleet"], "positional@0", words: ["curfew", "fleet"], prefix: "ph", in: folder)
        == ["phone", "phone-two.yaml", "photos/"])
  }

  @Test func `values of the policy, its kinds and facts are offered, and accepted`() throws {
    let kinds = try candidates(["explain"], "--kind", words: ["curfew", "explain", "--kind"])
    #expect(kinds.contains("finiteTask") && kinds.contains("fetch"))
    for kind in kinds {
      #expect(
        [0, 3].contains(try CurfewProcess.run("explain", "--kind", kind).exitCode), "\(kind)")
    }
    let facts = try candidates(["explain"], "--set", words: ["curfew", "explain", "--set"])
    #expect(facts.contains("lowPowerMode=true") && facts.contains("state=notRunning"))
    let values = try candidates(
      ["simulate"], "--policy-set", words: ["curfew", "simulate", "--policy", "ios7"])
    #expect(values.contains("tasks.grant=180s") || values.contains("tasks.grant=3m"))
    for fact in facts {
      let run = try CurfewProcess.run("explain", "--kind", "fetch", "--set", fact)
      #expect([0, 3].contains(run.exitCode), "\(fact): \(run.messages)")
    }
    // One in nine, and all lists: each takes a process.
    for (index, value) in values.enumerated() where index % 9 == 0 || value.contains(", ") {
      let run = try CurfewProcess.run("policy", "show", "ios7", "--policy-set", value)
      #expect(run.exitCode == 0, "\(value): \(run.messages)")
    }
  }

  @Test func `conditions are offered for each metric, and accepted`() throws {
    for command in try Self.commands() {
      for value in command.values where value["valueName"] as? String == "conditions" {
        let kind = try #require(value["completionKind"] as? [String: Any])
        let list = (kind["list"] as? [String: Any])?["values"] as? [String] ?? []
        #expect(list.count > 4, "\(command.words)")
        if command.words == ["loadtest"] {
          for condition in list { #expect(throws: Never.self) { try Threshold.read(condition) } }
        } else {
          let run = try CurfewProcess.run(
            "test", "--threshold", list.joined(separator: ","), "nothing.yaml")
          #expect(run.exitCode == 4, "\(run.messages)")
        }
      }
    }
  }

  @Test func `apps of a scenario are offered`() throws {
    let apps = try candidates(["simulate"], "--app", words: ["curfew", "simulate", "--app"])
    #expect(!apps.isEmpty)
    for app in apps.prefix(2) {
      #expect(try CurfewProcess.run("simulate", "--app", app).exitCode == 0)
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the completion script of a shell is printed`(_ shell: String) throws {
    let run = try CurfewProcess.run("--generate-completion-script", shell)
    #expect(run.exitCode == 0 && run.output.contains("curfew"))
  }

  // MARK: Near names

  @Test func `a mistyped command gets a suggestion`() throws {
    let run = try CurfewProcess.run("simulat", "upload.yaml")
    #expect(run.exitCode == 64)
    #expect(
      run.messages
        == "curfew: error: there is no command 'simulat'; did you mean 'simulate'?\n")
    #expect(
      try CurfewProcess.run("policy", "shw", "ios13").messages
        == "curfew: error: there is no command 'policy shw'; did you mean 'show'?\n")
  }

  @Test func `help for an unknown command is an error, as the command is`() throws {
    for (words, message) in [
      (["loadtst"], "there is no command 'loadtst'; did you mean 'loadtest'?"),
      (["nosuch", "extra"], "there is no command 'nosuch'; the commands are: loadtest, "),
      (["policy", "dif"], "there is no command 'policy dif'; did you mean 'diff'?"),
      (["simulate", "extra"], "there is no command 'simulate extra'"),
    ] {
      let run = try CurfewProcess.run(["help"] + words)
      #expect(run.exitCode == 64 && run.output.isEmpty, "\(words): \(run.output)")
      #expect(run.messages.contains(message), "\(words): \(run.messages)")
    }
    for words in [[], ["loadtest"], ["policy", "diff"]] {
      let run = try CurfewProcess.run(["help"] + words)
      #expect(run.exitCode == 0 && run.messages.isEmpty, "\(words): \(run.messages)")
    }
  }

  /// The help of `report` mentions an option `--out` of another program.
  @Test(arguments: [
    ("loadtest", "--thr", "--threshold"), ("report", "--out", "--output"),
    ("simulate", "--no-l", "--no-lines"),
  ])
  func `the beginning of an option's name suggests the option`(
    _ command: String, _ given: String, _ option: String
  ) throws {
    let run = try CurfewProcess.run(command, given, "early==0")
    #expect(
      run.exitCode == 64
        && run.messages
          == "curfew: error: unknown option '\(given)'. Did you mean '\(option)'?; see 'curfew \(command) --help'\n",
      "\(run.messages)")
  }

  @Test func `a mistyped file gets the nearest name in its folder as a suggestion`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("x".utf8), to: "upload.yaml")
    for command in [
      ["simulate"], ["explain"], ["replay"], ["test"], ["report"], ["sweep"], ["compare"],
      ["policy", "check"], ["policy", "diff", "ios13"], ["merge", "all.sqlite"],
    ] {
      let run = try CurfewProcess.run(command + ["uplaod.yaml"], in: folder)
      #expect(run.exitCode == 4)
      let told = command == ["test"] ? run.output : run.messages
      let line = "uplaod.yaml: error: no such file; did you mean 'upload.yaml'?\n"
      #expect(command == ["test"] ? told.contains(line) : told == line, "\(command): \(told)")
    }
    #expect(
      try CurfewProcess.run("simulate", "upload.yml", in: folder).messages
        == "upload.yml: error: no such file; did you mean 'upload.yaml'?\n")
    // An equal file extension alone does not make a name similar.
    #expect(
      try CurfewProcess.run("simulate", "none.yaml", in: folder).messages
        == "none.yaml: error: no such file\n")
    #expect(
      try CurfewProcess.run("fleet", "phnoe", in: folder).messages
        == "phnoe: error: no such file; did you mean 'phone'?\n")
    #expect(
      try CurfewProcess.run("replay", "nothing.jsonl", in: folder).messages
        == "nothing.jsonl: error: no such file\n")
  }

  // MARK: Times

  @Test func `a timeline cannot begin after the end of the run`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Array(
        """
        curfew: scenario/1
        name: x
        policy: ios13
        apps: {mail: {}}
        timeline:
          - {at: 0s, do: launch, app: mail}
          - {at: 8s, do: home}
        """.utf8), to: "short.yaml")
    let late = try CurfewProcess.run(
      "simulate", "short.yaml", "--from", "3h", "--trace", "t.jsonl", in: folder)
    #expect(late.exitCode == 64 && late.output.isEmpty)
    #expect(
      late.messages
        == "curfew: error: --from 3h: the run ends at 8s, and nothing is known after that\n")
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/t.jsonl"))
    #expect(
      try CurfewProcess.run("simulate", "short.yaml", "--from", "8s", in: folder).exitCode == 0)
  }
}
