import Foundation
import Testing
import VirtualConcurrency

/// Without debug information, symbols distinguish the program's own code from other code.
@Suite struct CodeOriginTests {
  @Test(arguments: [
    // MailTests.Uploader.begin(), a closure in it, and MailTests' extensions of App and of Task.
    "$s9MailTests8UploaderC5beginyyF", "$s9MailTests8UploaderC5beginyyFyycfU_",
    "$s6Curfew3AppV9MailTestsE5beginyyF",
    "$sScT9MailTestsE5beginyyF",
  ])
  func `symbols of a program are its own`(_ symbol: String) {
    #expect(!CodeOrigin.isForeign(symbol, in: "mailPackageTests.xctest"))
  }

  @Test(arguments: [
    // Curfew.App.begin(), Capture.settle, VirtualConcurrency's extension of Task, Task.begin(), and
    // a witness.
    "$s6Curfew3AppV5beginyyF", "$s18VirtualConcurrency7CaptureC6settle8withBodyS2b_tF",
    "$sScT18VirtualConcurrencyE5beginyyF",
    "$sScT5beginyyF", "$s9MailTests8UploaderC5beginyyFTW",
  ])
  func `symbols of this package and of Swift are foreign`(_ symbol: String) {
    #expect(CodeOrigin.isForeign(symbol, in: "mailPackageTests.xctest"))
  }

  @Test func `every symbol in a library of the toolchain is foreign`() {
    #expect(CodeOrigin.isForeign("$s9MailTests8UploaderC5beginyyF", in: "libswift_Concurrency.so"))
    #expect(CodeOrigin.isForeign("main", in: "libc.so.6"))
  }

  @Test func `each target of the package is recognized as its own`() throws {
    let manifest = URL(fileURLWithPath: "\(#filePath)").deletingLastPathComponent().appending(
      path: "../../Package.swift")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    // Matches `.target(name: "CurfewEngine", …)`, even if the name
    // is on the next line; test helpers have a path in Tests.
    let targets = text.matches(
      of: /\n    \.(?:target|executableTarget)\(\s*name: "([A-Za-z]+)"([^\n]*(?:\n      [^\n]*)*)/
    )
    .filter { !$0.2.contains("path: \"Tests/") }.map { String($0.1) }
    #expect(Set(targets) == CodeOrigin.ownModules)
  }
}
