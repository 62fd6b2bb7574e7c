import Foundation

/// Times of the wall clock as text.
enum WallTime {
  /// `2026-11-28T06:10:00Z`; a part of a second is rounded up.
  static func utc(_ nanoseconds: Int64) -> String {
    text(nanoseconds, "%Y-%m-%dT%H:%M:%SZ") { gmtime_r($0, $1) }
  }

  /// `2026-11-28 07:10:00 +0100`, in the local time zone; a part of a second is rounded up.
  static func local(_ nanoseconds: Int64) -> String {
    text(nanoseconds, "%Y-%m-%d %H:%M:%S %z") { localtime_r($0, $1) }
  }

  private static func text(
    _ nanoseconds: Int64, _ format: String,
    _ parts: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
  ) -> String {
    var seconds = time_t(nanoseconds / 1_000_000_000 + (nanoseconds % 1_000_000_000 > 0 ? 1 : 0))
    var fields = tm()
    _ = parts(&seconds, &fields)
    var bytes = [CChar](repeating: 0, count: 64)
    let count = strftime(&bytes, bytes.count, format, &fields)
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
