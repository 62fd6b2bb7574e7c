import CTimer
import Glibc

/// The floor: one `timerfd`, `poll`, a sorted array. Every program that waits for deadlines
/// and other events pays this cost.
func runBareLoop(_ deadlines: [Int64]) -> Sample {
  let timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
  precondition(timer >= 0, "cannot create a timerfd: error \(errno)")
  defer { close(timer) }
  var watched = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
  var latenesses = [Int64](repeating: 0, count: deadlines.count)
  var next = 0
  let before = processorTime()
  while next < deadlines.count {
    var setting = itimerspec()
    setting.it_value = timespec(
      tv_sec: Int(deadlines[next] / 1_000_000_000), tv_nsec: Int(deadlines[next] % 1_000_000_000))
    timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    guard poll(&watched, 1, -1) > 0 else { continue }
    var fired: UInt64 = 0
    guard read(timer, &fired, 8) > 0 else { continue }
    while next < deadlines.count {
      let late = now() - deadlines[next]
      guard late >= 0 else { break }
      latenesses[next] = late
      next += 1
    }
  }
  let cost = Double(processorTime() - before) / Double(deadlines.count)
  return Sample(cost: cost, latenesses: latenesses.sorted())
}
