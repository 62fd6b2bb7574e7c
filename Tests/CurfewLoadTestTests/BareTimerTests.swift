#if os(Linux)
  import CurfewLoadTest
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
      #expect((1...1_003).contains(lateness.wakeUps) && lateness.early == 0)
      #expect(now() >= deadlines[1_002])
      // A deadline that has already passed is late by exactly that time.
      #expect(lateness.nanoseconds[0] >= start - 1)
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
#endif
