import Curfew
import CurfewTesting
import Testing

/// What an SDK asks of `UIApplication`: it tells nobody who called.
private protocol Seam {
  func beginBackgroundTask(withName name: String?, expirationHandler: (() -> Void)?) -> BackgroundTaskIdentifier
}

extension AppObject: Seam {}

/// A seam of other names.
private protocol Begins {
  func begin(_ name: String)
}

private let seamLine: Int = #line + 3
extension App: Begins {
  fileprivate func begin(_ name: String) {
    _ = beginBackgroundTask(withName: name, expirationHandler: Optional<() -> Void>.none)
  }
}

/// Places that no call tells. They are found in stacks, by debug information.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here")) struct PlaceTests {
  @Test func `what was begun through a seam is left where the program called it`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    let line = #line
    try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { device in
      let app = device.register("com.example.mail")
      app.launch()
      let seam: any Seam = app.object
      _ = seam.beginBackgroundTask(withName: "forgotten", expirationHandler: nil)
    }
    #expect(left.map(\.origin?.line) == [line + 5] && left.first?.description.contains("'forgotten'") == true, "\(left)")
    #expect(left.first?.origin?.fileID.hasSuffix("/PlaceTests.swift") == true, "\(left)")
  }

  @Test func `what an extension of Curfew's own type begins is left in the extension`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { device in
      let app = device.register("com.example.mail")
      app.launch()
      (app as any Begins).begin("forgotten")
    }
    #expect(left.map(\.origin?.line) == [seamLine], "\(left)")
    #expect(left.first?.origin?.fileID.hasSuffix("/PlaceTests.swift") == true, "\(left)")
  }
}
