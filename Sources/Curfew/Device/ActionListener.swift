internal import CurfewEngine
internal import CurfewFiles

/// Puts actions into words for one reader. Under the device's lock.
final class ActionListener: @unchecked Sendable {
  private let continuation: AsyncStream<TraceLine>.Continuation
  private var recorder: TraceRecorder

  init(_ continuation: AsyncStream<TraceLine>.Continuation, _ state: borrowing DeviceState) {
    self.continuation = continuation
    recorder = TraceRecorder(apps: state.apps.map(\.name), labels: state.texts.texts)
  }

  /// What enters is not told, but known: an action may be about it.
  func note(_ event: Event, at now: Instant, _ state: borrowing DeviceState) {
    // What returns is known for apps alone that were called since this began to listen.
    if case .returned = event { return }
    learn(state)
    _ = recorder.line(entering: event, at: now)
  }

  func note(_ action: Action, at now: Instant, _ state: borrowing DeviceState) {
    learn(state)
    if let line = recorder.line(for: action, at: now) { continuation.yield(line) }
  }

  private func learn(_ state: borrowing DeviceState) {
    for app in recorder.apps.count..<state.apps.count { _ = recorder.addApp(named: state.apps[app].name) }
    for text in recorder.labels.count..<state.texts.texts.count { _ = recorder.number(of: state.texts.texts[text]) }
  }

  func finish() { continuation.finish() }
}
