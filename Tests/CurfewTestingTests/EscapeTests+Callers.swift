import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Calls that a library makes for the program.
extension EscapeTests {
  /// A function as it is stored: its code, and the object that it is called with.
  private struct Function { let call: @Sendable () -> Void }

  /// The function of Dispatch itself, so that no frame of the program calls it: an optimized
  /// closure whose last call is `group.wait()` ends in a jump to it.
  private static func waiting(for group: DispatchGroup) -> @Sendable () -> Void {
    let code = dlsym(nil, "$s8Dispatch0A5GroupC4waityyF")!
    let object = Unmanaged.passRetained(group).toOpaque()
    return unsafeBitCast((code, object), to: Function.self).call
  }

  @Test func `a call that a cancellation handler ends with is followed`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      try await withDevice(Device(policy: .ios13)) { device in
        let group = DispatchGroup()
        group.enter()
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { group.leave() }
        let wait = EscapeTests.waiting(for: group)
        let (stream, continuation) = AsyncStream.makeStream(
          of: UnsafeContinuation<Void, Never>.self)
        let task = Task {
          await withTaskCancellationHandler(
            operation: { await withUnsafeContinuation { continuation.yield($0) } }, onCancel: wait)
        }
        for await answer in stream.prefix(1) {
          task.cancel()
          #expect(device.now == .zero + .seconds(1))
          answer.resume()
        }
        await task.value
      }
    }
  }
}
