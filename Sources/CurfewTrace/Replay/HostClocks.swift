public import CurfewEngine

/// The clocks of a host at one moment: the line `resumed` keeps them, so that a later process knows
/// how long the run was away.
public struct HostClocks: Hashable, Sendable {
  /// The id of the system's boot.
  public var boot: String
  /// The time since the boot in nanoseconds, asleep or awake (CLOCK_BOOTTIME).
  public var uptime: Int64
  /// The wall clock, in nanoseconds since 1970.
  public var wall: Int64

  /// Creates a reading.
  /// - Precondition: No value is negative.
  public init(boot: String, uptime: Int64, wall: Int64) {
    precondition(uptime >= 0 && wall >= 0, "Clocks at \(uptime) ns and \(wall) ns")
    (self.boot, self.uptime, self.wall) = (boot, uptime, wall)
  }
}

/// The instant at which a resumed run goes on.
public struct Continuation: Hashable, Sendable {
  /// The instant: that of the trace's last line, and the time away.
  public let instant: Instant
  /// Whether the system has been booted since. The host then says the event `reboot`.
  public let hasRebooted: Bool
  /// How far a clock is behind the trace; the time away then counts as 0. Nil if it is not behind.
  /// Within a boot that is the time since the boot, else the wall clock.
  public let behind: Interval?
}

extension Replay {
  /// The last line `resumed` of a trace, and the trace's last instant.
  public struct LastStart: Hashable, Sendable {
    /// The instant of the line.
    public let time: Instant
    /// The clocks at that instant.
    public let clocks: HostClocks
    /// The path of the cgroup that the line names.
    public let cgroup: String?
    /// The instant of the trace's last line.
    public let last: Instant

    /// The instant at which the run goes on, if the clocks are these now.
    ///
    /// Within a boot, the time away is the uptime now, less the uptime of the line and the engine's
    /// time since then. After another boot it is the difference of the wall clocks: that of now,
    /// and that of the line and the engine's time since then. A wall clock that was set forward
    /// is believed.
    public func continuation(at now: HostClocks) -> Continuation {
      let hasRebooted = now.boot != clocks.boot
      let start = Instant(nanoseconds: hasRebooted ? clocks.wall : clocks.uptime)
      let end = Instant(nanoseconds: hasRebooted ? now.wall : now.uptime)
      let away = end - (start + (last - time))
      return Continuation(
        instant: away > .zero ? last + away : last, hasRebooted: hasRebooted,
        behind: away < .zero
          ? Interval(nanoseconds: Int64(clamping: away.nanoseconds.magnitude)) : nil)
    }
  }
}
