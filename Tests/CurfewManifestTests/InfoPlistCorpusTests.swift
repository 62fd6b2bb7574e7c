import CurfewEngine
import CurfewManifest
import CurfewText
import Foundation
import TestRuns
import Testing

/// Compares manifests of real apps with an index of their declarations.
///
/// They belong to their authors and are not part of this package. The tests read them from
/// `../shared/corpus/info-plists`, and are skipped without them. `InfoPlistTests` tests the same
/// quirks with its own files.
@Suite(.inTurn) struct InfoPlistCorpusTests {
  /// A line of the index.
  struct Row: Sendable, CustomTestStringConvertible {
    var file: String
    var modes: [String]
    var identifiers: [String]
    var size: Int

    var testDescription: String { file }
  }

  static let folder =
    #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    + "/shared/corpus/info-plists/"

  static let rows: [Row] = {
    guard let index = try? String(contentsOfFile: folder + "INDEX.tsv", encoding: .utf8) else {
      return []
    }
    return index.split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard cells.count == 7, let size = Int(cells[6]) else { return nil }
      let lists = [cells[3], cells[4]].map {
        $0 == "-" ? [] : $0.split(separator: ",").map(String.init)
      }
      return Row(file: String(cells[0]), modes: lists[0], identifiers: lists[1], size: size)
    }
  }()

  // Without the corpus there is nothing to compare.
  @Test(.enabled(if: !rows.isEmpty, "no manifests in \(folder)"), arguments: rows)
  func `a real manifest declares what the index says`(_ row: Row) throws {
    let plist = try InfoPlist.read(Self.folder + row.file)
    #expect(try Data(contentsOf: URL(fileURLWithPath: Self.folder + row.file)).count == row.size)
    // The index has the modes as written, sorted.
    let (real, unknown) = (
      row.modes.filter(BackgroundModes.fileNames.contains),
      row.modes.filter { !BackgroundModes.fileNames.contains($0) }
    )
    #expect(plist.backgroundModes.fileNames.sorted() == real.sorted())
    for mode in unknown {
      #expect(plist.warnings.contains { $0.message.contains("UIBackgroundModes: '\(mode)' is ") })
    }
    #expect(plist.permittedIdentifiers.sorted() == row.identifiers.sorted())
    #expect(!plist.exitsOnSuspend)
    #expect(plist.warnings.count == unknown.count, "\(plist.warnings)")
  }

  @Test(.enabled(if: !rows.isEmpty, "no manifests in \(folder)"))
  func `the index has every manifest`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter {
      $0.hasSuffix(".plist")
    }
    #expect(files.sorted() == Self.rows.map(\.file).sorted())
    let plists = try Self.rows.map { try InfoPlist.read(Self.folder + $0.file) }
    #expect(plists.compactMap(\.bundleIdentifier) == ["com.sap.ena"])
    #expect(plists.flatMap(\.warnings) == [])
  }
}
