import CurfewManifest
import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct InfoPlistMutationTests {
  @Test(arguments: PlistForm.allCases)
  func `a damaged manifest is read or refused, and never traps`(_ form: PlistForm) throws {
    var random = SeededGenerator(seed: form == .xml ? 23 : form == .binary ? 24 : 25)
    let original = try form.bytes
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      do throws(FileErrors) {
        let plist = try InfoPlist.decode(bytes, name: "damaged", variables: ["A": "b"])
        read += 1
        let names = plist.permittedIdentifiers + [plist.bundleIdentifier].compactMap(\.self)
        #expect(
          !names.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(
          plist.warnings.allSatisfy {
            $0.severity == .warning && !$0.message.isEmpty && $0.file == "damaged"
          })
      } catch {
        refused += 1
        #expect(
          error.diagnostics.allSatisfy {
            $0.severity == .error && !$0.message.isEmpty && $0.file == "damaged"
          })
      }
    }
    #expect(read > 100 && refused > 100, "\(read) read, \(refused) refused")
  }
}
