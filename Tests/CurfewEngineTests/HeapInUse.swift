import Foundation

/// How much of the C library's heap is in use.
enum HeapInUse {
  private typealias MallocInfo = @convention(c) (CInt, UnsafeMutableRawPointer?) -> CInt

  /// Whether the C library tells: glibc does.
  static var isKnown: Bool { mallocInfo != nil }

  private static var mallocInfo: MallocInfo? {
    dlsym(nil, "malloc_info").map { unsafeBitCast($0, to: MallocInfo.self) }
  }

  /// What the system gave, less what lies free, all arenas together, and what was mapped by itself.
  /// Small freed blocks that a thread keeps for itself count as in use.
  ///
  /// From the report of `malloc_info`, because Swift's overlay has no `mallinfo2`.
  static func bytes() -> Int {
    guard let mallocInfo else { preconditionFailure("a C library without malloc_info") }
    var text: UnsafeMutablePointer<CChar>?
    var length = 0
    let stream = open_memstream(&text, &length)
    _ = mallocInfo(0, UnsafeMutableRawPointer(stream))
    fclose(stream)
    defer { free(text) }
    let report = text.map { String(cString: $0) } ?? ""
    // The totals stand after the last arena.
    let totals = report.components(separatedBy: "</heap>").last ?? ""
    return size(of: "<system type=\"current\"", in: totals)
      + size(of: "<total type=\"mmap\"", in: totals)
      - size(of: "<total type=\"fast\"", in: totals) - size(of: "<total type=\"rest\"", in: totals)
  }

  private static func size(of element: String, in report: String) -> Int {
    let attributes =
      report.components(separatedBy: element).dropFirst().first?.components(separatedBy: "/>").first
      ?? ""
    let number =
      attributes.components(separatedBy: "size=\"").dropFirst().first?.prefix { $0.isNumber } ?? ""
    guard let size = Int(number) else { preconditionFailure("no size of \(element) in \(report)") }
    return size
  }
}
