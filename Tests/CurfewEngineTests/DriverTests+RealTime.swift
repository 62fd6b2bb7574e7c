import Testing

@testable import CurfewEngine

/// A driver with a late host.
extension DriverTests {
  @Test func `in real time the answer to a callback has a limit`() async {
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13), pace: .late)
      driver.say(.launch(driver.addApp()))
      while driver.next() != nil {}
    }
  }

  @Test func `a late driver takes due steps at the instant at which its host calls`() {
    var driver = driver(pace: .late)
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app && driver.pull() == nil)
    #expect(
      run(&driver, until: seconds(100)) == [
        "100s a slowLaunch", "100s a inactive → notRunning",
        "100s a terminated appWatchdog 0x8badf00d",
      ])
    #expect(driver.now == seconds(100))
  }

  @Test func `M1, A10 short memory does not let an overdue app return first`() {
    for footprint in [0, 200 << 20] as [Int64] {
      var driver = driver(device: DeviceFacts(memory: 100 << 20), pace: .late)
      driver.say(.launch(app))
      _ = run(&driver, until: .zero)
      driver.say(.home(app))
      #expect(pullToTurn(&driver) == app)
      driver.say(.returned(app))
      #expect(pullToTurn(&driver) == app)
      driver.rest(app, for: .seconds(6))
      driver.say(.setFootprint(app, footprint))
      #expect(run(&driver, until: seconds(10)).contains("10s a terminated appWatchdog 0x8badf00d"))
    }
  }
}
