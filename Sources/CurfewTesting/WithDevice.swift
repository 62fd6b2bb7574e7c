public import Curfew
import Testing
import VirtualConcurrency

/// Runs `body` with a device whose clock Swift's concurrency follows, as the trait `.device` does.
/// For XCTest:
///
/// ```swift
/// func testUpload() async throws {
///   try await withDevice(Device(policy: .ios13)) { device in … }
/// }
/// ```
///
/// - Parameters:
///   - device: A new device on a virtual clock, with no events so far. It is closed at the end.
///   - reports: The leftovers to report at the end.
///   - escapes: Whether to report that virtual time passed while work outside it was unfinished.
///   - tell: Receives each leftover, as in `{ XCTFail("\($0)") }`. The default stops the program,
///     so that no leftover is missed.
///   - body: The test, which receives the device.
/// - Throws: The error that `body` throws, or an error with an explanation if `body` waits for
///   something that never happens, or does not finish after it has been cancelled. In these two
///   cases `body` does not continue, even if it is resumed later.
public func withDevice<Result: Sendable>(
  _ device: Device, reporting reports: Leftovers = .all, escapes: Escapes = .reported,
  to tell: @escaping @Sendable (Leftover) -> Void = Leftover.stop,
  _ body: @escaping @Sendable (Device) async throws -> Result
) async throws -> Result {
  defer { device.close() }
  EscapeReporting.warnOnce
  guard Capture.isAvailable else {
    let result = try await Device.$ofTest.withValue(device) { try await body(device) }
    for leftover in device.leftovers(reports) { tell(leftover) }
    return result
  }
  let calls = CallLog(test: Test.current)
  do {
    return try await Capture.run(
      host: DeviceHost(device, calls),
      escapes: EscapeReporting(escapes: escapes, reports: reports, tell: tell).report,
      report: { tasks in if reports.contains(.tasks) { for task in tasks { tell(Leftover(task)) } }
      },
      body: { capture in
        device.attach(CapturedWork(capture, calls))
        let result = try await Device.$ofTest.withValue(device) { try await body(device) }
        for leftover in device.leftovers(reports) { tell(leftover) }
        return result
      })
  } catch {
    for remark in device.remarks(reports) { tell(remark) }
    throw error
  }
}

/// Runs a synchronous test, on the calling thread, with a device: time passes only
/// in `advance(by:)` and while the test waits.
///
/// - Throws: The error that `body` throws, or an error with an explanation if `body` waits for
///   something that never happens. Its waits then return at once, so that `body` can end.
public func withDevice<Result>(
  _ device: Device, reporting reports: Leftovers = .all, escapes: Escapes = .reported,
  to tell: (Leftover) -> Void = Leftover.stop,
  _ body: (Device) throws -> Result
) throws -> Result {
  defer { device.close() }
  EscapeReporting.warnOnce
  func run(isStalled: () -> Bool = { false }) throws -> Result {
    do {
      let result = try Device.$ofTest.withValue(device) { try body(device) }
      guard !isStalled() else { return result }
      for leftover in device.leftovers(reports) { tell(leftover) }
      return result
    } catch {
      for remark in device.remarks(reports) { tell(remark) }
      throw error
    }
  }
  guard Capture.isAvailable else { return try run() }
  let calls = CallLog(test: Test.current)
  return try withoutActuallyEscaping(tell) { tell in
    try Capture.runSynchronously(
      host: DeviceHost(device, calls),
      escapes: EscapeReporting(escapes: escapes, reports: reports, tell: tell).report,
      report: { tasks in if reports.contains(.tasks) { for task in tasks { tell(Leftover(task)) } }
      }
    ) { capture in
      device.attach(CapturedWork(capture, calls))
      return try run { capture.stall != nil }
    }
  }
}
