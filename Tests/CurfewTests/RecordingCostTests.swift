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

  /// The time of the two writes of a begin and an end by themselves, in nanoseconds. Each has
  /// two lines.
  private func costOfWrites(toFile path: String) throws -> Double {
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 154)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    let (pairs, start) = (100_000, DispatchTime.now().uptimeNanoseconds)
    var written = 0
    for _ in 0..<2 * pairs { written += write(file, bytes, bytes.count) }
    let time = DispatchTime.now().uptimeNanoseconds - start
    try #require(written == 2 * pairs * bytes.count)
    return Double(time) / Double(pairs)
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// In real time a thread writes many calls at once. On a virtual clock each call writes before it
  /// returns. Its two writes alone take 1.8 us, so the limit counts from memory plus writes.
  @Test(
    .enabled(if: isMeasured, "only in .ci/optimized"), .serialized, arguments: ["real", "virtual"])
  func `a file costs little more than memory and the writes before a call returns`(time: String)
    throws
  {
    let path = NSTemporaryDirectory() + "curfew-\(UUID()).jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var rounds: [(file: Double, memory: Double, writes: Double)] = []
    for _ in 0..<9 {
      func cost(toFile path: String?) throws -> Double {
        try self.cost(time == "real" ? .realTime(ThreadClock()) : .virtual, toFile: path)
      }
      rounds.append(
        (
          try cost(toFile: path), try cost(toFile: nil),
          time == "real" ? 0 : try costOfWrites(toFile: path)
        ))
    }
    // The values of one round were measured under the same load.
    let ratio = median(rounds.map { $0.file / ($0.memory + $0.writes) })
    print(
      "begin and end, \(time) time: \(median(rounds.map(\.file))) ns with a file, \(median(rounds.map(\.memory))) ns in memory and \(median(rounds.map(\.writes))) ns of bare writes, ratio \(ratio)"
    )
    #expect(ratio <= 1.3)
  }
}
