#if os(Linux)
  import CurfewLoadTest
  import CurfewSystem
  import CurfewUV
  import TestRuns
  import Testing

  /// The floor of a load test: a bare timer.
  @Suite(.inTurn) struct BareTimerTests {
    private func now() -> Int64 { UVClock.Source.monotonic.read() }

    @Test func `each deadline fires once, and none early`() throws {
      let start = now()
      let deadlines = [1, 1, start] + (0..<1_000).map { start + 20_000_000 + $0 * 200_000 }
      let lateness = try BareTimer(deadlines: deadlines).run()
      #expect(
        lateness.nanoseconds.count == 1_003 && lateness.unfired == 0 && lateness.repeated == 0)
      #expect((1...1_003).contains(lateness.wakeUps) && lateness.nanoseconds.allSatisfy { $0 >= 0 })
      #expect(now() >= deadlines[1_002])
      // A deadline that has already passed is late by exactly that time.
      #expect(lateness.nanoseconds[0] >= start - 1)
    }

    @Test func `lateness is measured to the nanosecond, on a clock whose lateness is known`() {
      let timer = KnownTimer(late: [7, 1, 13])
      let deadlines: [Int64] = [1_000, 2_000, 2_000, 5_000, 5_001, 5_002]
      let lateness = BareTimer(deadlines: deadlines).run(on: timer)
      // The timer fires at 1,007, 2,001 and 5,013.
      #expect(lateness.nanoseconds == [7, 1, 1, 13, 12, 11])
      #expect(lateness.wakeUps == 3 && lateness.unfired == 0 && lateness.armedLate == 0)
      #expect(timer.settings == [1_000, 2_000, 5_000])
    }

    @Test func `a median is that of the known latenesses`() {
      // 101 deadlines, 0 to 100 ns late in a mixed order.
      let late = (0..<101).map { Int64($0 * 37 % 101) }
      let deadlines = (1...101).map { Int64($0) * 1_000 }
      var histogram = LatenessPercentiles()
      for nanoseconds in BareTimer(deadlines: deadlines).run(on: KnownTimer(late: late)).nanoseconds
      {
        histogram.record(nanoseconds)
      }
      #expect(histogram.p50 == 50 && histogram.p90 == 90 && histogram.max == 100)
    }

    @Test func `a timer that is set late is found`() {
      let timer = KnownTimer(late: [0, 0, 0], armsLate: 50)
      let lateness = BareTimer(deadlines: [1_000, 2_000, 3_000]).run(on: timer)
      #expect(lateness.nanoseconds == [50, 50, 50] && lateness.armedLate == 50)
    }

    @Test func `a wake-up without a firing counts for nothing`() {
      let timer = KnownTimer(late: [nil, nil, 4])
      let lateness = BareTimer(deadlines: [1_000]).run(on: timer)
      #expect(lateness.nanoseconds == [4] && lateness.wakeUps == 1)
    }

    @Test func `the kernel says when a timer fires`() throws {
      let timer = try TimerDescriptor(on: .monotonic)
      #expect(timer.remaining == 0)
      let instant = now() + 3_600_000_000_000
      timer.set(instant)
      let (before, remaining, after) = (now(), timer.remaining, now())
      #expect((before...after).contains(instant - remaining))
      timer.set(1)
      #expect(timer.remaining == 0)
    }

    @Test func `without deadlines there is nothing to wait for`() throws {
      #expect(try BareTimer(deadlines: []).run().nanoseconds == [])
    }

    @Test func `a run that is asked to stop stops`() throws {
      let start = now()
      // The first is due at once, so it fires however long the machine stands still.
      let floor = try BareTimer(deadlines: [start, start + 3_600_000_000_000]).run {
        now() >= start + 1_000_000_000
      }
      #expect(floor.nanoseconds.count == 1 && floor.unfired == 1)
      #expect(now() - start < 300_000_000_000)
    }
  }

  /// A timer on a clock of its own that moves only while something waits.
  private final class KnownTimer: FloorTimer {
    /// The lateness of each firing; nil for a wait that ends without one.
    private let late: [Int64?]
    /// The time by which each setting is later than asked for.
    private let armsLate: Int64
    private var waits = 0
    private var instant: Int64?
    private(set) var now: Int64 = 0
    private(set) var settings: [Int64] = []

    init(late: [Int64?], armsLate: Int64 = 0) { (self.late, self.armsLate) = (late, armsLate) }

    var remaining: Int64 { instant.map { max(0, $0 - now) } ?? 0 }

    func set(_ instant: Int64?) {
      if let instant, settings.last != instant { settings.append(instant) }
      self.instant = instant.map { $0 + armsLate }
    }

    func take(within milliseconds: Int32) -> Bool {
      defer { waits += 1 }
      guard let instant, let late = late[waits] else { return false }
      now = instant + late
      self.instant = nil
      return true
    }
  }
#endif
