import CurfewPolicy
import CurfewText

extension PolicyFile {
  /// The policy that an option names: a built-in one, a file, or `-` for standard input, whose relative paths start in the present folder.
  static func named(_ name: String) throws(FileErrors) -> PolicyFile {
    name == "-" ? try PolicyFile.decode(try SourceFile.readStandardInput()) : try PolicyFile.load(name)
  }
}
