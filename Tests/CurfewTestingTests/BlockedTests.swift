import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Code that blocks the thread which drives virtual time.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct BlockedTests {
  @Test
  func `a handler that blocks its thread ends the process, with test, app, callback and stack`()
    async throws
  {
    let result = await #expect(
      processExitsWith: .exitCode(124), observing: [\.standardErrorContent]
    ) {
      setenv("CURFEW_HANG", "1", 1)
      try await withDevice(Device(policy: .ios13), to: { _ in }) { device in
        let app = device.register("com.example.mail")
        app.launch()
        _ = app.beginBackgroundTask(withName: "upload") { lockTwice() }
        device.home()
        device.advance(by: .seconds(60))
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in [
      "made no step for ", "in com.example.mail: the expiration handler of 'upload' at 25s",
      "lockTwice()",
    ] {
      #expect(text.contains(part), "\(part): \(text)")
    }
  }

  @Test func `it does so beside an idle thread and an idle block`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(124), observing: [\.standardErrorContent]
    ) {
      setenv("CURFEW_HANG", "1", 1)
      try await withDevice(Device(policy: .ios13), escapes: .allowed) { _ in
        Thread.detachNewThread { sleep(3600) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {}
        Task {}
        lockTwice()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("lockTwice()"), "\(text)")
  }

  @Test func `a test that waits for external work does not hang`() async throws {
    await #expect(processExitsWith: .success) {
      setenv("CURFEW_HANG", "1", 1)
      try await withDevice(Device(policy: .ios13), escapes: .allowed) { _ in
        await withCheckedContinuation { answer in
          Thread.detachNewThread {
            sleep(3)
            answer.resume()
          }
        }
      }
    }
  }

  @Test
  func
    `a thread that waits for another thread does not hang, however long that takes, and is reported`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      setenv("CURFEW_HANG", "1", 1)
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      dup2(ends[1], 2)
      let messages = FileHandle(fileDescriptor: ends[0], closeOnDealloc: false)
      try await withDevice(Device(policy: .ios13)) { _ in
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var message = Data()
        Thread.detachNewThread {
          message = messages.availableData
          sleep(2)
          done.signal()
        }
        done.wait()
        let text = String(decoding: message, as: UTF8.self)
        #expect(
          text.contains(
            "The process continues, since the thread may be waiting for 1 thread that "),
          "\(text)")
      }
    }
  }

  @Test func `a limit that is not a number is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      setenv("CURFEW_HANG", "soon", 1)
      try await withDevice(Device(policy: .ios13)) { _ in }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("CURFEW_HANG must be a whole number of seconds from 1, found 'soon'"), "\(text)"
    )
  }
}

/// Blocks its thread for ever, in a way that nothing can replace.
@inline(never) private func lockTwice() {
  let lock = NSLock()
  lock.lock()
  lock.lock()
}

/// Loops that wait by yielding.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct YieldTests {
  @MainActor final class Model {
    var isLoaded = false
  }

  @Test(.device(.ios13)) func `time passes beside a loop that yields until a task has slept`() async
  {
    let (model, start) = (Model(), ContinuousClock.now)
    Task {
      try? await Task.sleep(for: .seconds(1))
      await MainActor.run { model.isLoaded = true }
    }
    while await !model.isLoaded { await Task.yield() }
    #expect(ContinuousClock.now - start == .seconds(1))
  }

  @Test(.device(.ios13)) func `it does so in an advance by the test`() async {
    let device = Device.current
    let app = device.register("com.example.mail")
    app.launch()
    let yielding = Task {
      let start = ContinuousClock.now
      while ContinuousClock.now - start < .seconds(10) { await Task.yield() }
      return ContinuousClock.now - start
    }
    device.home()
    device.advance(by: .seconds(10))
    #expect(await yielding.value == .seconds(10))
  }

  @Test(.device(.ios13)) func `work of many jobs is done at its instant`() async {
    actor Counter {
      var count = 0
      func add() { count += 1 }
    }
    let (counter, start) = (Counter(), ContinuousClock.now)
    Task { try? await Task.sleep(for: .seconds(1)) }
    await withTaskGroup { group in
      for _ in 0..<200 {
        group.addTask {
          for _ in 0..<100 {
            await counter.add()
            await MainActor.run {}
          }
        }
      }
    }
    #expect(await counter.count == 20_000 && ContinuousClock.now == start)
    try? await Task.sleep(for: .seconds(2))
  }
}
