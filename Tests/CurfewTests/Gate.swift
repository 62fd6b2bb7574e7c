/// A body that tells when it has begun, and waits until the test lets it go on: cancelled or not,
/// as it is asked for.
final class Gate: Sendable {
  private let (begun, beginning) = AsyncStream<Void>.makeStream()
  private let (opened, opening) = AsyncStream<Void>.makeStream()

  /// Until the body is there.
  func waitForBody() async { for await _ in begun { return } }

  /// The body goes on.
  func open() { opening.yield() }

  /// The body: waits for `open`, and heeds no cancellation.
  func stubbornBody() async {
    beginning.yield()
    await Task.detached { for await _ in self.opened { return } }.value
  }

  /// The body: waits until it is cancelled.
  func obedientBody() async throws {
    beginning.yield()
    for await _ in opened { return }
    try Task.checkCancellation()
  }
}
