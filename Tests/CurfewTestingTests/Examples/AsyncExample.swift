import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Uploads photos while its app is in the background, and stops when it is cancelled.
actor Uploader {
  private(set) var uploaded = 0

  func upload(_ photos: Int) async throws {
    for _ in 0..<photos {
      try await Task.sleep(for: .seconds(4))
      uploaded += 1
    }
  }
}

@Suite(.enabled(if: VirtualTime.isAvailable)) struct UploaderTests {
  @Test(.device(.ios13)) func `work that exceeds the grant is cancelled, and nothing leaks`()
    async
  {
    let device = Device.current
    let app = device.register("com.example.photos")
    app.launch()
    let uploader = Uploader()
    let upload = Task {
      try await app.run {
        try await app.withBackgroundTask(named: "upload") { try await uploader.upload(10) }
      }
    }
    device.home()
    device.advance(by: .seconds(60))
    #expect(await uploader.uploaded == 6)
    await #expect(throws: CancellationError.self) { try await upload.value }
    #expect(app.applicationState == .suspended)
  }

  @Test(.device(.ios13)) func `while the test waits, time goes on`() async throws {
    let start = ContinuousClock.now
    let app = Device.current.register("com.example.photos")
    app.launch()
    try await app.run {
      try await app.withBackgroundTask(named: "upload") { try await Uploader().upload(3) }
    }
    #expect(ContinuousClock.now - start == .seconds(12))
  }

  @Test(.device(.ios13)) func `the next upload begins before the app is suspended`() throws {
    let (device, app) = (Device.current, Device.current.register("com.example.photos"))
    app.launch()
    let first = try app.run { app.beginBackgroundTask(withName: "first") }
    device.home()
    try app.run {
      app.endBackgroundTask(first)
      _ = app.beginBackgroundTask(withName: "second") { expiration in
        app.endBackgroundTask(expiration.identifier)
      }
    }
    #expect(app.applicationState == .background && app.openTasks.map(\.name) == ["second"])
    #expect(device.finishBackgroundWork() && device.leakedTasks.isEmpty)
  }

  @Test(.device(.ios13)) func `a semaphore is signalled after two seconds`() {
    let semaphore = DispatchSemaphore(value: 0)
    Task {
      try await Task.sleep(for: .seconds(2))
      semaphore.signal()
    }
    #expect(semaphore.wait(timeout: .now() + 5) == .success)
    #expect(Device.current.now == .zero + .seconds(2))
  }

  @Test(.device(.ios13)) func `an operation waits for the one that it depends on`() {
    let queue = OperationQueue()
    let download = BlockOperation { Thread.sleep(forTimeInterval: 3) }
    let save = BlockOperation { Thread.sleep(forTimeInterval: 1) }
    save.addDependency(download)
    queue.addOperations([save, download], waitUntilFinished: true)
    #expect(Device.current.now == .zero + .seconds(4))
  }

  @Test(.device(.ios13))
  func `an upload without a background task stands still in a suspended app`() async throws {
    let (device, uploader) = (Device.current, Uploader())
    let app = device.register("com.example.photos")
    app.launch()
    let upload = Task { try await app.run { try await uploader.upload(10) } }
    device.advance(by: .seconds(5))
    device.home()
    device.advance(by: .seconds(60))
    #expect(await uploader.uploaded == 1)
    app.forceQuit()
    await #expect(throws: ProcessEndError.self) { try await upload.value }
  }

  @Test(.device(.ios13, reporting: [])) func `a test of a leak says so`() throws {
    let app = Device.current.register("com.example.photos")
    app.launch()
    try app.run { _ = app.beginBackgroundTask(withName: "forgotten") }
    Device.current.home()
    Device.current.advance(by: .seconds(30))
    #expect(Device.current.leakedTasks.map(\.name) == ["forgotten"])
  }
}
