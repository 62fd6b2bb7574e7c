import CurfewAnalysis
import CurfewEngine
import CurfewText
import TestRuns
import TestSupport
import Testing

@testable import CurfewPolicy

/// A value that a program sets acts like the same value written in a child file.
@Suite(.inTurn) struct PolicySetTests {
  /// Texts after a key, valid and invalid.
  private static let texts = [
    "7s", "0s", "45000ms", "2d", "-1s", "30", "0", "3", "10001", "0B", "512MiB", "2048GiB", "90%",
    "101%", "0xdeadbeef", "8badf00d",
    "none", "never", "unlimited", "true", "false", "'true'", "yes", "kill", "kil", "serious",
    "\"drop\"", "", "~", "# nothing", "[]",
    "[processing, fetch]", "[fetch, fetsch]", "fetch",
    "{value: 9s, confidence: assumed, source: QN}", "{value: 9s, of: x}", "{}", "&a 7s",
    "3s # a remark",
  ]

  /// For each key at least one of these differs from its value.
  private static let others = [
    "7s", "6s", "20s", "100ms", "20m", "true", "false", "3", "77%", "0xdeadbeef", "512MiB", "kill",
    "drop", "serious", "fetch", "audio",
    "charging", "request", "10m in 2h",
    "opportunity", "app", "device", "leastCostly", "runs", "either",
  ]

  /// Keys of a wake that are invalid alone in some rows.
  private static let bound = [
    ".minimumInterval", ".alignment", ".backoff", ".backoffFactor", ".backoffGrows",
    ".backoffReset", ".beforeUse", ".admissions",
    ".runTime", ".window", ".pending", ".start", ".waitsForIdle", ".coalesce",
    ".leastRoom",
  ]

  /// Keys of a session that need a length or a deferral.
  private static let boundOfSessions = [
    ".warning", ".overrun", ".code", ".coalesce", ".leastRoom", ".deferral", ".deferralFactor",
    ".deferralMost",
  ]

  private static func isBound(_ path: String) -> Bool {
    let keys = path.hasPrefix("sessions.") ? boundOfSessions : bound
    // `memory.warning` must not be below the level that resets it.
    return path == "multitasking" || path == "memory.warning"
      || keys.contains(where: path.hasSuffix)
  }

  /// A child of `profile` that writes `text` under `path`.
  private static func child(of profile: String, _ path: String, _ text: String) -> String {
    let keys = path.split(separator: ".").enumerated().map {
      String(repeating: " ", count: 2 * $0) + $1 + ":"
    }
    return
      "curfew: policy/1\nname: x\nextends: \(profile)\n\(keys.joined(separator: "\n")) \(text)\n"
  }

  /// The result of `body` at `path`, or its errors without their places.
  private static func outcome(_ path: String, _ body: () throws -> PolicyFile) -> String {
    var result = ""
    let errors = errors {
      let file = try body()
      result =
        file.digest
        + (file.entry(path).map { "\($0.source ?? "") \($0.confidence?.rawValue ?? "")" } ?? "")
    }
    return result + errors.map { String($0.drop { $0 != " " }) }.sorted().joined(separator: "\n")
  }

  private static func set(_ file: PolicyFile, _ path: String, _ text: String) throws -> PolicyFile {
    var file = file
    try file.set(path, text)
    return file
  }

  @Test(arguments: PolicyFile.builtInNames)
  func `every value can be set to itself and to another, as a child would`(
    _ name: String
  ) throws {
    let parent = try PolicyFile.load(name)
    // Rows of a policy's own are alike, so each key is tried in one of them only.
    var tried: Set<String> = []
    let isOwn = { (path: String) -> Bool in
      parent.policy.names != PolicyNames() && !tried.insert(DifferenceWords.pattern(path)).inserted
    }
    // A policy without multitasking has a limit of 0 tasks, which a file may not write.
    let entries = parent.entries.filter {
      ($0.path != "tasks.limit" || $0.text != "0") && !isOwn($0.path)
    }
    for entry in Campaign.some(3, of: entries) {
      let same = try Self.set(parent, entry.path, Self.written(entry))
      #expect(same.digest == parent.digest && same.policy == parent.policy, "\(entry.path)")
      #expect(same.entry(entry.path)?.place == SourcePlace(file: entry.path, line: 1, column: 1))
      let other = Self.others.lazy.compactMap { try? Self.set(parent, entry.path, $0) }.first {
        $0.digest != parent.digest
      }
      guard let other else {
        // These keys need the figures of tasks, of other kinds, or the rest of a budget.
        #expect(Self.isBound(entry.path), "\(entry.path)")
        continue
      }
      let child = try policy(
        Self.child(of: name, entry.path, other.entry(entry.path).map { Self.written($0) } ?? ""))
      #expect(other.digest == child.digest && other.policy == child.policy, "\(entry.path)")
      // Without a limit on the processor, its share and window have no effect.
      let isIdle = entry.path.hasPrefix("cpu.") && parent.policy.cpu == nil
      #expect(isIdle || other.policy != parent.policy, "\(entry.path)")
    }
  }

  private static func written(_ entry: PolicyEntry) -> String {
    [".mode", ".requires", ".blockedBy", ".budgets"].contains(where: entry.path.hasSuffix)
      && entry.text != "none"
      ? "[\(entry.text)]" : entry.text
  }

  private static let paths = [
    "tasks.grant.value", "foreground", "lowPowerMode",
    "limits.launch", "tasks.limit", "tasks.ageWarning", "tasks.thermalExpiry", "wakes.fetch.mode",
    "wakes.fetch.overrun", "wakes.fetch.alignment",
    "wakes.fetch.window", "wakes.region.pending", "wakes.processing.code", "memory.appLimit",
    "cpu.share", "cpu.window", "tasks.grnt", "tasks.grant.x", "tasks", "wakes.fetch",
    "wakes.fetsch.length", "wakes.fetch.lenght", "memory.source", "sessions.fetch.linger",
  ]

  @Test(arguments: Campaign.some(3, of: paths))
  func `text is accepted or refused as in a file`(_ path: String) throws {
    let parent = try PolicyFile.load("ios13")
    for text in Self.texts {
      let expected = Self.outcome(path) { try policy(Self.child(of: "ios13", path, text)) }
      #expect(
        Self.outcome(path) { try Self.set(parent, path, text) } == expected, "\(path): \(text)")
    }
  }

  @Test func `errors stand at the path`() throws {
    var file = try PolicyFile.load("ios13")
    let before = file.digest
    #expect(
      errors { try file.set("task.grant", "45s") } == [
        "task.grant:1:1: error: unknown key 'task'; did you mean 'tasks'?"
      ])
    #expect(
      errors { try file.set("tasks.grnt", "45s") } == [
        "tasks.grnt:1:1: error: unknown key 'grnt'; did you mean 'grant'?"
      ])
    #expect(
      errors { try file.set("tasks.grant", "  45") } == [
        "tasks.grant:1:3: error: '45' has no unit; durations are whole numbers with a unit: 30s, 250ms"
      ])
    #expect(
      errors { try file.set("name", "x") }.first?.hasPrefix("name:1:1: error: unknown key 'name'")
        == true)
    for path in ["", ".", "tasks.", String(repeating: "tasks.", count: 100_000)] {
      #expect(errors { try file.set(path, "45s") }.count == 1)
    }
    #expect(!errors { try file.set("tasks.grant", "45s\nwarning: 1s") }.isEmpty)
    #expect(!errors { try file.set("tasks.grant", "45s\n---\n46s") }.isEmpty)
    #expect(file.digest == before)
  }

  @Test func `a value that was set earlier is a parent's value`() throws {
    var file = try PolicyFile.load("ios13")
    try file.set("tasks.warning", "20s")
    #expect(
      errors { try file.set("tasks.grant", "10s") } == [
        "tasks.grant:1:1: error: 'grant' must be longer than 'warning' (20s), found '10s'"
      ])
    try file.set("tasks.grant", "45s")
    #expect(file.policy.tasks.warning == .seconds(20))
    #expect(file.policy.tasks.grant == .seconds(45))
    #expect(file.place(of: "tasks.warning")?.description == "tasks.warning:1:1")
    #expect(file.name == "ios13" && file.file == "Policies/ios13.yaml" && file.files == [])
    try file.set("tasks.grant", "{value: 40s, confidence: assumed, source: QN}")
    #expect(file.entry("tasks.grant")?.confidence == .assumed)
    #expect(file.entry("tasks.grant")?.source?.contains(" ") == true)
    #expect(file.place(of: "tasks.grant")?.column == 9)
  }

  @Test func `a row that is new is set as a whole`() throws {
    var file = try PolicyFile.load("ios4")
    #expect(
      errors { try file.set("wakes.fetch.length", "3s") } == [
        "wakes.fetch.length:1:1: error: "
          + "missing 'wakes.fetch.overrun'; a row that no parent has needs 'length' and 'overrun'"
      ])
    let row =
      "{length: 3s, overrun: drop, relaunches: false, survivesForceQuit: false, requires: none, blockedBy: lowBattery}"
    try file.set("wakes.fetch", row)
    #expect(file.policy.wakes[.fetch]?.length == .seconds(3))
    #expect(file.digest == (try policy(Self.child(of: "ios4", "wakes.fetch", row)).digest))
    try file.set("wakes.fetch.mode", "[processing, fetch]")
    #expect(file.entry("wakes.fetch.mode")?.text == "fetch, processing")
  }

  @Test(arguments: PolicyFile.builtInNames)
  func `the engine's policy is written as the file's values are`(_ name: String) throws {
    let file = try PolicyFile.load(name)
    #expect(
      file.policy.texts.map { "\($0.path)=\($0.text)" }
        == file.entries.map { "\($0.path)=\($0.text)" })
  }
}
