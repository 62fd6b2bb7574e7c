import CurfewLoadTest
import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

@testable import CurfewCommand

/// Output for programs has a schema and follows it.
///
/// To rewrite the schema files after a change to the
/// declarations: `CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests`
@Suite(.inTurn) struct ResultSchemaTests {
  enum Kind: String, CaseIterable {
    case simulate, figures, test, replay, loadtest, message, explain, why, sweep, exec, doctor
    case comparison = "compare"
    case policyList = "policy-list"
    case policyShow = "policy-show"
    case policyCheck = "policy-check"
    case policyDiff = "policy-diff"

    var schema: String {
      switch self {
      case .simulate:
        SimulationResult.form.schema(title: "Curfew: what `curfew simulate --json` prints")
      case .figures:
        FigureResult.form.schema(title: "Curfew: what `curfew fleet WORKLOAD --json` prints")
      case .test: TestRun.form.schema(title: "Curfew: what `curfew test --json` prints")
      case .replay: ReplayResult.form.schema(title: "Curfew: what `curfew replay --json` prints")
      case .policyList:
        PolicyList.form.schema(title: "Curfew: what `curfew policy list --json` prints")
      case .policyShow:
        PolicyShow.form.schema(title: "Curfew: what `curfew policy show --json` prints")
      case .policyCheck:
        CheckResult.form.schema(title: "Curfew: what `curfew policy check --json` prints")
      case .policyDiff:
        DiffResult.form.schema(title: "Curfew: what `curfew policy diff --json` prints")
      case .explain: ExplainResult.form.schema(title: "Curfew: what `curfew explain --json` prints")
      case .why: WhyResult.form.schema(title: "Curfew: what `curfew explain FILE --json` prints")
      case .sweep: SweepResult.form.schema(title: "Curfew: what `curfew sweep --json` prints")
      case .comparison:
        ComparedVariants.form.schema(title: "Curfew: what `curfew compare --json` prints")
      case .loadtest: LoadTestReport.jsonSchema
      case .exec: ExecResult.form.schema(title: "Curfew: what `curfew exec --report` writes")
      case .doctor: DoctorResult.form.schema(title: "Curfew: what `curfew doctor --json` prints")
      case .message:
        Message.form.schema(title: "Curfew: what commands say on standard error under --json")
      }
    }

    func complaints(about line: some StringProtocol) throws -> [String] {
      let schema = try #require(
        try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
      return TestSupport.complaints(
        about: try JSONSerialization.jsonObject(with: Data(line.utf8)), against: schema)
    }
  }

  @Test(arguments: Kind.allCases)
  func `the schema in the documentation is the one that the declarations give`(_ kind: Kind) throws
  {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent(
      "Documentation/schemas/\(kind.rawValue).schema.json")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_SCHEMAS"] != nil {
      try Data(kind.schema.utf8).write(to: file)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == kind.schema,
      "CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests writes it again"
    )
  }

  @Test func `output of simulate follows its schema for the shipped scenarios`() throws {
    let day = try CurfewProcess.run("simulate", "--json")
    #expect(try Kind.simulate.complaints(about: day.output) == [])
    for path in Campaign.some(5, of: TimelineTests.shipped) {
      let run = try CurfewProcess.run("simulate", path, "--json")
      #expect(try Kind.simulate.complaints(about: run.output) == [], "\(path)")
    }
  }

  @Test func `figures of a workload and of a scenario follow their schema`() throws {
    let workload = try CurfewProcess.run("fleet", "phone", "--for", "3h", "--json")
    #expect(workload.exitCode == 0 && workload.messages.isEmpty, "\(workload.messages)")
    #expect(try Kind.figures.complaints(about: workload.output) == [])
    let scenario = try CurfewProcess.run("simulate", "--stats", "--json")
    #expect(try Kind.figures.complaints(about: scenario.output) == [])
  }

  @Test func `output of test follows its schema, whether files pass, fail or are invalid`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Scenarios.upload + "\nexpect:\n  - {at: 35s, expiration: upload}\n  - {never: end}\n",
      to: "a.yaml")
    try folder.write(Scenarios.upload + "\nexpect:\n  - {never: ends}\n", to: "b.yaml")
    let run = try CurfewProcess.run("test", "--json", in: folder)
    #expect(run.exitCode == 4)
    #expect(try Kind.test.complaints(about: run.output) == [], "\(run.output)")
    for line in run.messages.split(separator: "\n") {
      #expect(try Kind.message.complaints(about: line) == [], "\(line)")
    }
    let shipped = try CurfewProcess.run(
      "test", TimelineTests.repository.appendingPathComponent("Policies").path, "--json",
      "--threshold",
      "ios3.rows>=100%,ios4.rows>=100%,ios7.rows>=100%,ios13.rows>=100%,android14.rows>=100%,car.rows>=100%,server.rows>=100%"
    )
    #expect(shipped.exitCode == 0)
    #expect(try Kind.test.complaints(about: shipped.output) == [])
  }

  @Test func `reports of exec and of doctor follow their schemas`() throws {
    let folder = try TemporaryFolder()
    for options in [[], ["--policy-set", "facts.draining.unset=true"]] {
      _ = try CurfewProcess.run(
        ["exec"] + options + ["--report", "report.json", "true"], in: folder)
      #expect(try Kind.exec.complaints(about: folder.read("report.json")) == [])
    }
    #expect(
      try Kind.doctor.complaints(about: CurfewProcess.run("doctor", "--json").output) == [])
  }

  @Test func `an invalid result has complaints`() throws {
    let day = try CurfewProcess.run("simulate", "--json").output
    for (good, bad) in [
      (#""ending":"until""#, #""ending":"done""#), (#""launches":"#, #""starts":"#),
      (#""seed":0"#, #""seed":"0""#),
      (#""seed":0"#, #""seed":true"#),
      (#""t":""#, #""t":"-"#), (#""total":{"#, #""total":[{}],"x":{"#),
    ] {
      let broken = day.replacingOccurrences(of: good, with: bad)
      #expect(broken != day)
      #expect(try Kind.simulate.complaints(about: broken) != [], "\(bad)")
    }
  }

  @Test
  func `output of replay follows its schema, whether the trace is the same, different or cut`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    _ = try CurfewProcess.run("simulate", "upload.yaml", "--trace", "same.jsonl", in: folder)
    let lines = try folder.read("same.jsonl").split(separator: "\n")
    try folder.write(lines.dropLast().joined(separator: "\n") + "\n", to: "cut.jsonl")
    try folder.write(
      lines.joined(separator: "\n").replacingOccurrences(
        of: #""to":"active""#, with: #""to":"inactive""#), to: "different.jsonl")
    for (name, code) in [("same", 0), ("cut", 7), ("different", 5)] {
      let run = try CurfewProcess.run("replay", "\(name).jsonl", "--json", in: folder)
      #expect(run.exitCode == Int32(code), "\(name): \(run.messages)")
      #expect(try Kind.replay.complaints(about: run.output) == [], "\(run.output)")
    }
  }

  @Test func `output of the policy commands follows their schemas`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "curfew: policy/1\nname: x\nextends: ios13\ntasks: {grant: 40, length: 5s}\n", to: "bad.yaml")
    for (kind, arguments) in [
      (Kind.policyList, ["list"]), (.policyShow, ["show", "ios13"]),
      (.policyShow, ["show", "ios3"]),
      (.policyCheck, ["check", "bad.yaml", "none.yaml", "ios7"]),
      (.policyDiff, ["diff", "ios4", "ios13"]),
      (.policyDiff, ["diff", "ios13", "ios13"]),
    ] {
      let run = try CurfewProcess.run(["policy"] + arguments + ["--json"], in: folder)
      #expect(try kind.complaints(about: run.output) == [], "\(arguments): \(run.output)")
    }
  }

  @Test func `output of a load test follows its schema`() throws {
    let run = try CurfewProcess.run(
      "loadtest", "--json", "--apps", "100", "--visits", "50", "--for", "1s", "--segments", "2",
      "--time-scale", "0.002", "--threshold",
      "early==0,lost==0")
    #expect(try Kind.loadtest.complaints(about: run.output) == [], "\(run.output)\(run.messages)")
    for line in run.messages.split(separator: "\n") {
      #expect(try Kind.message.complaints(about: line) == [], "\(line)")
    }
  }

  @Test(arguments: [
    (["simulate", "none.yaml", "--json"], 4, #""message":"no such file","file":"none.yaml"}"#),
    (
      ["simulate", "bad.yaml", "--json"], 4,
      #""file":"bad.yaml","line":1,"column":9,"endColumn":18}"#
    ),
    (
      ["simulate", "--json", "--zzzzzz"], 64,
      #""message":"unknown option '--zzzzzz'; see 'curfew simulate --help'"}"#
    ),
    (
      ["replay", "--json"], 64,
      #""message":"missing expected argument '<trace>'; see 'curfew replay --help'"}"#
    ),
    (
      ["loadtest", "--json", "--apps", "0"], 64,
      #""message":"0 apps; 1 to 1,000,000 are possible"}"#
    ),
    (["simulate", "--json", "--trace", "/no/such/t"], 1, #""file":"/no/such/t"}"#),
    (["--json"], 64, "see 'curfew --help'"),
  ]) func `under --json each message is a separate object`(
    _ arguments: [String], _ code: Int, _ ending: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write("curfew: nothing/1\n", to: "bad.yaml")
    let run = try CurfewProcess.run(arguments, in: folder)
    #expect(run.exitCode == Int32(code) && run.messages.contains(ending), "\(run.messages)")
    let lines = run.messages.split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines { #expect(try Kind.message.complaints(about: line) == [], "\(line)") }
  }
}
