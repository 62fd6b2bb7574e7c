#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Names of functions for people.
enum SwiftSymbol {
  /// The longest kept name. Generic functions have names of several hundred characters.
  private static let longest = 160

  /// The function's name in source code. A symbol that is not Swift's stays as it is.
  static func name(of symbol: String) -> String {
    guard symbol.hasPrefix("$s"),
      let text = demangle(symbol, UInt(symbol.utf8.count), nil, nil, 0)
    else { return String(symbol.prefix(longest)) }
    defer { free(text) }
    return String(
      String(cString: text).replacing("Swift.", with: "").prefix(longest))
  }
}

@_silgen_name("swift_demangle") private func demangle(
  _ symbol: UnsafePointer<CChar>, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
