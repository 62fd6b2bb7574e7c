import Curfew
import CurfewTesting
import XCTest

final class UploaderXCTests: XCTestCase {
  func testUpload() async throws {
    guard VirtualTime.isAvailable else {
      throw XCTSkip("Swift's executors cannot be replaced here")
    }
    try await withDevice(Device(policy: .ios13), to: { XCTFail("\($0)") }) { device in
      let app = device.register("com.example.photos")
      app.launch()
      try await app.run {
        try await app.withBackgroundTask(named: "upload") { try await Uploader().upload(3) }
      }
      XCTAssertEqual(device.now, .zero + .seconds(12))
    }
  }

  func testLeak() throws {
    guard VirtualTime.isAvailable else {
      throw XCTSkip("Swift's executors cannot be replaced here")
    }
    try withDevice(Device(policy: .ios13), reporting: []) { device in
      let app = device.register("com.example.photos")
      app.launch()
      let upload = Task {
        try await app.run {
          try await app.withBackgroundTask(named: "upload") { try await Uploader().upload(10) }
        }
      }
      device.home()
      device.advance(by: .seconds(60))
      XCTAssertEqual(app.applicationState, .suspended)
      upload.cancel()
    }
  }
}
