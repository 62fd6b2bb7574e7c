import CurfewEngine
import CurfewPolicy
import CurfewText
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct PolicyConflictTests {
  static let child = "curfew: policy/1\nname: mine\nextends: ios13\n"

  @Test func `a budget needs something to count and a window`() {
    #expect(
      policyErrors(
        Self.child
          + "wakes:\n  fetch: {admissions: 3}\n  urlSession: {runTime: 5m}\n  region: {window: 1h}\n"
      ) == [
        "mine.yaml:5:23: error: 'admissions' needs a 'window'",
        "mine.yaml:6:25: error: 'runTime' needs a 'window'",
        "mine.yaml:7:20: error: 'window' needs 'admissions' or 'runTime'",
      ])
  }

  @Test func `a row has no more budgets than can be distinguished`() throws {
    func row(_ count: Int) -> String {
      "wakes:\n  fetch: {budgets: [\((1...count).map { "\($0) admissions in 1h" }.joined(separator: ", "))]}\n"
    }
    #expect(try policy(Self.child + row(32)).policy.wakes[.fetch]?.budgets.count == 32)
    #expect(
      policyErrors(Self.child + row(33)) == [
        "mine.yaml:5:20: error: a row can have at most 32 budgets, found 33"
      ])
  }

  @Test func `a limit of no admissions needs no window, and forbids a kind`() throws {
    let file = try policy(Self.child + "wakes:\n  fetch: {admissions: 0}\n")
    #expect(file.policy.wakes[.fetch]?.budget?.admissions == 0)
    let denied = file.denials(of: AdmissionQuestion(.fetch, under: file))
    #expect(denied == .budget)
  }

  @Test
  func `L4 the keys of a session's end need a limit, and only dropped sessions are renewed`() {
    let text = """
      sessions:
        a: {mode: none, warning: 2s, code: "0x7"}
        b: {mode: none, length: 5s, warning: 6s}
        c: {mode: none, deferral: 5s}
        d: {mode: none, length: 5s, deferral: 5s, overrun: kill}
        e: {mode: none, length: 5s, deferral: 5s, deferralMost: 4s}
        f: {mode: none, length: 5s, deferralFactor: 2, deferralMost: 4s}
        g: {mode: none, length: 0s, budgets: 0s in 5s}
        h: {mode: none, warning: 6s, leastRoom: 0s, budgets: 5s in 1m}
        i: {mode: none, overrun: kill, budgets: 5 admissions in 1m, coalesce: 5s}
      """
    #expect(
      policyErrors(Self.child + text) == [
        "mine.yaml:5:28: error: 'warning' needs a 'length', or a budget of run time",
        "mine.yaml:5:38: error: 'code' needs a 'length', or a budget of run time",
        "mine.yaml:6:40: error: 'warning' must not be longer than 'length' (5s), found '6s'",
        "mine.yaml:7:29: error: 'deferral' needs a 'length', after which it begins",
        "mine.yaml:8:41: error: 'deferral' needs an 'overrun' of 'drop', found 'kill': only a dropped session is renewed",
        "mine.yaml:9:41: error: 'deferral' must not be longer than 'deferralMost' (4s), found '5s'",
        "mine.yaml:10:47: error: 'deferralFactor' needs a 'deferral'",
        "mine.yaml:10:64: error: 'deferralMost' needs a 'deferral'",
        "mine.yaml:11:27: error: 'length' must be longer than 0s, or 'none'",
        "mine.yaml:11:40: error: '0s in 5s' has a run time of 0s; it must be longer; or 'none'",
        "mine.yaml:13:28: error: 'overrun' needs a 'length', or a budget of run time",
        "mine.yaml:13:73: error: 'coalesce' needs a budget of sessions",
      ])
  }

  @Test func `W4 a least room needs budgets of run time, and must be less than each of them`()
    throws
  {
    let text = """
      sessions:
        a: {mode: none, leastRoom: 0s}
        b: {mode: none, leastRoom: 5s, budgets: [6s in 1m, 5s in 2m]}
        c: {mode: none, warning: 5s, budgets: [3 admissions in 1m, 5s in 1m]}
        d: {mode: none, warning: 5s, leastRoom: 4s, budgets: 5s in 1m}
        e: {mode: none, warning: 5s, leastRoom: warning, budgets: 6s in 1m}
        f: {mode: none, leastRoom: warning}
      wakes:
        fetch: {leastRoom: 2s, admissions: 3, window: 1h}
        region: {leastRoom: 2m, runTime: 90s, window: 1h}
        urlSession: {leastRoom: none, runTime: 90s, window: 1h}
      """
    #expect(
      policyErrors(Self.child + text) == [
        "mine.yaml:5:30: error: 'leastRoom' needs a budget of run time",
        "mine.yaml:6:30: error: 'leastRoom' must be shorter than the run time of '5s in 2m', found '5s'; otherwise nothing is ever admitted",
        "mine.yaml:7:28: error: 'warning' (5s) is also the row's 'leastRoom', so it must be shorter than the run time of '5s in 1m'; otherwise nothing is ever admitted; shorten it, or set 'leastRoom'",
        "mine.yaml:12:22: error: 'leastRoom' needs a 'runTime', or a budget of run time",
        "mine.yaml:13:23: error: 'leastRoom' must be shorter than 'runTime' (90s), found '2m'; otherwise nothing is ever admitted",
        "mine.yaml:14:27: error: 'none' is not a duration; durations are whole numbers with a unit: 30s, 250ms; or 'warning'",
      ])
    // An error in a child's change has the child's place.
    let parent = try policy(
      Self.child + "sessions:\n  sync: {mode: none, warning: 5s, budgets: 10s in 1m}\n")
    let isDefault =
      "'warning' (5s) is also the row's 'leastRoom', so it must be shorter than the run time of '5s in 1m'"
    #expect(
      errors { _ = try parent.set([ValueSetting(path: "sessions.sync.budgets", text: "5s in 1m")]) }
        == [
          "sessions.sync.budgets:1:1: error: \(isDefault); otherwise nothing is ever admitted; shorten it, or set 'leastRoom'"
        ])
    #expect(
      errors { _ = try parent.set([ValueSetting(path: "sessions.sync.warning", text: "10s")]) }
        .count == 1)
    #expect(
      errors { _ = try parent.set([ValueSetting(path: "sessions.sync.leastRoom", text: "9s")]) }
        == [])
  }

  @Test func `a child cannot remove half of a parent's budget`() throws {
    #expect(
      policyErrors(Self.child + "wakes:\n  newsstand: {window: none}\n") == [
        "mine.yaml:5:23: error: 'admissions' (1) needs a 'window', found 'none'"
      ])
    #expect(
      policyErrors(Self.child + "wakes:\n  remoteNotification: {admissions: none}\n") == [
        "mine.yaml:5:36: error: 'window' (1h) needs 'admissions' or 'runTime'; if there is no budget, it must be 'none' too"
      ])
    let whole = try policy(
      Self.child + "wakes:\n  remoteNotification: {admissions: none, window: none}\n")
    #expect(whole.policy.wakes[.remoteNotification]?.budget == nil)
    let other = try policy(
      Self.child + "wakes:\n  remoteNotification: {admissions: none, runTime: 2m}\n")
    #expect(
      other.policy.wakes[.remoteNotification]?.budget
        == WakeBudget(window: .seconds(3600), runTime: .seconds(120)))
  }

  @Test func `zero is not a window, and does not mean none`() {
    #expect(
      policyErrors(
        Self.child
          + "wakes:\n  fetch: {minimumInterval: 0s, alignment: 0ms, runTime: 0s, window: 0s}\n")
        == [
          "mine.yaml:5:28: error: 'minimumInterval' must be longer than 0s, or 'none'",
          "mine.yaml:5:43: error: 'alignment' must be longer than 0s, or 'none'",
          "mine.yaml:5:57: error: 'runTime' must be longer than 0s, or 'none'",
          "mine.yaml:5:69: error: 'window' must be longer than 0s, or 'none'",
        ])
    #expect(
      policyErrors(Self.child + "cpu: {window: 0s}\n") == [
        "mine.yaml:4:15: error: 'window' must be longer than 0s"
      ])
  }

  @Test func `a figure that would have no effect on a kind is refused`() {
    let text = """
      wakes:
        region: {minimumInterval: 1h, alignment: 1h}
        voipKeepAlive: {alignment: 15m, backoff: 2}
        appRefresh: {minimumInterval: 1h, pending: 3}
        fetch: {pending: 1, backoff: 1}
        newsstand: {alignment: none, pending: none}
      """
    #expect(
      policyErrors(Self.child + text) == [
        "mine.yaml:5:29: error: 'minimumInterval' has no effect on 'region', whose 'start' is 'event'; it applies to 'opportunity', 'interval' or 'request'",
        "mine.yaml:5:44: error: 'alignment' has no effect on 'region', whose 'start' is 'event'; it applies to 'opportunity' or 'request'",
        "mine.yaml:6:30: error: 'alignment' has no effect on 'voipKeepAlive', whose 'start' is 'interval'; it applies to 'opportunity' or 'request'",
        "mine.yaml:6:44: error: 'backoff' has no effect on 'voipKeepAlive', whose 'start' is 'interval'; it applies to 'opportunity'",
        "mine.yaml:8:20: error: 'pending' has no effect on 'fetch', whose 'start' is 'opportunity'; it applies to 'request'",
      ])
  }

  @Test func `memory's levels are in order, and zero is not a capacity`() {
    #expect(
      policyErrors(Self.child + "memory: {warning: 70%}\n") == [
        "mine.yaml:4:19: error: 'warning' must not be less than 'warningReset' (75%), found '70%'"
      ])
    #expect(
      policyErrors(Self.child + "memory: {warningReset: 81%, capacity: 0MiB, appLimit: 0B}\n") == [
        "mine.yaml:4:24: error: 'warningReset' must not be more than 'warning' (80%), found '81%'",
        "mine.yaml:4:39: error: 'capacity' must be more than 0B",
        "mine.yaml:4:55: error: 'appLimit' must be more than 0B, or 'none'",
      ])
    #expect(
      policyErrors(Self.child + "memory: {purgeAbove: 80%, purgeTo: 81%}\n") == [
        "mine.yaml:4:36: error: 'purgeTo' must not be more than 'purgeAbove' (80%), found '81%'"
      ])
    #expect(
      policyErrors(Self.child + "memory: {purgeAbove: 80%, purge: leastCostly, startCost: 0s}\n")
        == [])
    #expect(policyErrors(Self.child + "memory: {warning: 75%, footprint: 0B}\n") == [])
  }

  @Test func `no app takes up more than a tebibyte, in a policy as in a scenario`() {
    #expect(policyErrors(Self.child + "memory: {footprint: 1024GiB}\n") == [])
    let message = "is more than 1024GiB, the most that an app can take up"
    #expect(
      policyErrors(Self.child + "memory: {footprint: 1025GiB}\n") == [
        "mine.yaml:4:21: error: '1025GiB' \(message)"
      ])
    #expect(
      policyErrors(Self.child + "memory: {footprint: {value: 1099511627777B}}\n") == [
        "mine.yaml:4:29: error: '1099511627777B' \(message)"
      ])
    let app = "com.example.mail: {footprint: 1099511627777B, memoryLimit: 2048GiB}"
    #expect(
      scenarioErrors(timeline("{at: 0s, do: lock}").replacing("com.example.mail: {}", with: app))
        == [
          "mail.yaml:5:33: error: '1099511627777B' \(message)"
        ])
  }

  @Test func `numbers and words outside their ranges are errors`() {
    let text = """
      lowBattery: 20
      tasks: {thermalExpiry: nominal}
      wakes:
        fetch: {backoff: 1001, backoffFactor: 0.9, backoffGrows: always}
        appRefresh: {pending: 0}
        processing: {pending: 10001}
      lockedFiles: {terminate: maybe, code: dead10cc}
      memory: {capacity: 4GB, appLimit: lots}
      cpu: {share: 101%, window: 25h}
      notifications: {kept: -1, locations: none}
      """
    #expect(
      policyErrors(Self.child + text) == [
        "mine.yaml:4:13: error: '20' is not a percentage; percentages are whole numbers from 0% to 100%",
        "mine.yaml:5:24: error: unknown thermal state 'nominal'; allowed here: never, fair, serious, critical",
        "mine.yaml:7:20: error: '1001' is out of range; a whole number from 1 to 1000 is needed",
        "mine.yaml:7:41: error: '0.9' is out of range; a number from 1 to 1000 with at most six decimals is needed",
        "mine.yaml:7:60: error: unknown cause 'always'; allowed here: results, runs",
        "mine.yaml:8:25: error: '0' is out of range; a whole number from 1 to 10000 is needed; or 'none'",
        "mine.yaml:9:25: error: '10001' is out of range; a whole number from 1 to 10000 is needed; or 'none'",
        "mine.yaml:10:26: error: 'maybe' is not a boolean; write true or false",
        "mine.yaml:10:39: error: 'dead10cc' is not a code; codes are hexadecimal, 32 bits at most: 0x8badf00d; or 'none'",
        "mine.yaml:11:20: error: unknown unit 'GB' in '4GB'; the units are B KiB MiB GiB",
        "mine.yaml:11:35: error: 'lots' is not a size; sizes are whole numbers with a unit: 120MiB, 4GiB; or 'none'",
        "mine.yaml:12:14: error: '101%' is out of range; percentages are whole numbers from 0% to 100%; or 'none'",
        "mine.yaml:12:28: error: 'window' must not be longer than 1d, found '25h'",
        "mine.yaml:13:23: error: '-1' is out of range; a whole number from 0 to 10000 is needed",
        "mine.yaml:13:38: error: 'none' is not a whole number; a whole number from 0 to 10000 is needed",
      ])
  }

  @Test func `none removes a rule`() throws {
    let text =
      "cpu: {share: none}\nlockedFiles: {terminate: false}\nwakes: {fetch: {minimumInterval: none, backoff: 1}}\n"
    let file = try policy(Self.child + text)
    #expect(file.policy.cpu == nil)
    #expect(!file.policy.lockedFiles.terminates)
    #expect(file.policy.wakes[.fetch]?.schedule == WakeSchedule(alignment: .seconds(900)))
  }
}
