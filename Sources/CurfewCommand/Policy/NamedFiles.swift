import CurfewPolicy
import CurfewSimulation
import CurfewText

extension PolicyFile {
  /// The policy that an option names: a built-in one, a file, or `-` for standard input, whose relative paths start in the present folder.
  static func named(_ name: String) throws(FileErrors) -> PolicyFile {
    name == "-" ? try PolicyFile.decode(try SourceFile.readStandardInput()) : try PolicyFile.load(name)
  }
}

extension Scenario {
  /// The text of the scenario that an argument names: a file, `-` for standard input, or without one a phone's day.
  static func source(_ name: String?) throws(FileErrors) -> SourceFile {
    guard let name else { return try shippedDaySource() }
    return name == "-" ? try SourceFile.readStandardInput() : try SourceFile.read(name)
  }
}
