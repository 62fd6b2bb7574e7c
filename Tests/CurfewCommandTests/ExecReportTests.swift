#if os(Linux)
  import Foundation
  import Testing

  @testable import CurfewCommand

  /// The file of `curfew exec --report`.
  @Suite struct ExecReportTests {
    private func exit(_ folder: TemporaryFolder, _ name: String = "r.json") throws -> Int? {
      let bytes = Data(try folder.read(name).utf8)
      return (try JSONSerialization.jsonObject(with: bytes) as? [String: Any])?["exit"] as? Int
    }

    @Test func `a report overwrites no file of its run`() throws {
      let folder = try TemporaryFolder()
      func run(_ options: String...) throws -> CurfewProcess {
        try .run(["exec"] + options + ["echo", "ran"], in: folder)
      }
      try folder.write("curfew: policy/1\nname: mine\nextends: server\n", to: "mine.yaml")
      let policy = try folder.read("mine.yaml")
      // The second name is that of the first file, or of a file that does not exist yet.
      try FileManager.default.createSymbolicLink(
        atPath: folder.url.appendingPathComponent("link").path, withDestinationPath: "j.jsonl")
      for report in ["j.jsonl", "./j.jsonl", "link"] {
        let new = try run("--journal", "j.jsonl", "--report", report)
        #expect(new.exitCode == 64 && new.output.isEmpty, "\(report): \(new)")
        let journal = folder.url.appendingPathComponent("j.jsonl").path
        #expect(!FileManager.default.fileExists(atPath: journal), "\(report)")
      }
      #expect(try run("--journal", "j.jsonl", "--report", "r.json").exitCode == 0)
      let journal = try folder.read("j.jsonl")
      for (report, role) in [
        ("j.jsonl", "is the journal"), ("link", "is the journal"), ("mine.yaml", "this run reads"),
      ] {
        let refused = try run(
          "--policy", "./mine.yaml", "--journal", "j.jsonl", "--report", report)
        #expect(
          refused.exitCode == 64 && refused.messages.contains(role) && refused.output.isEmpty,
          "\(report): \(refused)")
      }
      #expect(try folder.read("j.jsonl") == journal && folder.read("mine.yaml") == policy)
      let output = try CurfewProcess.shell(
        #""$0" exec --report out echo ran > out; echo $?"#, in: folder)
      #expect(output.output == "64\n")
    }

    @Test func `a report replaces only an empty file or a report`() throws {
      let folder = try TemporaryFolder()
      let script = """
        printf '#!/bin/sh\\necho ran\\n' > cmd.sh; chmod +x cmd.sh; echo text > in; : > empty
        run() { "$0" exec --report "$@" 2>> said; echo $?; }
        run cmd.sh ./cmd.sh
        run in cat < in
        : > e; "$0" exec --report e true 2> e; echo $?
        : > o; "$0" exec --report /dev/stdout true > o 2>> said; echo $?
        run j.jsonl.1 --journal j.jsonl true
        run j.jsonl.new --journal j.jsonl true
        run empty true; run empty false
        """
      let found = try CurfewProcess.shell(script, in: folder)
      #expect(found.output == "64\n64\n64\n64\n64\n64\n0\n1\n", "\(found)")
      #expect(try folder.read("cmd.sh").contains("echo ran") && folder.read("in") == "text\n")
      #expect(try folder.read("e").contains("would overwrite standard error"))
      #expect(try folder.read("said").contains("neither empty nor a report"))
      #expect(try exit(folder, "empty") == 1)
    }

    @Test func `a journal that is lost while the command runs is told`() throws {
      for (loss, said) in [
        ("rm j.jsonl", "removed or replaced"),
        ("cp j.jsonl c; mv c j.jsonl", "removed or replaced"),
        (": > j.jsonl", "another length"), ("echo x >> j.jsonl", "another length"),
      ] {
        let folder = try TemporaryFolder()
        let words = ["exec", "--journal", "j.jsonl", "sh", "-c"]
        let found = try CurfewProcess.run(words + ["\(loss); exit 3"], in: folder)
        #expect(found.exitCode == 3 && found.messages.contains(said), "\(loss): \(found)")
        let whole = try CurfewProcess.run(words + ["exit 4"], in: folder)
        #expect(whole.exitCode == (loss.hasPrefix("echo") ? 125 : 4), "\(loss): \(whole)")
      }
    }

    @Test func `two runs that write one report leave a whole one`() throws {
      let folder = try TemporaryFolder()
      let script = """
        run() { "$0" exec --journal j.jsonl --report r.json "$@"; }
        run sh -c 'echo; sleep 0.5; exit 3' | {
          read -r
          run true 2> denied; echo $?
          cp r.json second.json
        }
        """
      #expect(try CurfewProcess.shell(script, in: folder).output == "75\n")
      #expect(try exit(folder, "second.json") == 75 && exit(folder) == 3)
    }

    @Test func `a run that fails has a report too`() throws {
      let folder = try TemporaryFolder()
      let words = ["exec", "--journal", "j.jsonl", "--report", "r.json", "sh", "-c", "exit 125"]
      #expect(try CurfewProcess.run(words, in: folder).exitCode == 125)
      #expect(try folder.read("r.json").contains("grantedAt"))
      let lines = try folder.read("j.jsonl").split(separator: "\n")
      let wrong = lines.map { $0.replacing(#""to":"background""#, with: #""to":"active""#) }
      try folder.write(wrong.joined(separator: "\n") + "\n", to: "j.jsonl")
      let damaged = try CurfewProcess.run(words, in: folder)
      #expect(damaged.exitCode == 125)
      #expect(
        damaged.messages.hasPrefix("j.jsonl:5:1: error: the journal is damaged: the trace has {"),
        "\(damaged.messages)")
      #expect(try exit(folder) == 125 && !folder.read("r.json").contains("grantedAt"))
      let missing = try CurfewProcess.run(
        ["exec", "--report", "r.json", "no-such-command"], in: folder)
      #expect(missing.exitCode == 127 && !missing.messages.isEmpty)
      #expect(try exit(folder) == 127 && !folder.read("r.json").contains("promise"))
    }

    @Test func `a journal between two runs is a whole trace for each command that reads it`() throws
    {
      let folder = try TemporaryFolder()
      try folder.write(
        "curfew: policy/1\nname: mine\nextends: server\nwakes: {job: {length: 9m}}\n",
        to: "mine.yaml")
      let words = ["exec", "--policy", "mine.yaml", "--journal", "j.jsonl"]
      #expect(try CurfewProcess.run(words + ["sh", "-c", "exit 3"], in: folder).exitCode == 3)
      #expect(try CurfewProcess.run("replay", "j.jsonl", in: folder).exitCode == 4)
      let replay = try CurfewProcess.run(
        "replay", "j.jsonl", "--policy", "mine.yaml", in: folder)
      #expect(replay.exitCode == 0 && replay.output.hasSuffix(": the same\n"), "\(replay)")
      let report = try CurfewProcess.run(
        "report", "j.jsonl", "--policy", "mine.yaml", in: folder)
      #expect(report.exitCode == 0 && report.messages.isEmpty, "\(report.messages)")
      #expect(!report.output.contains("was cut") && !report.output.contains("none: cut"))
      let why = try CurfewProcess.run(
        "explain", "j.jsonl", "--policy", "mine.yaml", "--at", "1h", in: folder)
      #expect(why.exitCode == 64 && why.messages.contains(": the run ends at "), "\(why)")
    }

    @Test func `a signal that ends the wait for a journal has a report`() throws {
      let folder = try TemporaryFolder()
      let script = """
        "$0" exec --journal j.jsonl sh -c 'echo; until [ -e over ]; do sleep 0.01; done' | {
          read -r
          env --default-signal=HUP "$0" exec --journal j.jsonl --wait 60s --report r.json true &
          until [ -e r.json ]; do sleep 0.01; done
          sleep 0.3; kill -HUP $!; wait $!; echo $?
          touch over
        }
        """
      #expect(try CurfewProcess.shell(script, in: folder).output == "129\n")
      #expect(try exit(folder) == 129)
    }
  }
#endif
