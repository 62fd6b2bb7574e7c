import Foundation

/// The resources that the process has used so far, and the number of cores.
package struct ProcessFacts: Hashable, Sendable {
  /// Processor time spent in the process, in nanoseconds, since its start.
  package var userNanoseconds: Int64
  /// Processor time spent in the kernel for the process.
  package var systemNanoseconds: Int64
  /// The peak memory use of the process, in bytes.
  package var peakMemory: Int64
  /// The processor cores that are online.
  package var cores: Int

  package init(userNanoseconds: Int64, systemNanoseconds: Int64, peakMemory: Int64, cores: Int) {
    self.userNanoseconds = userNanoseconds
    self.systemNanoseconds = systemNanoseconds
    self.peakMemory = peakMemory
    self.cores = cores
  }

  /// The number of this process.
  package static var ownIdentifier: Int32 { getpid() }

  /// The number of ticks that Linux counts per second of one core.
  package static var ticksPerSecond: Int { sysconf(Int32(_SC_CLK_TCK)) }

  /// The current values, from `getrusage`, `sysconf`, and on Linux `/proc/self/status`.
  package static func now() -> ProcessFacts {
    var usage = rusage()
    #if canImport(Glibc)
      let result = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      let result = getrusage(RUSAGE_SELF, &usage)
    #endif
    precondition(result == 0, "getrusage failed with \(errno)")
    return ProcessFacts(
      userNanoseconds: nanoseconds(usage.ru_utime), systemNanoseconds: nanoseconds(usage.ru_stime),
      peakMemory: peakMemory(usage), cores: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
  }

  private static func nanoseconds(_ time: timeval) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000
  }

  private static func peakMemory(_ usage: rusage) -> Int64 {
    #if canImport(Darwin)
      return Int64(usage.ru_maxrss)
    #else
      // ru_maxrss survives exec: a small program started by a large program would report the large
      // program's peak.
      return ProcessTable.peakMemory(getpid()) ?? Int64(usage.ru_maxrss) * 1024
    #endif
  }
}
