package import CurfewPolicy
import CurfewText
import Foundation

/// The errors in a policy's text, as a person reads them.
package func policyErrors(_ text: String, file: String = "mine.yaml") -> [String] {
  do throws(FileErrors) {
    _ = try PolicyFile.decode(try SourceFile(name: file, bytes: Array(text.utf8)))
    return []
  } catch {
    return keepRefused(text, "policy", error.diagnostics.map(\.description))
  }
}

/// Keeps a refused text and its errors in the folder that `CURFEW_KEEP_REFUSED` names.
/// `.ci/schemas` checks the text with another validator.
package func keepRefused(_ text: String, _ kind: String, _ errors: [String]) -> [String] {
  guard let folder = ProcessInfo.processInfo.environment["CURFEW_KEEP_REFUSED"] else {
    return errors
  }
  let path = "\(folder)/\(kind)-\(UUID().uuidString)"
  try? Data(text.utf8).write(to: URL(fileURLWithPath: path + ".yaml"))
  try? Data(errors.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path + ".errors"))
  return errors
}

package func policy(_ text: String, file: String = "mine.yaml") throws -> PolicyFile {
  try PolicyFile.decode(try SourceFile(name: file, bytes: Array(text.utf8)))
}

/// A scenario with this timeline, whose first line is line 7.
package func timeline(_ steps: String...) -> String {
  """
  curfew: scenario/1
  name: x
  policy: ios13
  apps:
    com.example.mail: {}
  timeline:
  \(steps.map { "  - \($0)" }.joined(separator: "\n"))

  """
}

/// Runs `body` with a temporary folder that has these files.
package func withFolder<T>(_ files: [String: String], _ body: (_ path: String) throws -> T) throws
  -> T
{
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "curfew-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for (name, text) in files {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
  return try body(folder.path)
}

/// The errors that `body` throws, with `folder/` removed.
package func errors(in folder: String? = nil, _ body: () throws -> Void) -> [String] {
  do {
    try body()
    return []
  } catch let errors as FileErrors {
    return errors.diagnostics.map { found in
      folder.map { found.description.replacingOccurrences(of: $0 + "/", with: "") }
        ?? found.description
    }
  } catch {
    return ["\(error)"]
  }
}
