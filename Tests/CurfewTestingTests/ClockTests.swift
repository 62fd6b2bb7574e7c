import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// The clocks of Foundation and Dispatch in code that runs on a device.
@Suite(.enabled(if: VirtualTime.followsDates, "Dates do not follow a device here"))
struct ClockTests {
  static let runs = ProcessInfo.processInfo.environment["CURFEW_RUNS"].flatMap { Int($0) } ?? 10

  @Test(arguments: [Device.virtualStartDate.timeIntervalSinceReferenceDate, 7.9e8 + 0.1, -9e8])
  func `a date is the device's date to the last bit, on every kind of captured thread`(
    start: TimeInterval
  ) async throws {
    let start = Date(timeIntervalSinceReferenceDate: start)
    try await withDevice(Device(policy: .ios13, startDate: start)) { device in
      #expect(Date() == start && device.date == start)
      for step in 1...100 {
        device.advance(by: .nanoseconds(1_234_567_891 * step))
        #expect(Date() == device.date)
      }
      #expect(await Task.detached { Date() == device.date }.value)
      #expect(await MainActor.run { Date() == device.date })
      try await Task.sleep(for: .milliseconds(1300))
      #expect(Date() == device.date && device.date.timeIntervalSinceNow == 0)
      #expect(Date(timeIntervalSinceNow: 60) == device.date + 60)
    }
  }

  @Test func `a callback reads the date of its instant`() async throws {
    final class Reader: AppDelegate, @unchecked Sendable {
      var dates: [Date] = []
      func applicationDidEnterBackground(_ app: App) { dates.append(Date()) }
    }
    try await withDevice(Device(policy: .ios13)) { device in
      let reader = Reader()
      let app = device.register("com.example.mail", delegate: reader)
      app.launch()
      device.advance(by: .seconds(90))
      device.home()
      #expect(reader.dates == [Device.virtualStartDate + 90])
    }
  }

  @Test func `the clocks that count from another zero advance with the date`() async throws {
    try await withDevice(Device(policy: .ios13)) { device in
      func read() -> [Double] {
        [
          Double(DispatchTime.now().uptimeNanoseconds) / 1e9,
          -Double(Int64(bitPattern: DispatchWallTime.now().rawValue)) / 1e9,
          ProcessInfo.processInfo.systemUptime, NSDate().timeIntervalSinceReferenceDate,
        ]
      }
      let before = read()
      device.advance(by: .seconds(3600))
      for (after, before) in zip(read(), before) { #expect(abs(after - before - 3600) < 1e-5) }
      let wall = -Double(Int64(bitPattern: DispatchWallTime.now().rawValue)) / 1e9
      #expect(wall == device.date.timeIntervalSince1970)
    }
  }

  @Test(.device(.ios13, startDate: Date(timeIntervalSince1970: 1_767_225_600)))
  func `calendars follow the day that a test has chosen`() {
    let newYear = Date(timeIntervalSince1970: 1_767_225_600)
    #expect(Calendar.current.isDateInToday(newYear))
    Device.current.advance(by: .seconds(86400))
    #expect(Calendar.current.isDateInYesterday(newYear))
  }

  @Test func `a loop until a date ends after that time, with as many turns in each run`()
    async throws
  {
    for _ in 0..<Self.runs {
      let turns = try await withDevice(Device(policy: .ios13)) { device in
        let end = Date() + 3
        var turns = 0
        while Date() < end {
          try await Task.sleep(for: .milliseconds(100))
          turns += 1
        }
        #expect(device.now == .zero + .seconds(3))
        return turns
      }
      #expect(turns == 30)
    }
  }

  @Test func `W5 a client's own date delays its request by a day of the device`() async throws {
    let identifier = "com.example.mail.refresh"
    final class Refresher: AppDelegate, @unchecked Sendable {
      var starts: [Date] = []
      func applicationDidFinishLaunching(_ app: App) {
        app.taskScheduler.register(forTaskWithIdentifier: "com.example.mail.refresh", using: nil) {
          task in
          self.starts.append(app.date)
          task.setTaskCompleted(success: true)
        }
      }
    }
    try await withDevice(Device(policy: .ios13)) { device in
      let refresher = Refresher()
      let app = device.register(
        "com.example.mail",
        manifest: AppManifest(backgroundModes: .fetch, permittedIdentifiers: [identifier]),
        delegate: refresher)
      app.launch()
      let request = BGAppRefreshTaskRequest(identifier: identifier)
      request.earliestBeginDate = Date(timeIntervalSinceNow: 86400)
      try app.taskScheduler.submit(request)
      device.home()
      device.advance(by: .seconds(3 * 86400))
      #expect(refresher.starts == [Device.virtualStartDate + 86400])
    }
  }

  @Test(arguments: [-1.6e9, 0, 4.7e9])
  func `a time of Dispatch's wall clock is as far ahead as it says, on any date`(
    start: TimeInterval
  ) async throws {
    let start = Date(timeIntervalSince1970: start)
    try await withDevice(Device(policy: .ios13, startDate: start)) { device in
      await withCheckedContinuation { answer in
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + 5) { answer.resume() }
      }
      #expect(abs((device.date - 5).timeIntervalSince(start)) < 1e-5)
    }
  }

  @Test func `the clocks of the host and the date of a device in real time are the machine's`()
    throws
  {
    try withDevice(Device(policy: .ios13)) { device in
      #expect(HostClocks.now().wall > 1_700_000_000_000_000_000)
      #expect(Device(policy: .ios13, clock: .realTime(Clock())).date.timeIntervalSince1970 > 1.7e9)
      #expect(Date() == device.date)
    }
  }

  /// A real clock that stands still.
  private final class Clock: RealTimeClock, @unchecked Sendable {
    let name = "monotonic"
    func now() -> Instant { .zero }
    func arm(_ deadline: Instant?) {}
    func start(_ tick: @escaping @Sendable () -> Void) {}
    func stop() {}
  }

  // MARK: Everybody else

  /// The machine's clock, read by the test's own call of the C library.
  fileprivate static func seconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func `other threads, and calls of the C library, read the machine's clocks`() async throws {
    try await withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      device.advance(by: .seconds(60))
      #expect(Self.seconds(CLOCK_REALTIME) > 1.7e9)
      let date = await withCheckedContinuation { answer in
        Thread.detachNewThread { answer.resume(returning: Date()) }
      }
      #expect(date.timeIntervalSince1970 > 1.7e9 && Date() == device.date)
    }
  }

  @Test func `waits that real time serves take as long as they would on the device`() throws {
    try withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      device.advance(by: .seconds(100_000))
      func lasts(_ wait: () -> Bool) -> Bool {
        let begin = Self.seconds()
        let isOver = wait()
        let span = Self.seconds() - begin
        return !isOver && span >= 0.0499 && span < 30
      }
      let lock = NSLock()
      lock.lock()
      #expect(lasts { lock.lock(before: Date() + 0.05) })
      // A run loop without a timer ends at once.
      let timer = Timer(fire: Date() + 3600, interval: 0, repeats: false) { _ in }
      RunLoop.current.add(timer, forMode: .default)
      #expect(
        lasts {
          RunLoop.current.run(until: Date() + 0.05)
          return false
        })
      timer.invalidate()
      lock.unlock()
    }
  }

  @Test func `a client's own wait in the C library moves no clock of the device`() throws {
    typealias Poll =
      @convention(c) (
        UnsafeMutableRawPointer?, UInt, UnsafeRawPointer?, UnsafeRawPointer?
      ) -> Int32
    let poll = unsafeBitCast(try #require(dlsym(nil, "ppoll")), to: Poll.self)
    try withDevice(Device(policy: .ios13)) { device in
      var span = timespec(tv_sec: 0, tv_nsec: 20_000_000)
      #expect(poll(nil, 0, &span, nil) == 0)
      #expect(NSDate().timeIntervalSinceReferenceDate == 0 && Date() == device.date)
    }
  }

  @Test func `a timer source is as far ahead in real time`() async throws {
    try await withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      device.advance(by: .seconds(100_000))
      let queue = DispatchQueue(label: "delayed")
      let begin = Self.seconds()
      let timer = DispatchSource.makeTimerSource(queue: queue)
      await withCheckedContinuation { answer in
        timer.schedule(deadline: .now() + 0.05)
        timer.setEventHandler { answer.resume() }
        timer.resume()
      }
      timer.cancel()
      let span = Self.seconds() - begin
      #expect(span >= 0.0499 && span < 50_000)
    }
  }
}

/// Code in real time that runs beside tests with a device.
struct RealClockTests {
  @Test func `dates, times and timers of a test without a device are real`() async throws {
    for _ in 0..<ClockTests.runs {
      let (earliest, date, time, begin) = (
        ClockTests.seconds(CLOCK_REALTIME), Date(), DispatchTime.now(), ClockTests.seconds()
      )
      #expect(date.timeIntervalSince1970 >= earliest - 0.001)
      #expect(date.timeIntervalSince1970 <= ClockTests.seconds(CLOCK_REALTIME) + 0.001)
      await withCheckedContinuation { answer in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.002) { answer.resume() }
      }
      try await Task.sleep(for: .milliseconds(2))
      let uptime = DispatchTime.now().uptimeNanoseconds - time.uptimeNanoseconds
      // The machine's own clock tells the most that may have passed.
      let longest = ClockTests.seconds() - begin + 0.1
      let span = -date.timeIntervalSinceNow
      #expect(span > 0.0035 && uptime > 3_500_000 && Double(uptime) / 1e9 <= longest)
    }
  }
}
