import CurfewEngine
import CurfewText

/// `--app`: an app, named by its identifier, or by the last part of it if that is unambiguous.
enum AppName {
  /// Returns the identifier in `all`, the apps of `file`, to which `name` refers.
  static func identifier(_ name: String, among all: [String], in file: String) throws(Refusal)
    -> String
  {
    let found = all.contains(name) ? [name] : all.filter { $0.lastPart == name }
    guard let identifier = found.first else {
      let hint =
        NearestName.to(name, among: all + all.map(\.lastPart)).map { "; did you mean '\($0)'?" }
        ?? ""
      throw Refusal("--app: there is no '\(name)' in \(file)\(hint)")
    }
    guard found.count == 1 else {
      throw Refusal(
        "--app: '\(name)' may mean \(found.map { "'\($0)'" }.joined(separator: " or "))")
    }
    return identifier
  }
}

extension String {
  /// The part of an identifier after its last full stop.
  var lastPart: String { split(separator: ".").last.map(String.init) ?? self }
}
