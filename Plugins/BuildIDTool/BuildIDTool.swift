import Foundation

/// Writes the Swift file that says which sources a build was made of: `curfew-build-id clone|archive PACKAGE OUTPUT`.
@main enum BuildIDTool {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, ["clone", "archive"].contains(arguments[1]) else {
      FileHandle.standardError.write(Data("usage: curfew-build-id clone|archive PACKAGE OUTPUT\n".utf8))
      exit(64)
    }
    let (package, output) = (URL(filePath: arguments[2]), URL(filePath: arguments[3]))
    let head = arguments[1] == "clone" ? Checkout(of: package) : nil
    let sources = try SourceTree.digest(of: package.appending(path: "Sources"))
    let text = """
      enum SourceState {
        static let commit: String? = \(literal(head?.commit))
        static let changedSources: String? = \(literal(sources == head?.sources ? nil : sources))
      }

      """
    // A file that is written anew, with the same in it, would have everything linked again.
    if (try? String(contentsOf: output, encoding: .utf8)) != text { try text.write(to: output, atomically: true, encoding: .utf8) }
  }

  private static func literal(_ digits: String?) -> String { digits.map { "\"\($0.prefix(12))\"" } ?? "nil" }
}
