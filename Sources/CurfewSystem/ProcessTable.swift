import Foundation

/// A process that Linux lists in `/proc`.
package struct ProcessEntry: Sendable, Hashable {
  package var identifier: Int32
  /// The number of its parent.
  package var parent: Int32
  package var group: Int32
  /// The time at which it began, in ticks since the boot.
  package var start: UInt64
  /// The name of the program, cut to 15 bytes by the kernel.
  package var name: String
  /// Processor time in user space and in the kernel, from ticks.
  package var processorNanoseconds: Int64
  /// Processor time of its children that have ended and were waited for, from ticks.
  package var endedChildrenNanoseconds: Int64

  /// Reads `pid (name) state parent group …` of `/proc/PID/stat`. The name may contain anything,
  /// even a byte that would make one character of a parenthesis and its neighbour.
  package init?(statistics bytes: [UInt8]) {
    let space = UInt8(ascii: " ")
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close,
      let identifier = Int32(String(decoding: bytes[..<open].prefix { $0 != space }, as: UTF8.self))
    else { return nil }
    let words = bytes[(close + 1)...].split(separator: space).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count > 19, let parent = Int32(words[1]), let group = Int32(words[2]),
      let user = Int64(words[11]),
      let system = Int64(words[12]), let childUser = Int64(words[13]),
      let childSystem = Int64(words[14]), let start = UInt64(words[19])
    else { return nil }
    (self.identifier, self.parent, self.group, self.start) = (identifier, parent, group, start)
    name = String(decoding: bytes[(open + 1)..<close], as: UTF8.self)
    let tick = 1_000_000_000 / Int64(max(1, ProcessFacts.ticksPerSecond))
    processorNanoseconds = (user + system) * tick
    endedChildrenNanoseconds = (childUser + childSystem) * tick
  }
}

/// The processes of the machine, from Linux's `/proc`.
package enum ProcessTable {
  /// All processes; empty on other systems.
  package static func all() -> [ProcessEntry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { name in
      guard let number = Int32(name) else { return nil }
      return entry(number)
    }
  }

  /// One process; nil if there is none.
  package static func entry(_ identifier: Int32) -> ProcessEntry? {
    guard let bytes = try? FileBytes.read("/proc/\(identifier)/stat", limit: 1 << 16) else {
      return nil
    }
    return ProcessEntry(statistics: bytes)
  }

  /// The resources that the processes of a group have used.
  package struct GroupUse: Sendable, Hashable {
    package var processorNanoseconds: Int64 = 0
    /// The sum of the peaks of the processes' memory, in bytes.
    package var peakMemory: Int64 = 0
  }

  /// The resources that the living processes of `group` have used, all threads included, the ended
  /// ones too, and their ended children.
  package static func use(ofGroup group: Int32) -> GroupUse {
    var use = GroupUse()
    for entry in all() where entry.group == group {
      use.processorNanoseconds +=
        (exactProcessorNanoseconds(entry.identifier) ?? entry.processorNanoseconds)
        + entry.endedChildrenNanoseconds
      use.peakMemory += peakMemory(entry.identifier) ?? 0
    }
    return use
  }

  /// The processor time by the process's own clock. Unlike the sum over `task/*/schedstat`, it
  /// contains the threads that have ended.
  private static func exactProcessorNanoseconds(_ identifier: Int32) -> Int64? {
    #if canImport(Darwin)
      return nil
    #else
      var clock = clockid_t()
      var time = timespec()
      guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return nil
      }
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    #endif
  }

  /// `VmHWM:     12345 kB` in `/proc/PID/status`. `wait4` would report the peak of this process if
  /// it is larger, because `ru_maxrss` survives exec.
  package static func peakMemory(_ identifier: Int32) -> Int64? {
    guard let status = try? FileBytes.read("/proc/\(identifier)/status", limit: 1 << 16) else {
      return nil
    }
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("VmHWM:") {
      return Int64(String(line.filter { $0.isASCII && $0.isNumber })).map { $0 * 1024 }
    }
    return nil
  }
}
