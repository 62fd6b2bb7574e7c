import Curfew
import Testing

/// Saves open documents when its app leaves the screen.
final class Saver: AppDelegate, @unchecked Sendable {
  private(set) var saving: Task<Void, Never>?

  func applicationDidEnterBackground(_ app: App) {
    let task = app.beginBackgroundTask(withName: "save")
    saving = Task {
      await write()
      app.endBackgroundTask(task)
    }
  }

  private func write() async { await Task.yield() }
}

@Test func `an open document is saved in time`() async {
  let device = Device(policy: .ios13)
  let saver = Saver()
  let notes = device.register("com.example.notes", delegate: saver)
  notes.launch()
  device.home()
  await saver.saving?.value  // `advance` would not wait for it
  device.advance(by: .seconds(30))
  #expect(device.leakedTasks.isEmpty && notes.applicationState == .suspended)
}

@Test func `an upload that takes too long is cancelled, and ends its task`() async {
  let device = Device(policy: .ios13)
  let app = device.register("com.example.host")
  app.launch()
  let (begun, beginning) = AsyncStream<Void>.makeStream()
  let upload = Task {
    try await app.run {
      try await app.withBackgroundTask(named: "upload") {
        beginning.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
  }
  for await _ in begun { break }  // now the task is open
  device.home()
  device.advance(by: .seconds(25))
  await #expect(throws: CancellationError.self) { try await upload.value }  // now it has ended
  device.advance(by: .seconds(5))
  #expect(device.leakedTasks.isEmpty && app.applicationState == .suspended)
}
