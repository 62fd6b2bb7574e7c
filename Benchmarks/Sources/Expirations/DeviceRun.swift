import Curfew
import CurfewEngine
import CurfewUV

/// An app that begins a task when it leaves the foreground, and ends the task in the handler.
final class Uploader: AppDelegate, @unchecked Sendable {
  let clock: UVClock
  /// The instants at which the warning was due and the handler's first line ran, in wall time
  /// of the clock. The handler writes them; they are read after the run.
  var due: Int64 = -1
  var reached: Int64 = -1

  init(_ clock: UVClock) { self.clock = clock }

  func applicationDidEnterBackground(_ app: App) {
    _ = app.beginBackgroundTask(withName: "upload") { [unowned self] expiration in
      reached = clock.wallNow()
      due = clock.scale.wall(for: expiration.due)
      app.endBackgroundTask(expiration.identifier)
    }
  }
}

/// The error if the apps did not leave the foreground before their warnings were due, because
/// the machine is busy.
struct TooBusy: Error {}

/// Curfew: a device on a libuv loop, with one app per deadline. Only expirations happen during
/// the measurement: all apps leave the foreground before the first expiration.
///
/// - Returns: The sample, and the instants of the warnings relative to the first.
func runDevice(apps count: Int, distance: Int64) throws -> (sample: Sample, dues: [Int64]) {
  // The warning comes 25 s of virtual time after the departure. The time scale makes this interval
  // longer than all departures together.
  let departures = Int64(count) * distance
  let wallOfWarning = departures + departures / 4 + 200_000_000
  let scale = TimeScale(
    "0.\(String(repeating: "0", count: max(0, 9 - "\(wallOfWarning / 25)".count)))\(wallOfWarning / 25)"
  )!
  let clock = try UVClock(scale: scale)
  let device = Device(policy: .ios13, clock: .realTime(clock), facts: DeviceFacts(memory: 1 << 50))
  defer { device.close() }
  let uploaders = (0..<count).map { _ in Uploader(clock) }
  let apps = uploaders.enumerated().map { device.register("app\($0.offset)", delegate: $0.element) }
  let start = now() + 10_000_000
  for (index, app) in apps.enumerated() {
    sleep(until: start + Int64(index) * distance)
    app.launch()
    app.home()
  }
  let origin = now() - clock.wallNow()
  let firstDue = start - origin + wallOfWarning
  guard clock.wallNow() < firstDue - 20_000_000 else { throw TooBusy() }
  sleep(until: origin + firstDue - 5_000_000)
  let before = processorTime()
  sleep(until: origin + firstDue + departures + 100_000_000)
  let used = processorTime() - before
  let late = uploaders.filter { $0.reached < 0 }.count
  precondition(late == 0, "\(late) handlers were not called")
  let dues = uploaders.map(\.due).sorted()
  let sample = Sample(
    cost: Double(used) / Double(count), latenesses: uploaders.map { $0.reached - $0.due }.sorted())
  return (sample, dues.map { $0 - dues[0] })
}
