import Curfew
import Foundation
import TestRuns
import Testing

/// Handlers that overlap with the end of their task, as a program sees them.
@Suite(.inTurn) struct OverlapTests {
  @Test
  func
    `a handler may run from the begin to its return, whether the task is ended in between or not`()
  {
    let device = Device(policy: .ios13)
    let mail = device.register("mail")
    mail.launch()
    let log = Log()
    let plain = mail.beginBackgroundTask(withName: "plain")
    #expect(!mail.mayRunExpirationHandler(of: plain) && !mail.mayRunExpirationHandler(of: .invalid))
    let early = mail.beginBackgroundTask { log.add("early") }
    #expect(mail.mayRunExpirationHandler(of: early))
    mail.endBackgroundTask(early)
    #expect(!mail.mayRunExpirationHandler(of: early))
    let late = mail.beginBackgroundTask { expiration in
      log.add("\(mail.mayRunExpirationHandler(of: expiration.identifier))")
      mail.endBackgroundTask(expiration.identifier)
      log.add("\(mail.mayRunExpirationHandler(of: expiration.identifier))")
    }
    let open = mail.beginBackgroundTask { log.add("open") }
    device.home()
    device.advance(by: .seconds(25))
    #expect(log.lines == ["true", "true", "open"])
    #expect(!mail.mayRunExpirationHandler(of: late) && !mail.mayRunExpirationHandler(of: open))
    device.advance(by: .seconds(5))
    mail.launch()
    // A task of another process that has the same number.
    let second = mail.beginBackgroundTask { log.add("second") }
    #expect(
      second.number == plain.number && mail.mayRunExpirationHandler(of: second)
        && !mail.mayRunExpirationHandler(of: plain))
    device.close()
    #expect(!mail.mayRunExpirationHandler(of: second))
  }

  @Test
  func
    `in real time a handler that overlaps with the end is told of, even when its process has ended`()
  {
    let device = Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 10)))
    let mail = device.register("mail")
    mail.launch()
    wait("no launch") { mail.applicationState == .active }
    let (reached, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let task = mail.beginBackgroundTask {
      reached.signal()
      gate.wait()
    }
    mail.home()
    reached.wait()
    mail.endBackgroundTask(task)
    #expect(mail.mayRunExpirationHandler(of: task))
    mail.forceQuit()
    mail.crash()
    wait("no end") { mail.applicationState == .notRunning }
    #expect(mail.mayRunExpirationHandler(of: task))
    gate.signal()
    wait("it runs for ever") { !mail.mayRunExpirationHandler(of: task) }
    device.close()
  }
}
