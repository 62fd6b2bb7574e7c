internal import CVirtualTime

/// Where code is: addresses, the innermost first, which become names where somebody asks.
struct Frames: Sendable {
  enum Kind { case returnAddresses, resumePoints }
  let kind: Kind
  let addresses: [UInt64]

  /// Where this thread is.
  static var ofThread: Frames { Frames(.returnAddresses) { cvt_backtrace($0, $1) } }

  /// Where a task that waits will go on; empty, where it does not wait.
  static func ofWaiting(_ task: UnsafeRawPointer) -> Frames { Frames(.resumePoints) { cvt_waiting_at(task, $0, $1) } }

  private init(_ kind: Kind, fill: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32) {
    self.kind = kind
    addresses = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 24) { buffer in
      let count = fill(buffer.baseAddress!, Int32(buffer.count))
      return buffer.prefix(Int(count)).map { UInt64(UInt(bitPattern: $0)) }
    }
  }
}
