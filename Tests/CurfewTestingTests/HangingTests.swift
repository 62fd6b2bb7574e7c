import Curfew
import CurfewTesting
import Foundation
import Testing
import VirtualConcurrency

/// Tests that do not come to their end of themselves.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here")) struct HangingTests {
  @Test func `a test that is cancelled beside a loop without end is over, and says what it waits for`() async throws {
    let line = #line
    let test = Task {
      try await withDevice(Device(policy: .ios13)) { _ in
        let polling = Task { while true { try await Task.sleep(for: .seconds(60)) } }
        try await polling.value
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    test.cancel()
    let stall = await #expect(throws: Stall.self) { try await test.value }
    #expect(stall?.kind == .cancelled && stall?.tasks.first?.isBody == true, "\(stall.map { "\($0)" } ?? "")")
    #expect(stall?.tasks.first?.waitingPlace?.hasSuffix("HangingTests.swift:\(line + 4)") == true, "\(stall.map { "\($0)" } ?? "")")
    #expect(stall?.tasks.last?.waitingPlace?.hasSuffix("HangingTests.swift:\(line + 3)") == true, "\(stall.map { "\($0)" } ?? "")")
  }

  @Test func `a test that heeds its cancellation ends as it will, in time that goes on`() async throws {
    let (device, cancellation) = (Device(policy: .ios13), AsyncStream<Void>.makeStream())
    let test = Task {
      try await withDevice(device) { _ in
        cancellation.continuation.yield()
        do { while true { try await Task.sleep(for: .seconds(60)) } } catch {}
        let start = ContinuousClock.now
        await Task { try? await Task.sleep(for: .seconds(3)) }.value
        return ContinuousClock.now - start
      }
    }
    for await _ in cancellation.stream { break }
    test.cancel()
    #expect(try await test.value == .seconds(3))
  }

  @Test func `a job that outlives its test is told where it waits`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    let line = #line
    try await withDevice(Device(policy: .server), to: { left.append($0) }) { device in
      _ = try? await device.withGrant(.seconds(1)) {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    }
    let text = left.map(\.description).joined(separator: "\n")
    #expect(left.count == 1 && text.contains("HangingTests.swift:\(line + 3)") && !text.contains("GrantedWork"), "\(text)")
  }
}
