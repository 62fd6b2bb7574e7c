/// A body that reports that it has begun and waits for the test to open the gate; `stubbornBody`
/// ignores cancellation, `obedientBody` ends with it.
final class Gate: Sendable {
  private let (begun, beginning) = AsyncStream<Void>.makeStream()
  private let (opened, opening) = AsyncStream<Void>.makeStream()

  /// Waits until the body has begun.
  func waitForBody() async { for await _ in begun { return } }

  /// Lets the body continue.
  func open() { opening.yield() }

  /// The body that waits for `open` and ignores cancellation.
  func stubbornBody() async {
    beginning.yield()
    await Task.detached { for await _ in self.opened { return } }.value
  }

  /// The body that waits until it is cancelled.
  func obedientBody() async throws {
    beginning.yield()
    for await _ in opened { return }
    try Task.checkCancellation()
  }
}
