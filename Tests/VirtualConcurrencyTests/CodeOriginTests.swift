import Testing
import VirtualConcurrency

/// Symbols tell whose code it is, where no debug information does.
@Suite struct CodeOriginTests {
  @Test(arguments: [
    // MailTests.Uploader.begin(), a closure in it, and MailTests' extensions of App and of Task.
    "$s9MailTests8UploaderC5beginyyF", "$s9MailTests8UploaderC5beginyyFyycfU_", "$s6Curfew3AppV9MailTestsE5beginyyF",
    "$sScT9MailTestsE5beginyyF",
  ])
  func `a program's own`(_ symbol: String) { #expect(!CodeOrigin.isForeign(symbol, in: "mailPackageTests.xctest")) }

  @Test(arguments: [
    // Curfew.App.begin(), Capture.settle, VirtualConcurrency's extension of Task, Task.begin(), and
    // a witness.
    "$s6Curfew3AppV5beginyyF", "$s18VirtualConcurrency7CaptureC6settle8withBodyS2b_tF", "$sScT18VirtualConcurrencyE5beginyyF",
    "$sScT5beginyyF", "$s9MailTests8UploaderC5beginyyFTW",
  ])
  func `this package's and Swift's`(_ symbol: String) { #expect(CodeOrigin.isForeign(symbol, in: "mailPackageTests.xctest")) }

  @Test func `all that is in a library of the toolchain`() {
    #expect(CodeOrigin.isForeign("$s9MailTests8UploaderC5beginyyF", in: "libswift_Concurrency.so"))
    #expect(CodeOrigin.isForeign("main", in: "libc.so.6"))
  }
}
