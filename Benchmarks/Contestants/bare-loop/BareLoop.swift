import CTimer
import Glibc

/// One `timerfd`, `poll`, and a sorted array. Every program that waits for deadlines and other
/// events pays this cost.
final class BareLoop: Contestant {
  private let firings: Firings
  /// The timers in the order of their deadlines.
  private let order: [Int]
  private let timer: Int32

  init(_ plan: inout Plan) throws {
    let deadlines = try Deadlines(&plan)
    guard deadlines.cancels.isEmpty else {
      throw CannotTakePart(reason: "the bare loop cancels no timer")
    }
    firings = Firings(deadlines)
    order = deadlines.dues.indices.sorted {
      (deadlines.dues[$0], $0) < (deadlines.dues[$1], $1)
    }
    timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    guard timer >= 0 else {
      throw CannotTakePart(reason: "timerfd_create: \(String(cString: strerror(errno)))")
    }
  }

  func run(start: Int64) -> Measurement {
    let began = now()
    firings.reset(start: start)
    guard began < start else { return .late(began - start) }
    var watched = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
    var next = 0
    while next < order.count {
      let due = firings.instant(of: order[next])
      var setting = itimerspec()
      setting.it_value = timespec(
        tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
      timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
      guard poll(&watched, 1, -1) > 0 else { continue }
      var fired: UInt64 = 0
      guard read(timer, &fired, 8) > 0 else { continue }
      while next < order.count {
        let late = now() - firings.instant(of: order[next])
        guard late >= 0 else { break }
        firings.note(order[next], late: late)
        next += 1
      }
    }
    return .measured(began: began, ended: now())
  }

  func answer(to text: inout Text) { firings.append(to: &text) }
}
