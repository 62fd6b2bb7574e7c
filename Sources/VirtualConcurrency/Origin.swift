internal import CVirtualTime

/// The place that a task was begun at: addresses, which become names where somebody asks.
struct Origin: Sendable {
  let addresses: [UInt64]

  init() {
    addresses = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 24) { buffer in
      let count = cvt_backtrace(buffer.baseAddress!, Int32(buffer.count))
      return buffer.prefix(Int(count)).map { UInt64(UInt(bitPattern: $0)) }
    }
  }
}
