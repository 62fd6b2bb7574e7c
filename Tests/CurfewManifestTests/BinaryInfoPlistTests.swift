import CurfewEngine
import CurfewManifest
import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

/// The binary form, with content that no writer would produce.
@Suite(.inTurn) struct BinaryInfoPlistTests {
  static let key = [0x5F, 0x10, 17] + Array("UIBackgroundModes".utf8)
  static let audio = [0x55] + Array("audio".utf8)

  /// A file with these values, the first of which is the root. References are numbers of
  /// three bytes.
  func file(_ values: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var table: [UInt8] = []
    for value in values {
      table += number(bytes.count, 4)
      bytes += value
    }
    let place = bytes.count
    return bytes + table + [0, 0, 0, 0, 0, 0, 4, 3] + number(values.count, 8) + number(0, 8)
      + number(place, 8)
  }

  func number(_ value: Int, _ width: Int) -> [UInt8] {
    (1...width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - $0))) }
  }

  /// A value that refers to others: a list (0xA0), a set (0xC0) or a dictionary (0xD0), short
  /// or long.
  func naming(_ kind: UInt8, _ references: [Int]) -> [UInt8] {
    let count = kind == 0xD0 ? references.count / 2 : references.count
    return (count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + number(count, 4))
      + references.flatMap { number($0, 3) }
  }

  func found(_ bytes: [UInt8]) -> [String] {
    errors { () throws(FileErrors) in _ = try InfoPlist.decode(bytes, name: "Info.plist") }
  }

  @Test func `short and long lists are read`() throws {
    let short = file([naming(0xD0, [1, 2]), Self.key, naming(0xA0, [3]), Self.audio])
    #expect(try InfoPlist.decode(short, name: "a").backgroundModes == .audio)
    let long = file([
      naming(0xD0, [1, 2]), Self.key, naming(0xA0, Array(repeating: 3, count: 70_000)), Self.audio,
    ])
    #expect(try InfoPlist.decode(long, name: "a").backgroundModes == .audio)
    let many = (0..<20).map { [0x10, UInt8($0)] }  // keys that are numbers
    let wide = file(
      [naming(0xD0, Array(3..<23) + [1] + Array(3..<23) + [2]), Self.key, naming(0xA0, [23])] + many
        + [Self.audio])
    #expect(try InfoPlist.decode(wide, name: "a").backgroundModes == .audio)
  }

  @Test func `text in UTF-16 is read as a value and as a key`() throws {
    func wide(_ text: String) -> [UInt8] {
      [0x6F, 0x10, UInt8(text.utf16.count)] + text.utf16.flatMap { number(Int($0), 2) }
    }
    let plist = try InfoPlist.decode(
      file([naming(0xD0, [1, 2]), wide("CFBundleIdentifier"), wide("com.é😀")]), name: "a")
    #expect(plist.bundleIdentifier == "com.é😀")
    let half = try InfoPlist.decode(
      file([naming(0xD0, [1, 2]), wide("CFBundleIdentifier"), [0x62, 0xD8, 0x00, 0x00, 0x41]]),
      name: "a")
    #expect(half.bundleIdentifier == "\u{FFFD}A")
  }

  @Test(.timeLimit(.minutes(30))) func `cycles and long chains are not followed`() {
    let refusal = "Info.plist: error: UIBackgroundModes must be a list of strings, found"
    #expect(
      found(file([naming(0xD0, [1, 2]), Self.key, naming(0xA0, [2])])) == [
        "\(refusal) a list in the list"
      ])
    #expect(found(file([naming(0xD0, [1, 0]), Self.key])) == ["\(refusal) a dictionary"])
    #expect(
      found(file([naming(0xA0, [0])])) == [
        "Info.plist: error: a manifest must be a dictionary, found a list"
      ])
    let chain =
      [naming(0xD0, [1, 2]), Self.key] + (3...100_000).map { naming(0xA0, [$0]) } + [
        naming(0xA0, [2])
      ]
    #expect(found(file(chain)) == ["\(refusal) a list in the list"])
    let doubling =
      [naming(0xD0, [1, 2]), Self.key] + (3...60).map { naming(0xA0, [$0, $0]) } + [
        naming(0xA0, [])
      ]
    #expect(found(file(doubling)) == ["\(refusal) a list in the list"])
    #expect(
      found(file([naming(0xD0, [1, 3, 2, 2]), Self.key, naming(0xA0, []), naming(0xA0, [3])])) == []
    )
  }

  @Test func `values that no manifest has are reported by name`() {
    for (value, words) in [
      (naming(0xC0, [1]), "a set"), ([0x80, 1], "an archive's reference"), ([0x00], "nothing"),
      ([0x33] + number(0, 8), "a date"),
      ([0x23] + number(0, 8), "a number with a fraction"),
      ([0x14] + number(0, 16), "a very large number"),
      ([0x13] + number(-5, 8), "the number -5"), ([0x10, 0xFF], "the number 255"),
      ([0x41, 0], "data"),
    ] {
      let found = found(file([naming(0xD0, [1, 2]), Self.key, value]))
      #expect(
        found == ["Info.plist: error: UIBackgroundModes must be a list of strings, found \(words)"])
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `values that overlap are refused before they exhaust the memory`() {
    // A hundred strings of half a megabyte, each of which begins inside the previous one.
    let count = 0x7_7777  // in bytes that are ASCII too
    let start = [0x5F, 0x12] + number(count, 4)
    var bytes = Array("bplist00".utf8) + naming(0xD0, [1, 2]) + Self.key
    let listPlace = bytes.count
    bytes += naming(0xA0, Array(3..<103))
    let textPlace = bytes.count
    for _ in 0..<100 { bytes += start }
    bytes += Array(repeating: 0x41, count: count)
    let table = bytes.count
    var offsets = [8, 15, listPlace]
    for index in 0..<100 { offsets.append(textPlace + index * start.count) }
    bytes += offsets.flatMap { number($0, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 3] + number(offsets.count, 8) + number(0, 8) + number(table, 8)
    #expect(
      found(bytes) == [
        "Info.plist: error: not a property list: the binary form is damaged: its values overlap"
      ])
  }

  @Test func `a file cut short anywhere is an error`() throws {
    let whole = try PlistForm.binary.bytes
    #expect(found(whole) == [])
    for length in 0..<whole.count {
      #expect(found(Array(whole[..<length])).count == 1, "cut to \(length) bytes")
    }
  }

  @Test(arguments: [0x4F, 0x5F, 0x6F, 0xAF, 0xCF, 0xDF] as [UInt8], [100, 1 << 32, .max, -1])
  func `a length beyond the file is an error`(_ kind: UInt8, _ length: Int) throws {
    let found = found(file([naming(0xD0, [1, 2]), Self.key, [kind, 0x13] + number(length, 8)]))
    #expect(found.count == 1)
    #expect(try #require(found.first).hasSuffix(" is beyond the file"))
  }

  @Test(arguments: [0, 8, 16, 24], [0, 1, 7, 1 << 40, .max, -1])
  func `invalid numbers at the end do not trap`(_ place: Int, _ value: Int) throws {
    var bytes = try PlistForm.binary.bytes
    let start = bytes.count - 32 + place
    bytes.replaceSubrange(start..<(start + 8), with: number(value, 8))
    // Only 0 as the number of the root is valid: it is the number in the file.
    #expect(found(bytes).isEmpty == (place == 16 && value == 0))
  }

  @Test(arguments: ["15", "16", "x0"]) func `another version of the format is refused`(
    _ version: String
  ) throws {
    let bytes = Array("bplist\(version)".utf8) + (try PlistForm.binary.bytes.dropFirst(8))
    #expect(
      found(bytes) == [
        "Info.plist: error: not a property list: the version of its binary format is not 00"
      ])
  }

  @Test func `both formats of any list are read alike`() throws {
    var random = SeededGenerator(seed: 30)
    let words = [
      "audio", "fetch", "processing", "push-to-talk", "é", "$(A)", "*", "", "com.example.a",
      "\u{1B}", "YES",
    ]
    func word() -> String { words[Int(random.next() % UInt64(words.count))] }
    func value(_ depth: Int) -> Any {
      switch random.next() % (depth > 2 ? 6 : 12) {
      case 0: [1, 0, -1, 300, 2.5, UInt64.max][Int(random.next() % 6)]
      case 1: random.next() % 2 == 0
      case 2: Data([1, 2])
      case 3, 4, 5: word()
      case 6: [word(): value(depth + 1)]
      default:
        (0..<Int(random.next() % 20)).map { _ in random.next() % 40 == 0 ? value(depth + 1) : word()
        }
      }
    }
    var read = 0
    for _ in 0..<500 {
      var list: [String: Any] = [:]
      for key in [
        "CFBundleIdentifier", "UIBackgroundModes", "BGTaskSchedulerPermittedIdentifiers",
        "UIApplicationExitsOnSuspend", "Other",
      ]
      where random.next() % 3 == 0 { list[key] = value(0) }
      let results = try [PropertyListSerialization.PropertyListFormat.xml, .binary].map { format in
        let bytes = Array(
          try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
        return Result { () throws(FileErrors) in try InfoPlist.decode(bytes, name: "Info.plist") }
      }
      #expect(said(results[0]) == said(results[1]), "\(list)")
      if case (.success(let first), .success(let second)) = (results[0], results[1]) {
        #expect(
          first.bundleIdentifier == second.bundleIdentifier
            && first.backgroundModes == second.backgroundModes)
        #expect(
          first.permittedIdentifiers == second.permittedIdentifiers
            && first.exitsOnSuspend == second.exitsOnSuspend)
      }
      if case .success = results[0] { read += 1 }
    }
    #expect((100..<450).contains(read), "\(read) read")
  }

  /// Whether the list was read, and all messages.
  private func said(_ result: Result<InfoPlist, FileErrors>) -> [String] {
    switch result {
    case .success(let plist): ["read"] + descriptions(plist)
    case .failure(let errors): ["refused"] + unplaced(errors.diagnostics.map(\.description))
    }
  }
}
