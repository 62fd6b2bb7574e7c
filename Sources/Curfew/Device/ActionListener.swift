internal import CurfewEngine
internal import CurfewFiles

/// Puts actions into words for one reader: under the device's lock, which `note` is called in, but tells them outside it, since a reader's executor is the program's.
final class ActionListener: @unchecked Sendable {
  private let continuation: AsyncStream<TraceLine>.Continuation
  /// Under the device's lock.
  private var recorder: TraceRecorder

  private let lock = Lock()
  // Under this one's own.
  private var lines: [TraceLine] = []
  private var isFinished = false
  private var isDraining = false

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
    if let line = recorder.line(for: action, at: now) { lock.withLock { lines.append(line) } }
  }

  private func learn(_ state: borrowing DeviceState) {
    for app in recorder.apps.count..<state.apps.count { _ = recorder.addApp(named: state.apps[app].name) }
    for text in recorder.labels.count..<state.texts.texts.count { _ = recorder.number(of: state.texts.texts[text]) }
  }

  /// Tells the reader what there is to tell, in order: one thread at a time, which tells what others add meanwhile too.
  func drain() {
    lock.lock()
    guard !isDraining else { return lock.unlock() }
    isDraining = true
    while !lines.isEmpty {
      let ready = lines
      lines = []
      lock.unlock()
      for line in ready { continuation.yield(line) }
      lock.lock()
    }
    isDraining = false
    let isOver = isFinished
    lock.unlock()
    if isOver { continuation.finish() }
  }

  /// Ends it, after what is still to be told.
  func finish() {
    lock.withLock { isFinished = true }
    drain()
  }
}
