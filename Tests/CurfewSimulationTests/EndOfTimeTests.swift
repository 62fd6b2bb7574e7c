import CurfewEngine
import CurfewSimulation
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// Time ends after 292 years: events at that instant or later are refused, not dropped silently.
@Suite(.inTurn) struct EndOfTimeTests {
  private static let last = "9223372036854775806ns"
  private static let never = "9223372036854775807ns"

  @Test func `2^63-2 ns is the last instant, and a step at 2^63-1 ns is refused`() throws {
    let read = try scenario(timeline("{at: \(Self.last), do: lock}"))
    #expect(read.timeline.map(\.at.nanoseconds) == [.max - 1])
    #expect(
      scenarioErrors(timeline("{at: 0s, do: lock}", "{at: \(Self.never), do: unlock}")) == [
        "mail.yaml:8:10: error: '\(Self.never)' is past the end of time; the last instant is \(Self.last), in 292 years"
      ])
    let until = timeline("{at: 0s, do: lock}").replacing(
      "policy:", with: "until: \(Self.never)\npolicy:")
    #expect(
      scenarioErrors(until).first?.hasPrefix(
        "mail.yaml:3:8: error: '\(Self.never)' is past the end of time") == true)
  }

  static let waits: [(step: String, key: String)] = [
    ("beginTask, app: com.example.mail, task: x", "for"),
    ("scheduleNotification, app: com.example.mail, id: x", "in"),
    ("submitTask, app: com.example.mail, identifier: x, kind: processing", "earliest"),
  ]

  @Test(arguments: waits.indices)
  func `a step that reaches past the end is refused, and one that reaches the end is read`(
    _ index: Int
  ) {
    let (step, key) = Self.waits[index]
    #expect(scenarioErrors(timeline("{at: 6ns, do: \(step), \(key): 9223372036854775800ns}")) == [])
    let found = scenarioErrors(timeline("{at: 7ns, do: \(step), \(key): 9223372036854775800ns}"))
    let message =
      "error: '\(key)' reaches past the end of time: '9223372036854775800ns' from 7ns on is over 292 years"
    #expect(
      found.count == 1 && found[0].hasPrefix("mail.yaml:7:") && found[0].hasSuffix(message),
      "\(found)")
  }

  @Test func `steps that last or repeat until the end of time are allowed`() {
    let last = "app: com.example.mail, for: \(Self.never)"
    #expect(scenarioErrors(timeline("{at: 1s, do: useCPU, share: 5%, \(last)}")) == [])
    for verb in ["setMinimumFetchInterval", "setKeepAlive"] {
      #expect(
        scenarioErrors(
          timeline("{at: 1s, do: \(verb), app: com.example.mail, interval: \(Self.never)}")) == [])
    }
  }

  @Test func `an app's own calls must be possible at the last line, or at until`() {
    func text(_ until: String) -> String {
      """
      curfew: scenario/1
      name: x
      policy: ios13\(until)
      apps:
        a:
          returns: {fetch: 106751d}
          on: {fetch: [{do: beginTask, task: x, for: 106751d, handler: [{do: scheduleNotification, id: y, in: 106751d}]}]}
      timeline:
        - {at: 0s, do: launch, app: a}
        - {at: 1d, do: lock}
      """
    }
    #expect(
      scenarioErrors(text("")) == [
        "mail.yaml:6:22: error: 'fetch' reaches past the end of time: '106751d' from 1d on is over 292 years",
        "mail.yaml:7:48: error: 'for' reaches past the end of time: '106751d' from 1d on is over 292 years",
        "mail.yaml:7:105: error: 'in' reaches past the end of time: '106751d' from 1d on is over 292 years",
      ])
    #expect(scenarioErrors(text("\nuntil: 1h")) == [])
  }
}
