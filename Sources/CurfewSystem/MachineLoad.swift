/// The time that a machine's cores have been idle since the machine was started, and this process's
/// part of the rest.
package struct MachineLoad: Sendable {
  /// The instant of `CLOCK_MONOTONIC`, in nanoseconds.
  private let instant: Int64
  private let cores: Int
  /// The time that all cores together were idle.
  private let idleNanoseconds: Double
  private let ownNanoseconds: Double

  /// The load now, from the first line of Linux's `/proc/stat` and from `getrusage`; nil if there
  /// is no such file.
  package static func now() -> MachineLoad? {
    guard let file = try? FileBytes.read("/proc/stat", limit: 8 << 20) else { return nil }
    return MachineLoad(
      statistics: String(decoding: file.prefix(512), as: UTF8.self),
      at: SystemClock.monotonic.now, ProcessFacts.now())
  }

  /// - Parameters:
  ///   - statistics: `cpu  user nice system idle iowait irq softirq steal …`, in ticks.
  ///   - instant: The instant of the statistics, of `CLOCK_MONOTONIC`.
  package init?(statistics: String, at instant: Int64, _ facts: ProcessFacts) {
    let words = statistics.prefix { $0 != "\n" }.split(separator: " ")
    let ticks = words.dropFirst().prefix(8).compactMap { Double($0) }
    guard words.first == "cpu", ticks.count == 8 else { return nil }
    self.instant = instant
    cores = facts.cores
    // A core that waits for a disk counts as free. A core that the hypervisor gave to another guest
    // is not idle, so it counts as busy.
    idleNanoseconds = (ticks[3] + ticks[4]) / Double(ProcessFacts.ticksPerSecond) * 1e9
    ownNanoseconds = Double(facts.userNanoseconds + facts.systemNanoseconds)
  }

  /// The time until `end`, in nanoseconds.
  package func elapsed(until end: MachineLoad) -> Int64 { end.instant - instant }

  /// The share of the cores' time that other processes have taken until `end`, 0 to 1; nil if no
  /// time has passed or `end` is nil.
  ///
  /// Busy time is elapsed time minus idle time. Linux measures idle time, but it samples the use
  /// by processes: a process that sleeps before each tick would count as nothing.
  ///
  /// - Parameter children: Processor time, in nanoseconds, of processes that belong to this one.
  package func othersShare(until end: MachineLoad?, children: Int64 = 0) -> Double? {
    guard let end, end.instant > instant else { return nil }
    let all = Double(end.instant - instant) * Double(cores)
    let busy = all - (end.idleNanoseconds - idleNanoseconds)
    let own = end.ownNanoseconds - ownNanoseconds + Double(children)
    return min(1, max(0, busy - own) / all)
  }
}
