import CurfewSystem

/// How busy a machine's cores have been since it was started, and for how much of that this process
/// was the cause.
struct MachineLoad {
  /// Ticks of all cores, those in which they were busy, and those that this process has used.
  var all: Double
  var busy: Double
  var own: Double

  /// As it is now: the first line of Linux's `/proc/stat`, and `getrusage`; nil where there is no
  /// such file.
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
    // Of a core that waits for a disk nobody is in the way. One that the hypervisor gave
    // to somebody else is busy.
    busy = all - ticks[3] - ticks[4]
    own =
      Double(facts.userNanoseconds + facts.systemNanoseconds) / 1e9
      * Double(ProcessFacts.ticksPerSecond)
  }

  /// The share of the cores' time that others than this process have taken until then, 0 to 1; nil
  /// where no tick has passed, or there is nothing to go by.
  func othersShare(until end: MachineLoad?) -> Double? {
    guard let end, end.all > all else { return nil }
    return min(1, max(0, (end.busy - busy) - (end.own - own)) / (end.all - all))
  }
}
