internal import CVirtualTime

/// A place in code: addresses, innermost first. Names are looked up on demand.
struct Frames: Sendable {
  /// A frame of the program's own code.
  struct Place {
    let function: String
    let module: String?
    /// nil if the program has no debug information.
    let source: (path: String, line: Int)?

    /// Module and file, as in `#fileID`.
    func fileID(_ path: String) -> String {
      (module ?? "") + "/" + (path.split(separator: "/").last ?? "")
    }
  }

  /// The function, the file and the line of the program's innermost frame; nil if the program's
  /// symbols do not contain them.
  var place: String? {
    found.map { found in
      found.function
        + (found.source.map { " at \($0.path):\($0.line)" } ?? " (no debug information)")
    }
  }

  /// The text for an unknown place.
  static let noPlace = "an unknown place (no debug information)"

  enum Kind { case returnAddresses, resumePoints }
  let kind: Kind
  let addresses: [UInt64]

  /// The stack of this thread.
  static var ofThread: Frames { Frames(.returnAddresses, depth: 24) { cvt_backtrace($0, $1) } }

  /// The places at which a waiting task will resume; empty if it does not wait.
  static func ofWaiting(_ task: UnsafeRawPointer) -> Frames {
    Frames(.resumePoints, depth: 24) { cvt_waiting_at(task, $0, $1) }
  }

  /// The stack of another thread, in a process that is about to end.
  static func ofThread(_ thread: UnsafeMutableRawPointer) -> Frames {
    Frames(.returnAddresses, depth: 64) { cvt_stack_of(thread, $0, $1) }
  }

  private init(
    _ kind: Kind, depth: Int, fill: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
  ) {
    self.kind = kind
    addresses = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: depth) {
      buffer in
      let count = fill(buffer.baseAddress!, Int32(buffer.count))
      return buffer.prefix(Int(count)).map { UInt64(UInt(bitPattern: $0)) }
    }
  }
}
