import CurfewEngine
import CurfewPolicy
import CurfewText
import TestRuns
import TestSupport
import Testing

/// A policy's answer to a question, and the changes that would reverse it.
@Suite(.inTurn) struct AdmissionAnswerTests {
  static let names = PolicyFile.builtInNames + ["own"]

  private func policy(_ name: String) throws -> PolicyFile {
    name == "own" ? try OwnPolicy.demanding() : try PolicyFile.load(name)
  }

  private func words(_ answer: AdmissionAnswer) -> [[String]] {
    answer.changes.map { $0.map { $0.option(in: answer.question) } }
  }

  @Test
  func `a condition that fails is reported with its value, its place and the change that helps`()
    throws
  {
    let file = try policy("ios13")
    var question = AdmissionQuestion(.fetch, under: file)
    #expect(file.answer(to: question).isAllowed)
    question.device.lowPowerMode = true
    let answer = file.answer(to: question)
    #expect(answer.denials == .lowPowerMode)
    let failing = try #require(answer.conditions.first { !$0.passes })
    #expect(
      failing.name == "lowPowerMode" && failing.value == "true"
        && failing.rule?.key == "wakes.fetch.blockedBy")
    #expect(failing.rule?.place == file.place(of: "wakes.fetch.blockedBy").map { .at($0) })
    #expect(
      failing.explanation?.remedy == "Turn Low Power Mode off."
        && answer.conditions.count { !$0.passes } == 1)
    #expect(words(answer) == [["--set lowPowerMode=false"]])
  }

  @Test
  func
    `two switches that are off have to be turned on together, and either of two remedies suffices`()
    throws
  {
    let file = try policy("own")
    var question = AdmissionQuestion("backup", under: file)
    question.app.facts["restricted"] = false
    (question.app.backgroundRefresh, question.device.backgroundRefresh) = (.denied, .denied)
    #expect(
      words(file.answer(to: question)) == [
        ["--set app.backgroundRefresh=available", "--set backgroundRefresh=true"]
      ])
    question = AdmissionQuestion("carUpdate", under: file)
    question.device.charging = true
    question.device.network = .none
    question.app = AppManifest()
    #expect(
      Set(words(file.answer(to: question)).map(Set.init)) == [
        ["--set network=wifi", "--set 'modes=[fetch]'"],
        ["--set network=wifi", "--set 'modes=[guidance]'"],
      ])
  }

  @Test func `a change to the policy is proposed only if nothing else helps`() throws {
    let file = try policy("own")
    try #require(
      file.answer(to: AdmissionQuestion("backup", under: file)).changes == [
        [.fact("restricted", holds: false)]
      ])
    var changed = file
    try changed.set("sessions.navigation.blockedBy", "[parked, userPresent]")
    var question = AdmissionQuestion("navigation", under: changed)
    question.facts["parked"] = true
    let answer = changed.answer(to: question)
    #expect(
      Set(answer.changes.map(Set.init)) == [
        [
          .fact("parked", holds: false),
          .policy(ValueSetting(path: "sessions.navigation.blockedBy", text: "[parked]")),
        ]
      ])
  }

  @Test func `a denial that no value can reverse has no changes, and names its row`() throws {
    let file = try policy("ios3")
    let answer = file.answer(to: AdmissionQuestion(.fetch, under: file))
    #expect(
      answer.denials.contains(.noMultitasking) && answer.denials.contains(.kindNotInPolicy)
        && answer.changes.isEmpty)
    #expect(answer.conditions.filter { !$0.passes }.map(\.rule?.key) == ["multitasking", "wakes"])
  }

  @Test(arguments: names)
  func
    `every denial is a condition, and every set of changes reverses the answer, but no subset does`(
      _ name: String
    )
    throws
  {
    let file = try policy(name)
    let seed: UInt64 = 11
    var random = SeededGenerator(seed: seed)
    var sizes: Set<Int> = []
    for _ in 0..<25 {
      let question = random.question(under: file)
      let answer = file.answer(to: question)
      #expect(answer.denials == file.denials(of: question), "seed \(seed)")
      let failing = answer.conditions.compactMap(\.explanation).map { "\($0.reason)" }
      #expect(Set(failing) == Set(answer.denials.names), "seed \(seed), \(question)")
      #expect(
        Set(answer.changes.map(Set.init)).count == answer.changes.count
          && answer.changes.count <= 20, "seed \(seed)")
      for set in answer.changes {
        sizes.insert(set.count)
        for bits in 1..<(1 << set.count) {
          let part = set.indices.filter { bits & 1 << $0 != 0 }.map { set[$0] }
          let denials = try #require(file.denials(of: question, after: part))
          let turns = denials.isEmpty != answer.isAllowed
          #expect(
            turns == (part.count == set.count), "seed \(seed): \(part) of \(set), \(question)")
        }
      }
      // If setting everything that a person can set would help, the answer names a change.
      if !answer.isAllowed, file.denials(of: random.helped(question, under: file)).isEmpty {
        #expect(!answer.changes.isEmpty, "seed \(seed), \(question)")
      }
    }
    #expect(name != "own" || sizes.isSuperset(of: [1, 2]), "seed \(seed): sizes \(sizes)")
  }
}

extension SeededGenerator {
  fileprivate mutating func question(under file: PolicyFile) -> AdmissionQuestion {
    let names = file.policy.names
    var question = AdmissionQuestion(pick(names.kinds), under: file)
    if oneIn(3) { question.app = AppManifest() }
    question.app.exitsOnSuspend = oneIn(6)
    question.app.backgroundRefresh = pick(BackgroundRefreshStatus.allCases)
    if names.class(of: question.kind) == .wake {
      question.presence = pick(AdmissionQuestion.Presence.allCases)
    }
    question.attendance = pick(AdmissionQuestion.Attendance.allCases)
    question.device = DeviceFacts(
      backgroundRefresh: pick(BackgroundRefreshStatus.allCases), lowPowerMode: oneIn(2),
      battery: UInt8(below(101)), charging: oneIn(2),
      network: pick(DeviceFacts.Network.allCases), thermal: pick(ThermalState.allCases))
    for fact in names.names(of: file.policy.facts.ofDevice) where oneIn(2) {
      question.facts[fact] = oneIn(2)
    }
    for fact in names.names(of: file.policy.facts.ofApps) where oneIn(2) {
      question.app.facts[fact] = oneIn(2)
    }
    return question
  }

  /// The same query on a device with default facts, changed at random.
  fileprivate mutating func helped(_ question: AdmissionQuestion, under file: PolicyFile)
    -> AdmissionQuestion
  {
    var helped = AdmissionQuestion(question.kind, under: file)
    if file.policy.names.class(of: question.kind) == .wake { helped.presence = question.presence }
    helped.device.charging = oneIn(2)
    helped.attendance = pick(AdmissionQuestion.Attendance.allCases)
    for fact in file.policy.names.names(of: file.policy.facts.ofDevice) {
      helped.facts[fact] = oneIn(2)
    }
    for fact in file.policy.names.names(of: file.policy.facts.ofApps) {
      helped.app.facts[fact] = oneIn(2)
    }
    return helped
  }
}
