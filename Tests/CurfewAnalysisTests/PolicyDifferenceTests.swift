import CurfewAnalysis
import CurfewPolicy
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Differences between two policies, in words.
@Suite(.inTurn) struct PolicyDifferenceTests {
  /// The sentences about a child of `parent` with the values in `text`.
  private func sentences(_ text: String, of parent: String = "ios13") throws -> [String] {
    let child = try PolicyFile.decode("curfew: policy/1\nname: x\nextends: \(parent)\n\(text)\n")
    return PolicyDifference(from: try PolicyFile.load(parent), to: child).sentences
  }

  @Test func `a change to a whole profile is one line in a file and one sentence`() throws {
    #expect(
      try sentences("tasks: {grant: 30s}", of: "ios7") == [
        "A visit to the background is granted 30s instead of 3m (tasks.grant), 2m 30s less."
      ])
  }

  @Test(arguments: [
    (
      "wakes: {fetch: {blockedBy: none}}",
      ["fetch: allowed while Low Power Mode is on; before, denied (wakes.fetch.blockedBy)."]
    ),
    (
      "wakes: {urlSession: {blockedBy: lowBattery}, region: {blockedBy: lowBattery}}",
      [
        "region, urlSession: denied while the battery is low and not charging; before, allowed (wakes.*.blockedBy)."
      ]
    ),
    (
      "wakes: {voipPush: {survivesForceQuit: false}}",
      [
        "voipPush: denied after the user has quit the app; before, allowed (wakes.voipPush.survivesForceQuit)."
      ]
    ),
    (
      "wakes: {urlSession: {mode: fetch}}",
      [
        "urlSession: denied to an app that does not declare 'fetch'; before, allowed (wakes.urlSession.mode)."
      ]
    ),
    (
      "wakes: {fetch: {mode: processing}}",
      [
        "fetch: denied to an app that declares 'fetch' and not 'processing'; before, allowed (wakes.fetch.mode).",
        "fetch: allowed to an app that declares 'processing' and not 'fetch'; before, denied (wakes.fetch.mode).",
      ]
    ),
    (
      "limits: {didEnterBackground: 5s, didEnterBackgroundWarning: none, withoutAssertionWarning: none}",
      [
        "didEnterBackground may take 5s instead of 10s (limits.didEnterBackground), 5s less.",
        "The time after which didEnterBackground is reported as slow is none instead of 5s (limits.didEnterBackgroundWarning).",
        "The time after which a busy run loop without an assertion is reported is none instead of 10s (limits.withoutAssertionWarning).",
      ]
    ),
    (
      "lowBattery: 30%",
      [
        "appRefresh, processing: denied with a battery of 20% to 29% that is not charging; before, allowed (wakes.*.blockedBy).",
        "A battery that is not charging is low below 30% instead of 20% (lowBattery).",
      ]
    ),
    (
      "wakes: {fetch: {length: 20s}, urlSession: {length: 20s}}",
      ["fetch, urlSession: a wake may run 20s instead of 30s (wakes.*.length), 10s less."]
    ),
    (
      "tasks: {strict: true}",
      [
        "tasks.strict is true instead of false: whether a task begun after the visit's warning is answered 'invalid'; otherwise it is valid and gains nothing."
      ]
    ),
    (
      "memory: {purge: leastCostly, purgeTo: 80%, startCost: 700ms}",
      [
        "The order in which apps are purged is leastCostly instead of largest (memory.purge).",
        "Purging continues down to 80% instead of none (memory.purgeTo).",
        "The default cost of starting an app is 700ms instead of 0s (memory.startCost), 700ms more.",
      ]
    ),
    (
      "wakes: {fetch: {backoffFactor: 1.20, backoffGrows: runs, backoffReset: use, beforeUse: 5m, leeway: 2s}}",
      [
        "fetch: a start and the end of a linger may come later by 2s instead of 0s (wakes.fetch.leeway), 2s more.",
        "fetch: the factor by which the next wake is postponed each time is 1.2 instead of 2 (wakes.fetch.backoffFactor).",
        "fetch: the next wake is postponed by runs instead of results (wakes.fetch.backoffGrows).",
        "fetch: the next wake is brought back by use instead of newData (wakes.fetch.backoffReset).",
        "fetch: the time from the system's wakes to the app's expected use is 5m instead of none (wakes.fetch.beforeUse).",
      ]
    ),
    ("tasks: {grant: {value: 30s, source: elsewhere}}", []),
  ]) func `a change is described by its meaning`(_ text: String, _ expected: [String]) throws {
    #expect(try sentences(text) == expected)
  }

  @Test func `a change to the literal reading is described for tasks and sessions`() throws {
    let sentences = try sentences("tasks: {seedStrict: true}")
    let kinds =
      "finiteTask, audio, location, voip, external-accessory, bluetooth-central, bluetooth-peripheral"
    let situation =
      "where Background App Refresh is off or where Background App Refresh is restricted"
    #expect(sentences == ["\(kinds): denied \(situation); before, allowed (tasks.seedStrict)."])
  }

  @Test func `rows that only one policy has are reported as rows, in both directions`() throws {
    let (old, new) = (try PolicyFile.load("ios7"), try PolicyFile.load("ios13"))
    let forward = PolicyDifference(from: old, to: new).sentences
    #expect(
      forward.first
        == "Wakes that are new, and were always denied before: appRefresh (up to 30s), processing (up to 5m)."
    )
    #expect(
      forward.contains(
        "fetch, remoteNotification: denied while Low Power Mode is on; before, allowed (wakes.*.blockedBy)."
      ))
    #expect(
      PolicyDifference(from: new, to: old).sentences.first
        == "Wakes that are always denied now: appRefresh, processing.")
  }

  @Test func `without multitasking, every kind in both policies is denied, in one sentence`()
    throws
  {
    let sentences = try sentences("multitasking: false")
    #expect(
      sentences.count == 1 && sentences[0].hasPrefix("finiteTask, audio, ")
        && sentences[0].hasSuffix(": denied always; before, allowed (multitasking)."))
  }

  @Test(arguments: PolicyFile.builtInNames)
  func `a policy does not differ from itself after writing and reading`(_ name: String) throws {
    let policy = try PolicyFile.load(name)
    let difference = PolicyDifference(from: policy, to: try PolicyFile.decode(policy.text))
    #expect(difference.isEmpty && difference.sentences.isEmpty)
  }

  @Test func `every value that differs is reported, in an answer or on its own`() throws {
    for (old, new) in zip(PolicyFile.builtInNames, PolicyFile.builtInNames.dropFirst()) {
      let difference = PolicyDifference(
        from: try PolicyFile.load(old), to: try PolicyFile.load(new))
      let text = difference.sentences.joined(separator: "\n")
      for value in difference.values {
        let key = value.path.split(separator: ".").last ?? ""
        #expect(text.contains(key), "\(value.path)")
      }
    }
  }
}
