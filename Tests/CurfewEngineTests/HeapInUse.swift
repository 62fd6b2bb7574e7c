import Foundation

/// The number of bytes in use on the C library's heap.
enum HeapInUse {
  private typealias MallocInfo = @convention(c) (CInt, UnsafeMutableRawPointer?) -> CInt

  /// Whether the C library reports this; glibc does.
  static var isKnown: Bool { mallocInfo != nil }

  private static var mallocInfo: MallocInfo? {
    dlsym(nil, "malloc_info").map { unsafeBitCast($0, to: MallocInfo.self) }
  }

  /// The bytes from the system minus the free bytes of all arenas, plus bytes mapped separately.
  /// Small freed blocks in a thread's cache count as in use.
  ///
  /// The figures come from the report of `malloc_info`, because Swift's overlay has no `mallinfo2`.
  static func bytes() -> Int {
    guard let mallocInfo else { preconditionFailure("a C library without malloc_info") }
    var text: UnsafeMutablePointer<CChar>?
    var length = 0
    let stream = open_memstream(&text, &length)
    _ = mallocInfo(0, UnsafeMutableRawPointer(stream))
    fclose(stream)
    defer { free(text) }
    let report = text.map { String(cString: $0) } ?? ""
    // The totals come after the last arena.
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
