import Curfew
import CurfewUV
import Testing

/// Begins an upload when it leaves the screen, and gives up when time is up.
final class Mail: AppDelegate {
  func applicationDidEnterBackground(_ app: App) {
    _ = app.beginBackgroundTask(withName: "upload") { expiration in
      print(expiration)
      app.endBackgroundTask(expiration.identifier)
    }
  }
}

extension RealTimeTests {
  /// The README's and the catalogue's example of real time, which is top-level code in a program.
  @Suite struct ProgramExample {
    @Test(.timeLimit(.minutes(30))) func `the whole program ends`() async throws {
      let clock = try UVClock(scale: TimeScale("0.1")!)  // the grant of 30 s is over in 3 s
      let device = Device(policy: .ios13, clock: .realTime(clock))
      let mail = device.register("com.example.mail", delegate: Mail())
      let happenings = device.actions()
      mail.launch()
      for await line in happenings {
        print(line)
        if case .state(_, to: .active) = line.body { mail.home() }
        if case .state(_, to: .suspended) = line.body { device.close() }
      }
      #expect(mail.expirations.map(\.task) == ["upload"] && device.now >= .zero + .seconds(25))
    }
  }
}
