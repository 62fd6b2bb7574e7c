internal import ArgumentParser
internal import CurfewBench
internal import CurfewText

/// `bench list`: the workloads, and the contestants with their versions or missing tools.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the workloads and the contestants.")

  @OptionGroup var suite: SuiteOption

  func run() throws {
    let suite = try suite.read()
    var text = "workloads\n"
    for kind in WorkloadKind.all {
      let (small, standard, large) = (kind.sizes.small, kind.sizes.standard, kind.sizes.large)
      text += "  \(kind.name): \(kind.about)\n"
      text += "    sizes: small \(small), default \(standard), large \(large) \(kind.unit)\n"
      if !kind.shapes.isEmpty { text += "    shapes: \(kind.shapes.joined(separator: ", "))\n" }
    }
    text += "contestants\n"
    for file in suite.contestants {
      let workshop = Workshop(file, in: suite)
      text += "  \(file.name) (\(file.role.rawValue), \(file.division.rawValue)): \(file.about)\n"
      text += "    workloads: \(file.workloads.joined(separator: ", "))\n"
      if let need = workshop.missing {
        text += "    missing: \(need); it is installed by: \(file.install ?? "")\n"
      } else if let version = workshop.version() {
        text += "    version: \(version.escapingControls)\n"
      } else if file.version != nil {
        text += "    missing; it is installed by: \(file.install ?? "")\n"
      }
    }
    try show(text)
  }
}
