internal import ArgumentParser
internal import CurfewBench
internal import CurfewConsole
internal import CurfewSystem
internal import CurfewText

/// `bench plan`: writes the plan of a workload.
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Writes the plan of a workload; the same options give the same bytes.")

  @Argument(help: "The workload.")
  var workload: String

  @Option(help: ArgumentHelp("The file; - for standard output.", valueName: "file"))
  var out: String

  @Option(parsing: .unconditional, help: "The seed.")
  var seed: NumberOption = 1

  @Option(parsing: .unconditional, help: "small, default, large, or a number.")
  var size = "default"

  @Option(help: "The shape; the workload's usual one if absent.")
  var shape: String?

  func run() throws {
    let kind = try WorkloadKind.named(workload)
    let size = try kind.size(size)
    if let shape { try RunCommand.check(shape, of: [kind]) }
    let seed = try seed.number(in: 0...UInt64.max, "--seed")
    let plan = kind.plan(size: size, shape: shape, seed: seed)
    if out == "-" { return try show(String(decoding: plan.text, as: UTF8.self)) }
    do {
      let file = try Descriptor(path: out)
      if let (error, _) = file.write(plan.text) { throw error }
      try file.close()
    } catch let error as SystemError {
      tell("\(out): error: \(error)")
      throw ExitCode.failure
    }
  }
}
