import Foundation
import TestRuns
import Testing

#if os(Linux)
  /// If the reader closes the pipe or the disk for the results is full, a run ends at once. Its
  /// exit code states the cause, and everything written so far is kept.
  @Suite(.inTurn) struct LostOutputTests {
    /// A scenario with a fetch every second for centuries, which prints more lines than any
    /// test reads.
    private static let endless = """
      curfew: scenario/1
      name: Endless
      policy: often.yaml
      until: 100000d
      apps:
        mail: {backgroundModes: [fetch], on: {fetch: [{do: completeWake, result: newData}]}}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: setMinimumFetchInterval, app: mail, interval: 0s}
        - {at: 2s, do: home}

      """
    /// The same scenario without output lines, because the app stays in the foreground.
    private static let silent = endless.replacingOccurrences(
      of: "  - {at: 2s, do: home}\n", with: "")

    private func folder() throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      let often =
        "curfew: policy/1\nname: often\nextends: ios13\nwakes: {fetch: {alignment: none, minimumInterval: none}}\n"
      try folder.write(often, to: "often.yaml")
      try folder.write(Self.endless, to: "endless.yaml")
      try folder.write(Self.silent, to: "silent.yaml")
      return folder
    }

    /// Runs `script` in bash with `pipefail`, which `sh` lacks on some systems.
    private func shell(_ script: String, in folder: TemporaryFolder) throws -> CurfewProcess {
      try folder.write(
        "set -o pipefail\ncurfew() { \"$CURFEW\" \"$@\"; }\n\(script)\n", to: "script.bash")
      return try CurfewProcess.shell(#"CURFEW="$0" exec timeout 100 bash script.bash"#, in: folder)
    }

    /// Whether a trace that was cut off consists of complete lines that replay.
    private func hasWholeLines(_ trace: String, in folder: TemporaryFolder) throws -> Bool {
      let lines = try folder.read(trace).split(separator: "\n", omittingEmptySubsequences: false)
      let run = try CurfewProcess.run("replay", trace, "--policy", "often.yaml", in: folder)
      return lines.count > 10 && lines.last == "" && run.exitCode == 7
    }

    @Test(
      .timeLimit(.minutes(30)),
      arguments: [
        "curfew simulate endless.yaml | head -1", "curfew simulate endless.yaml | true",
        "curfew simulate endless.yaml --json | true",
        "curfew simulate silent.yaml | head -1", "curfew simulate silent.yaml --json | true",
        "curfew simulate endless.yaml --trace /dev/stdout | head -1",
        "curfew simulate endless.yaml --json --trace /dev/stdout | head -1",
        "curfew simulate endless.yaml 2>&1 | head -1", "curfew simulate - < endless.yaml | head -1",
        "curfew simulate endless.yaml --json --trace >(head -1 > /dev/null)",
        "curfew simulate silent.yaml > all.txt --trace >(head -1 > /dev/null)",
        "mkfifo pipe; head -1 pipe > /dev/null & curfew simulate endless.yaml --json --trace pipe",
      ])
    func `a reader that goes away ends the run as SIGPIPE would`(_ script: String) throws {
      let folder = try folder()
      let run = try shell(script, in: folder)
      #expect(run.exitCode == 141, "\(run.exitCode) \(run.messages)")
      #expect(
        run.messages.isEmpty && run.output.split(separator: "\n").count <= 1,
        "\(run.messages)\(run.output)")
    }

    @Test(.timeLimit(.minutes(30)))
    func `a trace in another file keeps the lines written so far, and replays`() throws {
      let folder = try folder()
      #expect(
        try shell("curfew simulate endless.yaml --trace t.jsonl | head -3", in: folder).exitCode
          == 141)
      #expect(try hasWholeLines("t.jsonl", in: folder))
      #expect(
        try shell("curfew simulate endless.yaml --trace f.jsonl > /dev/full", in: folder).exitCode
          == 1)
      #expect(try hasWholeLines("f.jsonl", in: folder))
    }

    @Test(.timeLimit(.minutes(30)))
    func `printed output is kept when the trace's reader goes away`() throws {
      let folder = try folder()
      let run = try shell("curfew simulate endless.yaml --trace >(head -1 > /dev/null)", in: folder)
      #expect(
        run.exitCode == 141 && run.output.hasSuffix("\n")
          && run.output.contains("wake 1 fetch delivered"))
    }

    @Test(
      .timeLimit(.minutes(30)),
      arguments: [
        ("simulate endless.yaml > /dev/full", "standard output"),
        ("simulate silent.yaml > /dev/full", "standard output"),
        ("simulate endless.yaml --json --trace /dev/full", "/dev/full"),
        ("simulate silent.yaml --json --trace /dev/full", "/dev/full"),
        ("--help > /dev/full", "standard output"),
        ("loadtest --help > /dev/full", "standard output"),
        ("help replay > /dev/full", "standard output"),
        ("--version > /dev/full", "standard output"),
      ])
    func `a full disk ends the run with exit code 1 and the name of the file`(
      _ arguments: String, _ file: String
    )
      throws
    {
      let run = try shell("curfew \(arguments)", in: try folder())
      #expect(run.exitCode == 1)
      #expect(
        run.told == ["\(file): error: cannot write it: No space left on device"], "\(run.messages)")
    }

    @Test(.timeLimit(.minutes(30))) func `a trace that grows too large ends with a whole line`()
      throws
    {
      let folder = try folder()
      let run = try shell(
        "ulimit -f 20; curfew simulate endless.yaml --json --trace t.jsonl", in: folder)
      #expect(
        run.exitCode == 1 && run.told == ["t.jsonl: error: cannot write it: File too large"],
        "\(run.messages)")
      #expect(try folder.read("t.jsonl").utf8.count > 5_000)
      #expect(try hasWholeLines("t.jsonl", in: folder))
    }

    @Test(.timeLimit(.minutes(30)))
    func `two losses are both reported, and a full disk takes precedence over a lost reader`()
      throws
    {
      let run = try shell("curfew simulate endless.yaml --trace /dev/full | true", in: try folder())
      #expect(run.exitCode == 1 || run.exitCode == 141)
      let both = try shell(
        "curfew simulate silent.yaml --trace /dev/full > /dev/full", in: try folder())
      #expect(
        both.exitCode == 1 && both.messages.split(separator: "\n").count == 2, "\(both.messages)")
    }

    @Test(.timeLimit(.minutes(30))) func `closing standard error does not end the run`() throws {
      let folder = try folder()
      try folder.write(Scenarios.upload, to: "upload.yaml")
      let script =
        "for i in 1 2 3; do curfew simulate upload.yaml 2> >(true) || exit; done; sleep 0.2; curfew simulate upload.yaml 2>&-"
      #expect(try shell(script, in: folder).exitCode == 0)
      #expect(
        try shell("curfew simulate bad.yaml 2> >(exec true); echo $?", in: folder).output == "4\n")
      #expect(
        try shell("curfew simulate bad.yaml 2> /dev/full; echo $?", in: folder).output == "4\n")
    }

    @Test(.timeLimit(.minutes(30)))
    func `a replay ends at any point if its reader is gone`() throws {
      let folder = try folder()
      // Records until more lines than fit into a pipe are there, however slow the machine is.
      _ = try shell(
        """
        "$CURFEW" simulate endless.yaml --json --trace long.jsonl &
        until [ "$(head -c 1000000 long.jsonl 2> /dev/null | wc -c)" = 1000000 ]; do sleep 0.05; done
        kill -INT $!
        wait
        """, in: folder)
      #expect(
        try shell("curfew replay long.jsonl --policy often.yaml | true", in: folder).exitCode == 141
      )
      #expect(
        try shell("curfew replay - --policy often.yaml < long.jsonl | true", in: folder).exitCode
          == 141)
      try folder.write(Scenarios.upload, to: "upload.yaml")
      _ = try CurfewProcess.run("simulate", "upload.yaml", "--trace", "short.jsonl", in: folder)
      let lost = try shell("curfew replay short.jsonl > /dev/full", in: folder)
      #expect(
        lost.exitCode == 1
          && lost.messages == "standard output: error: cannot write it: No space left on device\n")
      #expect(
        try shell("(sleep 0.3; curfew replay short.jsonl) | true", in: folder).exitCode == 141)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a load test runs to its end and writes its files, whichever output is lost`() throws {
      let folder = try folder()
      let short = "curfew loadtest --apps 50 --for 600ms --segments 1 --visits 200"
      let gone = try shell("\(short) --trace t.jsonl --hgrm t.hgrm | true", in: folder)
      // The verdict on this machine's run is printed first and does not matter here.
      func losses(_ run: CurfewProcess) -> [Substring] {
        run.messages.split(separator: "\n").filter { !$0.hasPrefix("curfew: ") }
      }
      #expect(gone.exitCode == 141 && losses(gone).isEmpty, "\(gone.messages)")
      #expect(try CurfewProcess.run("replay", "t.jsonl", in: folder).exitCode == 0)
      #expect(try folder.read("t.hgrm").contains("#[Max"))
      let full = try shell("\(short) --trace /dev/full --hgrm f.hgrm > /dev/full", in: folder)
      let lost = ": error: cannot write it: No space left on device"
      #expect(
        full.exitCode == 1 && losses(full) == ["standard output\(lost)", "/dev/full\(lost)"],
        "\(full.messages)")
      #expect(try folder.read("f.hgrm").contains("#[Max"))
      let read = try shell("\(short) --trace >(head -1 > /dev/null)", in: folder)
      #expect(
        read.exitCode == 141 && read.output.contains("expirations expected"), "\(read.messages)")
    }

    @Test func `help ends like any other output if its reader is gone`() throws {
      let folder = try folder()
      #expect(
        try shell("curfew --help | head -1", in: folder).exitCode == 0, "it fits into the pipe")
      #expect(try shell("(sleep 0.3; curfew --help) | true", in: folder).exitCode == 141)
    }

    @Test
    func `a trace to standard output and the printed text do not overwrite each other`()
      throws
    {
      let folder = try folder()
      try folder.write(Scenarios.upload, to: "upload.yaml")
      let script =
        "curfew simulate upload.yaml --json > a.txt; curfew simulate upload.yaml --json --trace /dev/stdout > b.txt; "
      #expect(
        try shell(
          script + "curfew simulate upload.yaml --json --trace c.jsonl > /dev/null", in: folder
        ).exitCode == 0)
      let (lines, summary) = (try folder.read("c.jsonl"), try folder.read("a.txt"))
      #expect(try folder.read("b.txt") == lines + summary)
    }

    @Test func `the reader of a non-blocking pipe gets the whole output`() throws {
      let folder = try folder()
      // A slow program owns both ends of the pipe and has set the write end to non-blocking.
      let script = """
        import os, subprocess, sys, time, fcntl
        r, w = os.pipe()
        fcntl.fcntl(w, fcntl.F_SETFL, os.O_NONBLOCK)
        p = subprocess.Popen([os.environ["CURFEW"], "simulate", "--trace", "/dev/fd/%d" % w, "--json"], stdout=w, pass_fds=[w])
        os.close(w)
        size = 0
        while True:
          block = os.read(r, 4096)
          if not block: break
          size += len(block)
          time.sleep(0.001)
        print(p.wait(), size)
        """
      try folder.write(script, to: "slow.py")
      let run = try shell(
        "command -v python3 > /dev/null || { echo 0 none; exit; }; python3 slow.py", in: folder)
      #expect(run.output.hasPrefix("0 "), "\(run.output)\(run.messages)")
    }
  }
#endif
