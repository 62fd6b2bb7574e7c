import CurfewText
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// All errors in a scenario's expectations are reported at once, each with its place and the
/// nearest name.
@Suite(.inTurn) struct ExpectationErrorTests {
  private func errors(_ expectations: String...) -> [String] {
    let steps = timeline(
      "{at: 0s, do: beginTask, app: com.example.mail, task: upload}",
      "{at: 1s, do: post, name: battery}")
    return scenarioErrors(steps + "expect:\n" + expectations.map { "  - \($0)\n" }.joined()).map {
      $0.replacing("mail.yaml:", with: "").replacing(" error:", with: "")
    }
  }

  @Test func `an unknown name is reported with the nearest known one`() {
    #expect(
      errors(
        "{at: 33s, expiration: uplaod}",
        "{app: com.example.mial, ende: backgroundTaskAssertionTimeout}",
        "{app: com.example.mail, end: backgroundTaskTimeout}", "{count: wakes, is: 3}",
        "{never: wake, kind: fetsch}",
        "{callback: didEnterBackgroud}", "{decision: fetch, denied: [lowPower]}",
        "{state: suspendet}", "{notification: batery}",
        "{app: com.example.mial, end: reboot}",
        "{diagnostic: runsWithoutAsertion}",
        "{diagnostic: runsWithoutAssertion, callback: expirationHandeler}",
        "{diagnostic: runsWithoutAssertion, callback: applicationDidEnterBackgroud}",
        "{never: diagnostic, callback: fetsch}",
        "{diagnostic: alreadyCompleted, kind: fetsch}",
        "{diagnostic: alreadyCompleted, complete: 3s}",
        "{diagnostic: alreadyCompleted, identifier: refresh}") == [
          "10:27: no step begins a task 'uplaod' in this file; did you mean 'upload'?",
          "11:29: no expectation has the key 'ende'; did you mean 'end'?",
          "12:34: unknown reason 'backgroundTaskTimeout'; did you mean 'backgroundTaskAssertionTimeout'?",
          "13:13: unknown expectation 'wakes'; did you mean 'wake'?",
          "14:25: unknown wake 'fetsch'; did you mean 'fetch'?",
          "15:16: there is no callback 'didEnterBackgroud'; did you mean 'didEnterBackground'?",
          "16:32: unknown reason 'lowPower'; did you mean 'lowPowerMode'?",
          "17:13: unknown state 'suspendet'; did you mean 'suspended'?",
          "18:20: no step posts a notification 'batery' in this file; did you mean 'battery'?",
          "19:11: unknown app 'com.example.mial'; did you mean 'com.example.mail'?",
          "20:18: unknown name 'runsWithoutAsertion'; did you mean 'runsWithoutAssertion'?",
          "21:50: there is no callback 'expirationHandeler'; did you mean 'expirationHandler'?",
          "22:50: there is no callback 'applicationDidEnterBackgroud'; did you mean 'applicationDidEnterBackground:'?",
          "23:35: there is no callback 'fetsch'; did you mean 'fetch'?",
          "24:42: unknown wake 'fetsch'; did you mean 'fetch'?",
          "25:36: 'diagnostic' takes no 'complete'; did you mean 'completed'?",
          "26:48: no step submits a task 'refresh' in this file",
        ])
  }

  @Test func `a form requires its keys and allows no others`() {
    #expect(
      errors(
        "{count: wake}", "{never: end, is: 3}", "{at: 3s}", "{at: 3s, state: suspended}", "7",
        "{app: com.example.mail, state: suspended, code: 0x1}",
        "{request: x}", "{end: reboot, state: suspended}") == [
          "10:5: 'wake' needs 'is'",
          "11:18: 'end' takes no 'is'; allowed here: at, app, never, reason, code, tasks, signal, status, error",
          "12:5: missing key that states the expectation; expected one of: count, never, state, end, expiration, diagnostic, task, session, decision, request, "
            + "wake, callback, notification, localNotification, probe",
          "13:5: 'state' with 'at' needs 'app'", "14:5: expected a mapping, found '7'",
          "15:47: 'state' takes no 'code'; allowed here: at, app, state",
          "16:5: 'request' needs 'event'",
          "16:15: no step submits a task 'x' in this file",
          "17:6: 'state' takes no 'end'; allowed here: at, app, state",
        ])
  }

  @Test(arguments: [
    (
      "{at: 33, end: reboot}",
      "10:10: '33' has no unit; durations are whole numbers with a unit: 30s, 250ms"
    ),
    ("{at: 5s..3s, end: reboot}", "10:10: '5s..3s' ends before it begins"),
    ("{at: .., end: reboot}", "10:10: '..' has neither a start nor an end"),
    (
      "{at: 3s..5, end: reboot}",
      "10:10: '5' has no unit; durations are whole numbers with a unit: 30s, 250ms"
    ),
    (
      "{count: end, is: 3.5}",
      "10:22: '3.5' is not a whole number; a whole number from 0 to 4294967295 is needed"
    ),
    ("{count: end, is: 5..3}", "10:22: '5..3' ends before it begins"),
    (
      "{count: end, is: -1}",
      "10:22: '-1' is out of range; a whole number from 0 to 4294967295 is needed"
    ),
    (
      "{decision: fetch, denied: []}",
      "10:31: 'denied' names no reason; write 'allowed: true' for an admission"
    ),
    (
      "{probe: active, backgroundTimeRemaining: infinit}",
      "10:46: expected a duration such as 30s or 'infinite', found 'infinit'; did you mean 'infinite'?"
    ),
    (
      "{at: [3s], end: reboot}",
      "10:10: expected a duration such as 30s, or two joined by '..', found a list"
    ),
    (
      "{wake: fetch, id: 0}",
      "10:23: '0' is out of range; a whole number from 1 to 4294967295 is needed"
    ),
  ]) func `a value must be valid`(_ expectation: String, _ message: String) {
    #expect(errors(expectation) == [message])
  }

  @Test func `expectations are optional`() {
    #expect(
      scenarioErrors(timeline("{at: 0s, do: launch, app: com.example.mail}") + "expect: []\n") == []
    )
    #expect(
      scenarioErrors(timeline("{at: 0s, do: launch, app: com.example.mail}") + "expect:\n") == [
        "mail.yaml:8:8: error: expected a list, found nothing; an empty list is []"
      ])
  }
}
