import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation

/// `curfew fleet`: runs a workload on many devices in virtual time and prints its figures.
struct FleetCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Runs a workload on many devices in virtual time.",
    discussion: """
      Figures go to standard output, as tables or in the format of --csv, --json or --format openmetrics. They do not depend on the number \
      of threads. Without an argument, the command runs the built-in workload 'phone'.

      Exit codes: 0 done; 1 failed; 4 a file is invalid, or has a warning with --strict; 64 usage; 130 interrupted; \
      141 the reader of the output is gone; 143 terminated. After an interruption, the figures are those of the devices that finished.
      """)

  @Argument(
    help: "A workload's file, or 'phone', the built-in one; - for standard input.",
    completion: .workloads)
  var workload = "phone"

  @Option(
    help: ArgumentHelp("Run under this policy instead of the workload's: \(PolicyFile.choices)."),
    completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help: ArgumentHelp(
      "The number of devices. Default: 1, or one for each recorded user.", valueName: "count"),
    completion: .unlisted)
  var devices: String?

  @Option(
    help: ArgumentHelp(
      "The number of threads. Default: the number of processors. The figures do not depend on it.",
      valueName: "count"), completion: .unlisted)
  var jobs: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "How long each device runs, starting at its midnight. Default: a day, or the length of the log.",
      valueName: "duration"), completion: .unlisted)
  var length: String?

  @Option(
    help: ArgumentHelp(
      "The seed of all random draws, a whole number. Default: 0.", valueName: "seed"),
    completion: .unlisted)
  var seed: String?

  @Flag(help: "Print figures as JSON, and messages also as JSON.")
  var json = false

  @Flag(help: "Print figures as comma-separated values.")
  var csv = false

  @Option(
    help: ArgumentHelp(
      "The output format: text, json (the same as --json), csv (the same as --csv), or openmetrics (for Prometheus and similar tools).",
      valueName: "format"), completion: .list(Format.allCases.map(\.rawValue)))
  var format: Format?

  enum Format: String, FormatOption { case text, json, csv, openmetrics }

  @Option(
    help: ArgumentHelp(
      "Write each distribution of the figures to its own file in this folder, in the .hgrm format of HdrHistogram's tools.",
      valueName: "folder"), completion: .directory)
  var hgrm: String?

  @Flag(help: "Exit with 4 if the workload has a warning.")
  var strict = false

  func run(on console: Console) throws {
    if workload == "-", policy == "-" {
      throw Refusal("the workload and --policy cannot both be standard input")
    }
    let form = try Format.chosen(format, json: json, csv: csv)
    // The file may be a pipe with a slow writer.
    console.interrupt.listen()
    let source = try Workload.source(workload)
    let workload = try Workload.decode(
      source, policy: try settings.policy(policy, insteadOfThatIn: source))
    for warning in workload.warnings { console.tell(Message(warning)) }
    if strict, !workload.warnings.isEmpty {
      let count = HumanCount.text(workload.warnings.count, "warning")
      throw console.failure(
        Message(.error, "\(count), and --strict is set", file: workload.file), .invalidFile)
    }
    let fleet = try fleet(of: workload)
    let jobs = try whole(jobs, "--jobs", 1...1_024) ?? ProcessInfo.processInfo.activeProcessorCount
    let clock = ContinuousClock()
    let start = clock.now
    let result = try console.watch { progress in
      fleet.run(jobs: jobs, isInterrupted: { console.isStopped }) { now in
        progress.show(FleetProgressText.text(now, of: fleet, in: (clock.now - start).inNanoseconds))
      }
    }
    let told = FigureResult(fleet, result)
    try told.show(as: form, on: console)
    if let hgrm { try told.writeDistributions(to: hgrm, on: console) }
    if !result.isWhole { throw failure(of: result, of: fleet, console) }
  }

  private func failure(of result: Fleet.Result, of fleet: Fleet, _ console: Console) -> ExitCode {
    let done =
      "\(HumanCount.text(result.figures[.devices])) of \(HumanCount.text(fleet.devices, "device"))"
    let known = "\(done) finished; these are their figures"
    guard let (device, cause) = result.standstill else { return console.interrupted(known) }
    return console.failure(
      Message(.error, "\(cause), on device \(device + 1); \(known)", file: fleet.workload.file))
  }

  private func fleet(of workload: Workload) throws -> Fleet {
    let users = workload.recording?.log.users ?? []
    let devices = try whole(devices, "--devices", 1...100_000_000) ?? max(1, users.count)
    let recorded = workload.recording.map { $0.end - Instant.zero }
    let length = try duration() ?? recorded ?? .seconds(86_400)
    let seed = try whole(seed, "--seed", 0...Int64.max) ?? 0
    return Fleet(workload, devices: devices, length: length, seed: UInt64(seed))
  }

  private func whole(_ text: String?, _ option: String, _ range: ClosedRange<Int64>) throws -> Int?
  {
    try text.map { text in
      do { return Int(try WholeNumberText.read(text, in: range)) } catch {
        throw Refusal("\(option) \(text): \(error)")
      }
    }
  }

  private func duration() throws -> Interval? {
    try length.map { text in
      let length: Interval
      do { length = try DurationText.read(text) } catch { throw Refusal("--for \(text): \(error)") }
      guard length > .zero else { throw Refusal("--for \(text): must be more than 0") }
      return length
    }
  }
}

/// The progress of a fleet, for a terminal: share done, simulated time, events per second, speed
/// relative to real time, and time left.
enum FleetProgressText {
  static func text(_ now: Fleet.Progress, of fleet: Fleet, in elapsed: Int64) -> String {
    let share = Double(now.devices) / Double(fleet.devices)
    let seconds = max(1e-9, Double(elapsed) / 1e9)
    var parts = [
      HumanNumber.percent(share),
      "\(HumanCount.text(now.devices)) of \(HumanCount.text(fleet.devices, "device"))",
      "\(HumanCount.text(Int64(now.time.seconds / 86_400))) days simulated",
      "\(HumanNumber.rounded(Double(now.events) / seconds / 1e6)) M events/s",
      "\(HumanNumber.rounded(now.time.seconds / seconds)) × real time",
    ]
    if share > 0 {
      parts.append(
        "\(HumanTime.rounded(Int64(min(0x1p62, (1 - share) / share * Double(elapsed))))) left")
    }
    return parts.joined(separator: ", ")
  }
}
