import CurfewPolicy
import CurfewSimulation
import CurfewText
import Foundation

extension PolicyFile {
  /// The policy that an option names: a built-in one, a file, or `-` for standard input, whose relative paths start in the present folder.
  static func named(_ name: String) throws(FileErrors) -> PolicyFile {
    name == "-" ? try PolicyFile.decode(try SourceFile.readStandardInput()) : try PolicyFile.load(name)
  }
}

extension Scenario {
  /// The text of the scenario or workload that an argument names: a file, a built-in workload where there is no such file, `-` for standard input, or
  /// without one a phone's day.
  static func source(_ name: String?) throws(FileErrors) -> SourceFile {
    guard let name else { return try shippedDaySource() }
    if !FileManager.default.fileExists(atPath: name), let workload = try Workload.shippedSource(named: name) { return workload }
    return name == "-" ? try SourceFile.readStandardInput() : try SourceFile.read(name)
  }
}
