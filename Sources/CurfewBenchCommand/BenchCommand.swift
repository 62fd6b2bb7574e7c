internal import ArgumentParser
internal import CurfewBench

/// The command `bench` of the package in `Benchmarks`.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Compares Curfew with other timers, queues and simulators.",
    subcommands: [CountCommand.self])
}

/// Runs `bench` with the process's arguments and ends the process.
@_spi(Benchmarks) public func runBench() async {
  await BenchCommand.main()
}
