import Glibc

/// A line of JSON that is being written. It has no storage until something is appended.
struct Text {
  private var bytes: [UInt8]

  init(_ text: String = "") { bytes = Array(text.utf8) }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let first = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[first...].reverse()
  }

  /// Appends a member whose value is a number.
  mutating func append(_ name: String, _ number: Int) {
    append(",\"\(name)\":")
    append(Int64(number))
  }

  /// Appends a member whose value is the decimal text of a number.
  mutating func append(_ name: String, text number: UInt64) {
    append(",\"\(name)\":\"\(number)\"")
  }

  /// Writes the line and a line feed to standard output, or to another descriptor.
  consuming func send(to descriptor: Int32 = 1) {
    bytes.append(UInt8(ascii: "\n"))
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress! + sent, $0.count - sent)
      }
      // Without a reader there is nobody to answer.
      guard count > 0 || errno == EINTR else { exit(1) }
      sent += max(0, count)
    }
  }

  /// The text as a JSON string with its quotation marks.
  static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20: " "
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}
