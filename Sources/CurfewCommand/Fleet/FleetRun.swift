import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewSimulation
import CurfewText
import Foundation

/// A workload that is simulated on many devices, and its figures told.
struct FleetRun {
  let workload: Workload
  let options: FleetOptions
  let form: ResultFormat
  /// The folder for distributions.
  let hgrm: String?
  let isStrict: Bool

  func run(on console: Console) throws {
    for warning in workload.warnings { console.tell(Message(warning)) }
    if isStrict, !workload.warnings.isEmpty {
      let count = HumanCount.text(workload.warnings.count, "warning")
      throw console.failure(Message(.error, "\(count), and --strict was asked for", file: workload.file), .invalidFile)
    }
    let fleet = try fleet()
    let jobs = try options.whole(options.jobs, "--jobs", 1...1_024) ?? ProcessInfo.processInfo.activeProcessorCount
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
    guard result.isWhole else {
      let done = "\(HumanCount.text(result.figures.devices)) of \(HumanCount.text(fleet.devices, "device"))"
      let known = "\(done) finished; these are their figures"
      if let (device, cause) = result.standstill {
        throw console.failure(Message(.error, "\(cause), on device \(device + 1); \(known)", file: workload.file))
      }
      throw console.interrupted(known)
    }
  }

  private func fleet() throws -> Fleet {
    let users = workload.recording?.log.users ?? []
    let devices = try options.whole(options.devices, "--devices", 1...100_000_000) ?? max(1, users.count)
    let recorded = workload.recording.map { $0.end - Instant.zero }
    let length = try options.duration() ?? recorded ?? .seconds(86_400)
    let seed = try options.whole(options.seed, "--seed", 0...Int64.max) ?? 0
    return Fleet(workload, devices: devices, length: length, seed: UInt64(seed))
  }
}

/// How far a fleet is, on a terminal: share, simulated time, events a second, how much faster than the world, and what is left.
enum FleetProgressText {
  static func text(_ now: Fleet.Progress, of fleet: Fleet, in elapsed: Int64) -> String {
    let share = Double(now.devices) / Double(fleet.devices)
    let seconds = max(1e-9, Double(elapsed) / 1e9)
    var parts = [
      HumanNumber.percent(share), "\(HumanCount.text(now.devices)) of \(HumanCount.text(fleet.devices, "device"))",
      "\(HumanCount.text(Int64(now.time.seconds / 86_400))) days simulated",
      "\(HumanNumber.rounded(Double(now.events) / seconds / 1e6)) M events/s",
      "\(HumanNumber.rounded(now.time.seconds / seconds)) × real time",
    ]
    if share > 0 { parts.append("\(HumanTime.rounded(Int64(min(0x1p62, (1 - share) / share * Double(elapsed))))) left") }
    return parts.joined(separator: ", ")
  }
}
