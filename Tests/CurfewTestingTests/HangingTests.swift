import Curfew
import CurfewTesting
import Foundation
import Testing
import VirtualConcurrency

/// Tests that do not end by themselves.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct HangingTests {
  @Test
  func `a test that is cancelled beside an endless loop ends, and says what it waits for`()
    async throws
  {
    let (line, begin) = (#line, AsyncStream<Void>.makeStream())
    let test = Task {
      try await withDevice(Device(policy: .ios13)) { _ in
        begin.continuation.yield()
        let polling = Task { while true { try await Task.sleep(for: .seconds(60)) } }
        try await polling.value
      }
    }
    for await _ in begin.stream { break }
    test.cancel()
    let stall = await #expect(throws: Stall.self) { try await test.value }
    #expect(
      stall?.kind == .cancelled && stall?.tasks.first?.isBody == true,
      "\(stall.map { "\($0)" } ?? "")")
    #expect(
      stall?.tasks.first?.waitingPlace?.hasSuffix("HangingTests.swift:\(line + 5)") == true,
      "\(stall.map { "\($0)" } ?? "")")
    #expect(
      stall?.tasks.last?.waitingPlace?.hasSuffix("HangingTests.swift:\(line + 4)") == true,
      "\(stall.map { "\($0)" } ?? "")")
  }

  @Test func `a test that heeds its cancellation ends by itself while time advances`()
    async throws
  {
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

  // Half a minute of real time.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["CURFEW_RUNS"] != nil, "It takes half a minute"))
  func `work that ignores its expiration ends with its process or its grant`()
    async throws
  {
    @Sendable func beat() async { while true { try? await Task.sleep(for: .seconds(1)) } }
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let app = device.register("com.example.heedless")
      app.launch()
      Task { try await app.withBackgroundTask(named: "beat") { await beat() } }
      device.home()
      device.advance(by: .seconds(60))
      #expect(app.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
    }
    try await withDevice(Device(policy: .server), reporting: []) { device in
      await #expect(throws: GrantExpiredError.self) {
        try await device.withGrant(.seconds(30), warning: .seconds(5)) { await beat() }
      }
      #expect(device.now == .zero + .seconds(30))
    }
  }

  @Test func `a job that outlives its test is reported where it waits`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    let line = #line
    try await withDevice(Device(policy: .server), to: { left.append($0) }) { device in
      _ = try? await device.withGrant(.seconds(1)) {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    }
    let text = left.map(\.description).joined(separator: "\n")
    #expect(
      left.count == 1 && text.contains("HangingTests.swift:\(line + 3)")
        && !text.contains("GrantedWork"), "\(text)")
  }
}
