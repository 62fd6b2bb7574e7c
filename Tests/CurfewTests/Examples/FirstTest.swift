import Curfew
import Testing

@Test func `an upload that does not end is warned, then killed`() throws {
  let device = Device(policy: .ios13, clock: .virtual)
  let mail = device.register("com.example.mail")
  mail.launch()
  try mail.run { _ = mail.beginBackgroundTask(withName: "upload") { print("time is up") } }
  device.home()
  device.advance(by: .seconds(25))
  #expect(mail.expirations.map(\.task) == ["upload"])
  device.advance(by: .seconds(5))
  #expect(device.leakedTasks.map(\.name) == ["upload"])
  print(mail.processEnds[0])
}
