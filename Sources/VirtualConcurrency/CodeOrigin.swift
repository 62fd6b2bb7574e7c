internal import Foundation

/// Whose code a frame is: the program's own, or this package's, the toolchain's or the system's,
/// which are never the place that a test looks for.
///
/// A release build without debug information has no files: there the symbols tell, of which the
/// first part names the module.
package enum CodeOrigin {
  /// The modules of this package's products, as `Package.swift` lists them.
  package static let ownModules: Set<String> = [
    "Curfew", "CurfewAnalysis", "CurfewCommand", "CurfewEngine", "CurfewExperiments",
    "CurfewLoadTest", "CurfewManifest", "CurfewMetrics",
    "CurfewPolicy", "CurfewRelease", "CurfewReports", "CurfewSimulation", "CurfewSystem",
    "CurfewTesting", "CurfewText", "CurfewTrace",
    "CurfewUV", "CShippedFiles", "CVirtualTime", "VirtualConcurrency",
  ]
  private static let modules = ownModules.union([
    "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Testing",
    "XCTest",
  ])
  private static let libraries = [
    "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "libTesting",
    "lib_Testing", "libXCTest", "libc.",
    "libpthread", "libm.", "libstdc++", "libgcc", "ld-linux",
  ]
  /// Where this package's own code is.
  private static let sources =
    "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(
      separator: "/") + "/"

  /// Whether a symbol is not the program's own.
  /// - Parameters:
  ///   - symbol: As it is in the symbol table.
  ///   - image: The file name of the program or library that has it.
  package static func isForeign(_ symbol: String, in image: String) -> Bool {
    if libraries.contains(where: image.hasPrefix) { return true }
    guard isSwift(symbol) else { return false }
    // A witness, or a change of a function's form, that the compiler has made.
    if symbol.hasSuffix("TW") || symbol.hasSuffix("TR") { return true }
    return module(of: symbol).map(modules.contains) ?? true
  }

  /// Whether a symbol is Swift's, and so tells its module.
  static func isSwift(_ symbol: String) -> Bool { symbol.hasPrefix("$s") }

  /// Whether a source file is not the program's own.
  static func isForeign(file: String) -> Bool {
    file.hasPrefix(sources)
      || ["Sources/CVirtualTime/", "compiler-generated", "/swift-generated-sources/"].contains(
        where: file.contains)
  }

  /// The module that declares what a symbol names. An extension belongs to the module that writes
  /// it, and not to that of its type.
  static func module(of symbol: String) -> String? {
    let name = symbol.dropFirst(2)
    let first = name.first?.isNumber == true ? identifier(name) : "Swift"
    guard let first, modules.contains(first) else { return first }
    let mark = "(extension in "
    guard let text = demangled(symbol), let start = text.firstRange(of: mark)?.upperBound else {
      return first
    }
    return String(text[start...].prefix { $0 != ")" })
  }

  /// The identifier that a mangled name begins with: its length, and itself.
  private static func identifier(_ name: Substring) -> String? {
    let digits = name.prefix(while: \.isNumber)
    return Int(digits).map { String(name.dropFirst(digits.count).prefix($0)) }
  }

  private static func demangled(_ symbol: String) -> String? {
    guard let text = demangle(symbol, UInt(symbol.utf8.count), nil, nil, 0) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}

@_silgen_name("swift_demangle") private func demangle(
  _ symbol: UnsafePointer<CChar>, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?,
  _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
