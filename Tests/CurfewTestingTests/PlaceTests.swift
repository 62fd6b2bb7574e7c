import Curfew
import CurfewTesting
import Testing

/// The SDK's view of `UIApplication`, which does not pass on the caller.
private protocol Seam {
  func beginBackgroundTask(withName name: String?, expirationHandler: (() -> Void)?)
    -> BackgroundTaskIdentifier
}

extension AppObject: Seam {}

/// A seam with other names.
private protocol Begins {
  func begin(_ name: String)
}

private let seamLine: Int = #line + 3
extension App: Begins {
  fileprivate func begin(_ name: String) {
    _ = beginBackgroundTask(withName: name, expirationHandler: Optional<() -> Void>.none)
  }
}

/// Places that no call passes on; they are found in stacks, by debug information.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct PlaceTests {
  @Test func `a leak through a seam is reported at the program's call`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    let line = #line
    try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { device in
      let app = device.register("com.example.mail")
      app.launch()
      let seam: any Seam = app.object
      _ = seam.beginBackgroundTask(withName: "forgotten", expirationHandler: nil)
    }
    #expect(
      left.map(\.origin?.line) == [line + 5]
        && left.first?.description.contains("'forgotten'") == true, "\(left)")
    #expect(left.first?.origin?.fileID.hasSuffix("/PlaceTests.swift") == true, "\(left)")
  }

  @Test func `a leak in an extension of Curfew's type is reported in the extension`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { device in
      let app = device.register("com.example.mail")
      app.launch()
      (app as any Begins).begin("forgotten")
    }
    #expect(left.map(\.origin?.line) == [seamLine], "\(left)")
    #expect(left.first?.origin?.fileID.hasSuffix("/PlaceTests.swift") == true, "\(left)")
  }

  @Test func `an upload that the test body begins continues beside its app, with a remark`()
    async throws
  {
    let outcome = try await outcome { device in
      let (app, uploader) = (device.register("com.example.photos"), PartUploader())
      app.launch()
      let upload = Task { try await uploader.upload(10) }
      device.advance(by: .seconds(5))
      device.home()
      device.advance(by: .seconds(60))
      _ = await upload.result
      return "\(await uploader.sent), \(device.remarks)"
    }
    #expect(outcome.hasPrefix("10, ["), "\(outcome)")
    #expect(
      outcome.contains(
        #"Uploader.upload(_:) runs on although com.example.photos is suspended; start it with app.run""#
      ), "\(outcome)")
  }

  @Test func `the remark names the place that began the work, even for a dead app`()
    async throws
  {
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let (app, uploader) = (device.register("com.example.photos"), PartUploader())
      app.launch()
      let line = #line + 1
      Task { try await uploader.upload(10) }
      device.advance(by: .seconds(5))
      app.forceQuit()
      device.advance(by: .seconds(60))
      guard case .unownedWork(let work) = device.diagnostics.last?.cause else {
        return #expect(Bool(false), "\(device.diagnostics)")
      }
      #expect(
        work.place?.hasSuffix("PlaceTests.swift:\(line)") == true && !work.isAppSuspended, "\(work)"
      )
      #expect(device.remarks.count == 1 && device.remarks[0].contains("has ended"))
    }
  }
}
