import ArgumentParser
import CurfewEngine
import CurfewManifest
import CurfewText

/// What a workload is simulated with.
struct FleetOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How many devices; 1, or one for each recorded user.", valueName: "count"))
  var devices: String?

  @Option(
    help: ArgumentHelp(
      "How many threads; as many as the machine has processors. The figures are the same for any number.", valueName: "count"))
  var jobs: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long each device runs, from its midnight on; a day, or as long as the log is.", valueName: "duration"))
  var length: String?

  @Option(help: ArgumentHelp("What everything is drawn from, a whole number; 0.", valueName: "seed"))
  var seed: String?

  /// The options that were given, for what takes none of them.
  var given: [String] {
    [("--devices", devices), ("--jobs", jobs), ("--for", length), ("--seed", seed)].compactMap { $1 == nil ? nil : $0 }
  }

  func whole(_ text: String?, _ option: String, _ range: ClosedRange<Int64>) throws -> Int? {
    try text.map { text in
      do { return Int(try WholeNumberText.read(text, in: range)) } catch { throw Refusal("\(option) \(text): \(error)") }
    }
  }

  func duration() throws -> Interval? {
    try length.map { text in
      let length: Interval
      do { length = try DurationText.read(text) } catch { throw Refusal("--for \(text): \(error)") }
      guard length > .zero else { throw Refusal("--for \(text): a run is longer than nothing") }
      return length
    }
  }
}
