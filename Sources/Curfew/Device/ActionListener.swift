internal import CurfewEngine
internal import CurfewFiles

/// Puts actions into words for one reader.
struct ActionListener {
  private let continuation: AsyncStream<TraceLine>.Continuation
  private var recorder: TraceRecorder

  init(_ continuation: AsyncStream<TraceLine>.Continuation, apps: [String], texts: [String]) {
    self.continuation = continuation
    recorder = TraceRecorder(apps: apps, labels: texts)
  }

  mutating func note(_ action: Action, at now: Instant, apps: ContiguousArray<DeviceState.AppRecord>, texts: [String]) {
    for app in apps.dropFirst(recorder.apps.count) { _ = recorder.addApp(named: app.name) }
    for text in texts.dropFirst(recorder.labels.count) { _ = recorder.number(of: text) }
    if let line = recorder.line(for: action, at: now) { continuation.yield(line) }
  }

  func finish() { continuation.finish() }
}
