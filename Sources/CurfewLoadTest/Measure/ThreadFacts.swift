import CurfewSystem
import Foundation

/// The processor time of the calling thread and of the process, and the number of times that the
/// thread has left its core.
struct ThreadFacts: Hashable {
  /// Processor time in user space and in the kernel, in nanoseconds.
  var processorNanoseconds: Int64
  /// Processor time of all threads of the process, in nanoseconds.
  var processNanoseconds: Int64
  /// The number of involuntary context switches: the system took the core away for another thread.
  /// Always 0 if the system does not count them for a thread.
  var preemptions: Int
  /// The number of voluntary context switches: the thread waited, for a lock for example.
  var waits: Int

  /// The present values, from three system calls.
  static func now() -> ThreadFacts {
    #if canImport(Glibc)
      var usage = rusage()
      // RUSAGE_THREAD, which is declared for GNU sources only.
      precondition(getrusage(__rusage_who_t(1), &usage) == 0, "getrusage failed with \(errno)")
      let (preemptions, waits) = (Int(usage.ru_nivcsw), Int(usage.ru_nvcsw))
    #else
      let (preemptions, waits) = (0, 0)
    #endif
    var time = timespec()
    precondition(
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "clock_gettime failed with \(errno)")
    return ThreadFacts(
      processorNanoseconds: SystemClock.thread.now,
      processNanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec),
      preemptions: preemptions, waits: waits)
  }

  /// The part of a time since `start` in which another process certainly had the thread's core.
  ///
  /// A thread that lost its core and waited for nothing was ready to run all the time, so it had no
  /// core for as long as it did not run. The processor time of the process's other threads is
  /// subtracted, because they may have had that core. A thread that waited, for a lock of the
  /// device for example, may have waited for all of the time, so the result is 0.
  ///
  /// - Parameter length: The length of that time, in nanoseconds.
  func preempted(since start: ThreadFacts, length: Int64) -> Int64 {
    guard preemptions > start.preemptions, waits == start.waits else { return 0 }
    let own = processorNanoseconds - start.processorNanoseconds
    let others = max(0, processNanoseconds - start.processNanoseconds - own)
    return max(0, length - own - others)
  }
}
