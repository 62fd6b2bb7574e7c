import CurfewSystem

/// The load of a machine's cores since the machine was started, and this process's part of
/// the load.
struct MachineLoad {
  /// All ticks of all cores, the busy ticks, and the ticks that this process has used.
  var all: Double
  var busy: Double
  var own: Double

  /// The load now, from the first line of Linux's `/proc/stat` and from `getrusage`; nil if there
  /// is no such file.
  static func now() -> MachineLoad? {
    guard let file = try? FileBytes.read("/proc/stat", limit: 8 << 20) else { return nil }
    return MachineLoad(
      statistics: String(decoding: file.prefix(512), as: UTF8.self), ProcessFacts.now())
  }

  /// - Parameter statistics: `cpu  user nice system idle iowait irq softirq steal …`, in ticks.
  init?(statistics: String, _ facts: ProcessFacts) {
    let words = statistics.prefix { $0 != "\n" }.split(separator: " ")
    let ticks = words.dropFirst().prefix(8).compactMap { Double($0) }
    guard words.first == "cpu", ticks.count == 8 else { return nil }
    all = ticks.reduce(0, +)
    // A core that waits for a disk counts as free. A core that the hypervisor gave to another guest
    // counts as busy.
    busy = all - ticks[3] - ticks[4]
    own =
      Double(facts.userNanoseconds + facts.systemNanoseconds) / 1e9
      * Double(ProcessFacts.ticksPerSecond)
  }

  /// The share of the cores' time that other processes have taken until `end`, 0 to 1; nil if no
  /// tick has passed or `end` is nil.
  func othersShare(until end: MachineLoad?) -> Double? {
    guard let end, end.all > all else { return nil }
    return min(1, max(0, (end.busy - busy) - (end.own - own)) / (end.all - all))
  }
}
