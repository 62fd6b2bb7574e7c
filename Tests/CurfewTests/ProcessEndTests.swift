import Curfew
import TestRuns
import Testing

/// Ends of processes that the engine does not decide (rule D2).
@Suite(.inTurn) struct ProcessEndTests {
  @Test func `D2 an end from outside has its signal or error, also while the app is suspended`() {
    let device = Device(policy: .ios13)
    let mail = device.register("mail")
    mail.launch()
    device.home()
    device.advance(by: .seconds(1))
    #expect(mail.applicationState == .suspended)
    mail.crash(.exit(status: 3))
    #expect(mail.applicationState == .suspended && mail.lastDiagnostic != nil)
    mail.crash(.signal(9))
    #expect(mail.applicationState == .notRunning)
    mail.launch()
    mail.crash(.spawnFailed(.noEntry))
    mail.launch()
    mail.crash(.exit(status: 3))
    mail.launch()
    mail.crash(.exit(status: 0))
    #expect(
      mail.processEnds.map(\.reason) == [.signal, .spawnFailed, .abnormalExit, .normalAppExit])
    #expect(mail.processEnds.map(\.exit) == [.signal(9), .error(.noEntry), .status(3), nil])
    #expect(
      mail.processEnds.map(\.because) == [
        "signal 9 ended it (no value says so)",
        "its process could not be started (ENOENT) (no value says so)",
        "it exited with status 3 (no value says so)", "it exited by itself (no value says so)",
      ])
    #expect(device.counts.processEnds(for: .signal) == 1)
    #expect(device.counts.processEnds(for: .hostFailure) == 0)
  }
}
