import Curfew
import CurfewEngine
import CurfewUV

/// Expirations of background tasks. One app after another leaves the foreground with a task, whose
/// handler ends it; the app is then suspended.
///
/// A grant of 25 s starts when the app has left the foreground and begins its task, so the device
/// has the deadlines, and each lateness is that after the device's own deadline. The apps leave at
/// the distances of the plan's deadlines, and a time scale makes the grant longer than
/// all departures together.
final class TaskExpirations: Contestant {
  private static let warning: Int64 = 25

  private let deadlines: Deadlines
  private let firings: Firings
  private let clock: UVClock
  private let device: Device
  private let uploaders: [Uploader]
  private let apps: [App]
  /// The wall time from a departure to its warning.
  private let length: Int64

  init(_ plan: inout Plan) throws {
    let deadlines = try Deadlines(&plan)
    let span = deadlines.last - (deadlines.dues.min() ?? 0)
    // A multiple of 25 ns, which the scale then gives without a rest.
    let unit = (span + span / 8 + 100_000_000) / TaskExpirations.warning
    length = unit * TaskExpirations.warning
    let fraction = String(unit % 1_000_000_000)
    let zeros = String(repeating: "0", count: 9 - fraction.count)
    guard let scale = TimeScale("\(unit / 1_000_000_000).\(zeros)\(fraction)") else {
      throw CannotTakePart(reason: "no time scale makes a grant of 25 s last \(length) ns")
    }
    self.deadlines = deadlines
    firings = Firings(deadlines)
    clock = try UVClock(scale: scale)
    device = Device(policy: .ios13, clock: .realTime(clock), facts: DeviceFacts(memory: 1 << 50))
    uploaders = deadlines.dues.indices.map { [clock, firings, length] timer in
      Uploader(timer, firings, clock, grant: length)
    }
    apps = uploaders.map { [device] in device.register("app\($0.timer)", delegate: $0) }
  }

  func run(start: Int64) -> Measurement {
    let began = now()
    let first = start + (deadlines.dues.min() ?? 0) - length
    guard began <= first else { return .late(began - first) }
    firings.reset(start: start)
    for (timer, app) in apps.enumerated() {
      sleep(until: firings.instant(of: timer) - length)
      app.launch()
      app.home()
    }
    let late = now() - start
    firings.wait()
    return late < 0 ? .measured(began: began, ended: now()) : .late(late)
  }

  func answer(to text: inout Text) { firings.append(to: &text) }
}

/// An app that begins a task when it leaves the foreground, and ends the task in the handler.
private final class Uploader: AppDelegate, @unchecked Sendable {
  let timer: Int
  private let firings: Firings
  private let clock: UVClock
  private let grant: Int64
  /// The wall times before and after the task began.
  private var begin: ClosedRange<Int64> = 0...0

  init(_ timer: Int, _ firings: Firings, _ clock: UVClock, grant: Int64) {
    (self.timer, self.firings, self.clock, self.grant) = (timer, firings, clock, grant)
  }

  func applicationDidEnterBackground(_ app: App) {
    let before = clock.wallNow()
    _ = app.beginBackgroundTask(withName: "upload") { [self] expiration in
      let reached = clock.wallNow()
      let due = clock.scale.wall(for: expiration.due)
      // A wrong deadline of the device shows as an early or a late timer.
      let right = min(max(due, begin.lowerBound + grant), begin.upperBound + grant)
      firings.note(timer, late: reached - right)
      app.endBackgroundTask(expiration.identifier)
    }
    begin = before...clock.wallNow()
  }
}
