import Foundation

/// A folder's digest, of all names and contents in it but hidden ones: the name that Git gives to the same folder in a commit.
///
/// So a digest tells whether sources are a commit's, without Git's index, and `git rev-parse COMMIT:Sources` finds the commit that an archive was made of.
enum SourceTree {
  static func digest(of folder: URL) throws -> String { try tree(folder).map(hex).joined() }

  private static func tree(_ folder: URL) throws -> [UInt8] {
    let keys: Set<URLResourceKey> = [.isDirectoryKey, .isSymbolicLinkKey]
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: Array(keys), options: .skipsHiddenFiles)
    let entries = try files.compactMap { file -> (order: [UInt8], bytes: [UInt8])? in
      let (name, values) = (file.lastPathComponent, try file.resourceValues(forKeys: keys))
      if values.isSymbolicLink == true {
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: file.path)
        return (Array(name.utf8), entry("120000", name, SHA1.digest(of: object("blob", Array(target.utf8)))))
      }
      guard values.isDirectory == true else {
        let mode = FileManager.default.isExecutableFile(atPath: file.path) ? "100755" : "100644"
        return (Array(name.utf8), entry(mode, name, SHA1.digest(of: object("blob", Array(try Data(contentsOf: file))))))
      }
      // Git knows no empty folders, and sorts the others as if a slash ended their names.
      let inner = try tree(file)
      return inner == emptyTree ? nil : (Array((name + "/").utf8), entry("40000", name, inner))
    }
    let sorted = entries.sorted { $0.order.lexicographicallyPrecedes($1.order) }
    return SHA1.digest(of: object("tree", Array(sorted.map(\.bytes).joined())))
  }

  private static let emptyTree = SHA1.digest(of: object("tree", []))

  private static func object(_ type: String, _ content: [UInt8]) -> [UInt8] { Array("\(type) \(content.count)\0".utf8) + content }

  private static func entry(_ mode: String, _ name: String, _ digest: [UInt8]) -> [UInt8] { Array("\(mode) \(name)\0".utf8) + digest }

  private static func hex(_ byte: UInt8) -> String { String(UInt16(byte) + 0x100, radix: 16).suffix(2).lowercased() }
}
