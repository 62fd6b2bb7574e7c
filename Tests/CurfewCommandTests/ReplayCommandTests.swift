import CurfewPolicy
import Foundation
import TestRuns
import Testing

/// `curfew replay`: the same run, or the first difference.
@Suite(.inTurn) struct ReplayCommandTests {
  /// A folder with `t.jsonl`, the trace of an upload.
  private func recorded(under policy: String = "ios13") throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    #expect(
      try CurfewProcess.run(
        "simulate", "upload.yaml", "--policy", policy, "--trace", "t.jsonl", in: folder
      ).exitCode == 0)
    return folder
  }

  private func object(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  @Test func `the trace of the day replays without a difference`() throws {
    let folder = try TemporaryFolder()
    _ = try CurfewProcess.run("simulate", "--json", "--trace", "day.jsonl", in: folder)
    let run = try CurfewProcess.run("replay", "day.jsonl", in: folder)
    #expect(run.exitCode == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(
      run.output.wholeMatch(
        of:
          /replayed [0-9],[0-9]{3} lines \([0-9,]+ events, [0-9,]+ advances\) under ios13: the same\n/
      ) != nil,
      "\(run.output)")
  }

  @Test func `a trace may also come from standard input`() throws {
    let folder = try recorded()
    let run = try CurfewProcess.run("replay", "-", in: folder, input: "t.jsonl")
    #expect(run.exitCode == 0 && run.output.hasSuffix("under ios13: the same\n"), "\(run.messages)")
    let cut = String(try folder.read("t.jsonl").dropLast(20))
    try folder.write(cut, to: "cut.jsonl")
    let refused = try CurfewProcess.run("replay", "-", in: folder, input: "cut.jsonl")
    #expect(
      refused.exitCode == 4 && refused.messages.hasPrefix("standard input:"), "\(refused.messages)")
  }

  @Test func `a trace without its end is compared up to its last line, and is not complete`()
    throws
  {
    let folder = try recorded()
    let lines = try folder.read("t.jsonl").split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    let leaving = try #require(
      lines.firstIndex { $0.contains(#""from":"active","to":"inactive""#) })
    // Cut before the app leaves the foreground, and in the middle of that step.
    for count in [leaving, leaving + 1] {
      try folder.write(lines[..<count].joined(separator: "\n") + "\n", to: "cut.jsonl")
      let cut = try CurfewProcess.run("replay", "cut.jsonl", in: folder)
      #expect(
        cut.exitCode == 7 && cut.output.hasPrefix("replayed \(count) lines "), "\(cut.output)")
      #expect(
        cut.output.hasSuffix(
          "the same up to its last line, but it has no end: the run or the trace was cut\n"))
      let json = try object(
        try CurfewProcess.run("replay", "--json", "cut.jsonl", in: folder).output)
      #expect(json["ending"] as? String == "cut" && json["line"] as? Int == count)
    }
  }

  @Test func `a difference is shown with both sides, and the command exits with 5`() throws {
    let folder = try recorded()
    let text = try folder.read("t.jsonl")
    let lines = text.split(separator: "\n").map(String.init)
    let line = try #require(lines.firstIndex { $0.contains(#""type":"expiration""#) })
    let altered = lines[line].replacingOccurrences(of: "timeLimit", with: "thermal")
    try folder.write(text.replacingOccurrences(of: lines[line], with: altered), to: "altered.jsonl")
    let run = try CurfewProcess.run("replay", "altered.jsonl", in: folder)
    #expect(run.exitCode == 5 && run.messages.isEmpty)
    #expect(
      run.output
        == "altered.jsonl:\(line + 1): different under ios13\n  trace   \(altered)\n  engine  \(lines[line])\n"
    )

    let json = try object(
      try CurfewProcess.run("replay", "--json", "altered.jsonl", in: folder).output)
    #expect(json["curfew"] as? String == "replay/2" && json["ending"] as? String == "different")
    let difference = try #require(json["difference"] as? [String: Any])
    #expect(difference["line"] as? Int == line + 1)
    #expect(
      difference["trace"] as? String == altered && difference["engine"] as? String == lines[line])

    try folder.write(
      (lines.dropLast(2) + lines.suffix(1)).joined(separator: "\n"), to: "short.jsonl")
    let short = try CurfewProcess.run("replay", "short.jsonl", in: folder)
    #expect(short.exitCode == 5)
    #expect(
      short.output.contains("short.jsonl:\(lines.count - 1): different")
        && short.output.contains("  engine  \(lines[lines.count - 2])\n"))
  }

  @Test func `the result as JSON names its version, its policy and what was replayed`() throws {
    let folder = try recorded()
    let run = try CurfewProcess.run("replay", "--json", "t.jsonl", in: folder)
    let json = try object(run.output)
    let lines = try folder.read("t.jsonl").split(separator: "\n").count - 1
    #expect(json["curfew"] as? String == "replay/2" && json["ending"] as? String == "same")
    #expect(
      json["name"] as? String == "An upload" && json["policy"] as? String == "ios13"
        && json["seed"] as? String == "0")
    #expect(
      json["lines"] as? Int == lines && json["advances"] as? Int == 2 && json["clock"] == nil
        && json["difference"] == nil)
  }

  @Test func `a custom policy is found only with --policy`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "curfew: policy/1\nname: own\nextends: ios13\ntasks: {grant: 40s}\n", to: "own.yaml")
    try folder.write(Scenarios.upload, to: "upload.yaml")
    _ = try CurfewProcess.run(
      "simulate", "upload.yaml", "--policy", "own.yaml", "--trace", "t.jsonl", in: folder)
    let refused = try CurfewProcess.run("replay", "t.jsonl", in: folder)
    #expect(refused.exitCode == 4 && refused.output.isEmpty)
    let message =
      "t.jsonl:1:1: error: recorded under the policy 'own', which is not built in; name its file with --policy\n"
    #expect(refused.messages == message, "\(refused.messages)")
    let run = try CurfewProcess.run("replay", "t.jsonl", "--policy", "own.yaml", in: folder)
    #expect(
      run.exitCode == 0 && run.messages.isEmpty && run.output.hasSuffix("under own: the same\n"),
      "\(run.messages)")
    #expect(
      try CurfewProcess.run("replay", "t.jsonl", "--policy", "none.yaml", in: folder).exitCode == 4)
  }

  @Test
  func `another digest is refused unless --policy names a policy, and then a warning reports it`()
    throws
  {
    let folder = try recorded()
    let text = try folder.read("t.jsonl")
    let digest = try #require(
      try object(String(text.prefix { $0 != "\n" }))["policyDigest"] as? String)
    try folder.write(
      text.replacingOccurrences(of: digest, with: "0123456789abcdef"), to: "old.jsonl")
    let refused = try CurfewProcess.run("replay", "old.jsonl", in: folder)
    #expect(refused.exitCode == 4 && refused.output.isEmpty)
    #expect(
      refused.messages.hasPrefix(
        "old.jsonl:1:1: error: recorded under a policy 'ios13' (digest 0123456789abcdef)"))
    #expect(
      refused.messages.contains("--policy ios13") && refused.messages.contains(digest),
      "\(refused.messages)")
    let run = try CurfewProcess.run("replay", "old.jsonl", "--policy", "ios13", in: folder)
    #expect(run.exitCode == 0 && run.output.hasSuffix("under ios13: the same\n"))
    #expect(
      run.messages.hasPrefix(
        "old.jsonl:1:1: warning: recorded under 'ios13' (digest 0123456789abcdef), replayed under 'ios13'"
      ))
    let other = try CurfewProcess.run("replay", "t.jsonl", "--policy", "ios7", in: folder)
    #expect(
      other.exitCode == 5 && other.output.contains("different under ios7")
        && other.messages.contains("warning: "))
  }

  /// A launch in real time.
  private static let realTime = """
    {"t":5,"app":"a","type":"event","do":"launch"}
    {"t":5,"app":"a","type":"state","from":"notRunning","to":"inactive"}
    {"t":5,"app":"a","type":"callback","name":"application:willFinishLaunchingWithOptions:"}
    {"t":5,"app":"a","type":"event","do":"begin","callback":"willFinishLaunching"}
    {"t":5,"app":"a","type":"event","do":"return","callback":"willFinishLaunching"}
    {"t":5,"app":"a","type":"callback","name":"application:didFinishLaunchingWithOptions:"}
    {"t":5,"app":"a","type":"event","do":"begin","callback":"didFinishLaunching"}
    {"t":5000000007,"type":"advance"}
    {"t":5000000007,"app":"a","type":"diagnostic","name":"slowLaunch"}
    {"t":5000000007,"type":"end"}

    """

  private func header(_ folder: TemporaryFolder) throws -> String {
    let digest = try #require(
      try object(String(try folder.read("t.jsonl").prefix { $0 != "\n" }))["policyDigest"]
        as? String)
    return
      #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"\#(digest)","seed":0,"clock":"monotonic"}"#
      + "\n"
  }

  @Test func `a trace of real time replays with its advances`() throws {
    let folder = try recorded()
    try folder.write(try header(folder) + Self.realTime, to: "real.jsonl")
    let run = try CurfewProcess.run("replay", "real.jsonl", in: folder)
    #expect(
      run.exitCode == 0
        && run.output == "replayed 11 lines (4 events, 1 advance) under ios13: the same\n",
      "\(run.messages)")
    let json = try object(
      try CurfewProcess.run("replay", "real.jsonl", "--json", in: folder).output)
    #expect(
      json["clock"] as? String == "monotonic" && json["advances"] as? Int == 1
        && json["events"] as? Int == 4)
    let early = Self.realTime.replacingOccurrences(of: "5000000007", with: "5000000004")
    try folder.write(try header(folder) + early, to: "early.jsonl")
    let different = try CurfewProcess.run("replay", "early.jsonl", in: folder)
    #expect(
      different.exitCode == 5 && different.output.contains("early.jsonl:9: ")
        && different.output.contains("  engine  {\"t\":5000000005,\"type\":\"advance\"}"),
      "\(different.output)")
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(30))) func `Ctrl-C ends a replay, which reports the last line`()
      throws
    {
      let folder = try recorded()
      let probe = #"{"t":5,"app":"a","type":"event","do":"probe"}"# + "\n"
      let answer =
        #"{"t":5,"app":"a","type":"diagnostic","name":"illegalEvent","do":"probe"}"# + "\n"
      try folder.write(
        try header(folder) + String(repeating: probe + answer, count: 300_000), to: "long.jsonl")
      let run = try CurfewProcess.run("replay", "long.jsonl", in: folder) { process in
        try process.interruptWhenHeard()
      }
      #expect(run.exitCode == 130 && run.output.isEmpty)
      #expect(run.messages.hasPrefix("curfew: interrupted"), "\(run.messages)")
    }
  #endif

  // MARK: Bad input

  private static let digest = try! PolicyFile.load("ios13").digest
  private static let head =
    #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"\#(digest)","seed":0,"apps":["a","b"]}"#
    + "\n"
  private static let lock = #"{"t":4,"type":"event","do":"lock"}"# + "\n"

  static let cases: [BadInputTests.Case] = [
    .init("a missing file", bytes: nil, "bad.jsonl: error: no such file"),
    .init("an empty file", "", "bad.jsonl:1:1: error: the file is empty"),
    .init(
      "binary junk", bytes: [0x7B, 0xFF, 0x00, 0x7D],
      "bad.jsonl:1:2: error: not a text file: the byte 0xFF is not UTF-8"),
    .init(
      "a scenario", Scenarios.upload, "bad.jsonl:1:1: error: not a trace line: curfew: scenario/1"
    ),
    .init("JSON, and no trace", "{}\n", "bad.jsonl:1:1: error: a trace begins with a header"),
    .init(
      "of another version", #"{"curfew":"trace/9","name":"x"}"#,
      "bad.jsonl:1:1: error: expected 'trace/2', found 'trace/9'"),
    .init(
      "of the version before", #"{"curfew":"trace/1","name":"x"}"#,
      "bad.jsonl:1:1: error: trace/1 lacks values that a replay needs"),
    .init("without its header", lock, "bad.jsonl:1:1: error: a trace begins with a header"),
    .init(
      "broken JSON", head + lock + "{\"t\":4,,}\n",
      "bad.jsonl:3:1: error: not a trace line: {\"t\":4,,}"),
    .init(
      "cut off", head + lock + #"{"t":4,"type":"ev"#,
      "bad.jsonl:3:1: error: the last line is cut off: {\"t\":4,\"type\":\"ev"),
    .init(
      "of an unknown type", head + #"{"t":4,"type":"leap"}"#,
      "bad.jsonl:2:1: error: 'type' has the unknown value 'leap'"),
    .init(
      "of an unknown verb", head + #"{"t":4,"type":"event","do":"dance"}"#,
      "bad.jsonl:2:1: error: 'do' has the unknown value 'dance'"),
    .init(
      "with a wrong type of value", head + #"{"t":"4","type":"event","do":"lock"}"#,
      "bad.jsonl:2:1: error: not a trace line: "),
    .init(
      "going back in time", head + lock + #"{"t":3,"type":"event","do":"unlock"}"#,
      "bad.jsonl:3:1: error: time goes backwards, from 4 to 3"),
    .init(
      "of an app that is not in its header",
      head + #"{"t":4,"app":"c","type":"event","do":"launch"}"#,
      "bad.jsonl:2:1: error: the app 'c' is not one of the header's 'apps'"),
    .init(
      "going on after its end", head + #"{"t":4,"type":"end"}"# + "\n" + lock,
      "bad.jsonl:3:1: error: a line after the end"),
    .init(
      "deeply nested", head + #"{"t":4,"x":"# + String(repeating: "[", count: 100_000),
      "bad.jsonl:2:1: error: "),
  ]

  @Test(.timeLimit(.minutes(30)), arguments: cases)
  func `a bad trace is an error with its place`(_ example: BadInputTests.Case) throws {
    let folder = try TemporaryFolder()
    if let bytes = example.bytes { try folder.write(bytes, to: "bad.jsonl") }
    let run = try CurfewProcess.run("replay", "bad.jsonl", in: folder)
    #expect(run.exitCode == 4)
    #expect(run.messages.hasPrefix(example.message), "found \(run.messages)")
    #expect(run.output.isEmpty)
  }

  @Test func `a missing file exits with 4, and wrong usage with 64`() throws {
    let folder = try CurfewProcess.run("replay", "/")
    #expect(folder.exitCode == 4 && folder.messages.contains("/: error: it is a directory"))
    #expect(try CurfewProcess.run("replay", "-", input: "/").exitCode == 4)
    #expect(try CurfewProcess.run("replay").exitCode == 64)
    #expect(try CurfewProcess.run("replay", "a", "b").exitCode == 64)
  }

  #if os(Linux)
    @Test func `a lost result is reported as a failure`() throws {
      let folder = try recorded()
      let run = try CurfewProcess.run("replay", "t.jsonl", in: folder, output: "/dev/full")
      #expect(
        run.exitCode == 1 && run.messages.contains("standard output: error: cannot write it: "))
    }
  #endif
}
