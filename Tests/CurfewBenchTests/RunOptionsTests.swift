import CurfewBench
import CurfewSystem
import CurfewText
import Foundation
import Testing

/// Options that are refused before anything is built.
@Suite struct RunOptionsTests {
  @Test func `until goes on from ten repetitions, so fewer are refused`() throws {
    var options = RunOptions()
    options.repetitions = 3
    try options.check()
    options.until = 0.1
    let error = #expect(throws: Refusal.self) { try options.check() }
    #expect(error?.message.contains("contradicts --repetitions 3") == true)
    options.repetitions = 20
    try options.check()
  }

  @Test(arguments: [",", "", "go,", ",go", "go,,jdk"])
  func `an empty name is refused`(_ text: String) {
    let error = #expect(throws: Refusal.self) { try RunOptions.names(text, "--only") }
    #expect(error?.message == "--only: '\(text)' has an empty name; write names as in 'go,jdk'")
  }

  @Test func `names are separated by commas`() throws {
    #expect(try RunOptions.names("go,jdk", "--only") == ["go", "jdk"])
    #expect(try RunOptions.names(nil, "--only") == [])
  }

  #if os(Linux)
    @Test func `a file that cannot be written is known before the run`() throws {
      let folder = try ScratchFolder()
      func isWritable(_ path: String) -> Bool {
        (try? Descriptor.check(writable: path)) != nil
      }
      try folder.write("there", "content")
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/dangling", withDestinationPath: folder.path + "/no/file")
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/link", withDestinationPath: folder.path + "/new")
      for path in ["/there", "/new", "/link"] { #expect(isWritable(folder.path + path), "\(path)") }
      for path in ["/dangling", "/no/file", ""] {
        #expect(!isWritable(folder.path + path), "\(path)")
      }
      for path in ["", "/dev/full", "/proc/x"] { #expect(!isWritable(path), "\(path)") }
      #expect(isWritable("/dev/null"))
      #expect(try String(contentsOfFile: folder.path + "/there", encoding: .utf8) == "content")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(names == ["dangling", "link", "there"])
    }
  #endif
}
