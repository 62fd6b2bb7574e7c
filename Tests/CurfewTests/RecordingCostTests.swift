import Curfew
import Foundation
import Testing

/// The cost of recordings, in an optimized build only: `.ci/optimized` measures it.
@Suite struct RecordingCostTests {
  #if DEBUG
    private static let isMeasured = false
  #else
    private static let isMeasured = ProcessInfo.processInfo.environment["CURFEW_RUNS"] != nil
  #endif

  /// The time of a begin and an end, in nanoseconds, while a device is recorded.
  private func cost(_ clock: DeviceClock, toFile path: String?) throws -> Double {
    let device = Device(policy: .ios13, clock: clock)
    if let path { device.record(to: try FileSink(path)) } else { device.startRecording() }
    let mail = device.register("mail")
    mail.launch()
    func work(_ pairs: Int) {
      for _ in 0..<pairs {
        mail.endBackgroundTask(mail.beginBackgroundTask(withName: "upload"))
      }
    }
    work(10_000)
    device.waitForRecording()
    let (pairs, start) = (100_000, DispatchTime.now().uptimeNanoseconds)
    work(pairs)
    let time = DispatchTime.now().uptimeNanoseconds - start
    device.close()
    return Double(time) / Double(pairs)
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  @Test(
    .enabled(if: isMeasured, "only in .ci/optimized"), arguments: [("real", 1.3), ("virtual", 2)])
  func `a file costs little more than memory`(time: String, limit: Double) throws {
    let path = NSTemporaryDirectory() + "curfew-\(UUID()).jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var (file, memory): ([Double], [Double]) = ([], [])
    for _ in 0..<9 {
      for isFile in [true, false] {
        let clock: DeviceClock = time == "real" ? .realTime(ThreadClock()) : .virtual
        let cost = try cost(clock, toFile: isFile ? path : nil)
        if isFile { file.append(cost) } else { memory.append(cost) }
      }
    }
    let ratio = median(file) / median(memory)
    print(
      "begin and end, \(time) time: \(median(file)) ns with a file, \(median(memory)) ns in memory, ratio \(ratio)"
    )
    // On a virtual clock each call writes to the system before it returns, some 1.2 µs a write.
    #expect(ratio <= limit)
  }
}
