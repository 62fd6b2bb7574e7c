import Foundation

#if os(Linux)
  import CProcess
#endif

/// The arguments of this program.
package enum ProgramArguments {
  /// The bytes of all arguments, the program's name first. Swift's own list replaces bytes that are
  /// not UTF-8, and is empty on Linux if `/proc` is not mounted.
  package static func bytes() -> [[UInt8]] {
    #if os(Linux)
      if var next = cproc_arguments() {
        var found: [[UInt8]] = []
        while let word = next.pointee {
          found.append(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
          next += 1
        }
        return found
      }
    #endif
    return CommandLine.arguments.map { Array($0.utf8) }
  }
}
