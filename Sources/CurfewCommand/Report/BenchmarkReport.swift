import CurfewBench
import CurfewReports
import CurfewText
import Foundation

/// The page of benchmark results, from the file that `bench run --out` writes.
struct BenchmarkReport {
  let file: String

  /// Whether the file at `path` begins like results of benchmarks, of any version.
  static func isResults(_ path: String) -> Bool {
    // Opening a pipe would wait for a writer.
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let handle = FileHandle(forReadingAtPath: path)
    else { return false }
    defer { try? handle.close() }
    guard let head = try? handle.read(upToCount: 64) else { return false }
    let text = String(decoding: head, as: UTF8.self).filter { !$0.isWhitespace }
    return text.hasPrefix("{\"curfew\":\"bench/")
  }

  func page() throws -> Page { Page(of: try BenchReport.read(file), file: file) }
}
