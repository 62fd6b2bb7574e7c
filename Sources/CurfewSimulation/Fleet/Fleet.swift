public import CurfewEngine
import CurfewSystem
public import CurfewTrace
import Foundation

/// Many devices that play one workload, each by itself, spread over threads.
///
/// ```swift
/// let fleet = Fleet(workload, devices: 1_000, length: .seconds(86_400), seed: 1)
/// let result = fleet.run(jobs: 2)
/// print(result.figures.total.work.completionRatio ?? 0)
/// ```
///
/// Nothing of a device depends on another, and all figures are whole numbers: they are the same,
/// however many threads there are.
public struct Fleet: Sendable {
  /// What is played.
  public let workload: Workload
  /// How many devices.
  public let devices: Int
  /// How long each runs, from its midnight on.
  public let length: Interval
  /// What everything is drawn from.
  public let seed: UInt64
  /// Whether a run also tells how few cold launches other purges could have left
  /// (`Figures.hindsight`). That takes about as long again where memory is short.
  public var looksBack = false

  /// A fleet of so many devices.
  /// - Precondition: There is a device at least, the length is not negative, and the workload has
  ///   no `flaws`.
  public init(_ workload: Workload, devices: Int, length: Interval, seed: UInt64 = 0) {
    precondition(devices > 0 && length >= .zero, "\(devices) devices for \(length)")
    let flaws = workload.flaws
    precondition(
      flaws.isEmpty, "A workload that cannot be played: \(flaws.joined(separator: "; "))")
    self.workload = workload
    self.devices = devices
    self.length = length
    self.seed = seed
  }

  /// What a run has come to.
  public struct Result: Sendable {
    /// Of the devices that came to their end.
    public let figures: Figures
    /// Whether all devices did; not, where the run was interrupted, or time stands still on
    /// a device.
    public let isWhole: Bool
    /// The first device on which time stands still, counted from 0, and why; nil if there is none.
    public let standstill: (device: Int, cause: Standstill)?
  }

  /// How far a run is.
  public struct Progress: Hashable, Sendable {
    /// Devices that came to their end.
    public var devices = 0
    /// How long those have simulated.
    public var time = TotalTime()
    /// What has entered the engines, and steps that they took.
    public var events = 0

    /// At the beginning.
    public init() {}
  }

  /// Runs all devices.
  ///
  /// - Parameters:
  ///   - jobs: How many threads, 1 at least.
  ///   - isInterrupted: Asked about ten times a second, on the caller's thread: whether to stop.
  ///     The devices that have come to their end count.
  ///   - progress: Told as often, on the caller's thread.
  /// - Complexity: The memory is that of one device for each thread, and of the figures: it grows
  ///   neither with the number of devices nor with the length.
  public func run(
    jobs: Int = 1, isInterrupted: () -> Bool = { false }, progress: (Progress) -> Void = { _ in }
  ) -> Result {
    precondition(jobs > 0, "\(jobs) jobs")
    let plan = FleetPlan(workload, seed: seed, length: length, looksBack: looksBack)
    let crew = FleetCrew(devices, blank: plan.blank)
    for number in 1...min(jobs, devices) { crew.start("fleet-\(number)", plan) }
    while crew.waitForWork() {
      progress(crew.progress)
      if isInterrupted() { crew.stop() }
    }
    progress(crew.progress)
    return Result(
      figures: crew.figures, isWhole: crew.progress.devices == devices, standstill: crew.standstill)
  }
}

/// The threads of a fleet's run: what is still to be done, and what they have come to.
private final class FleetCrew: @unchecked Sendable {
  private let condition = NSCondition()
  private var next = 0
  private let devices: Int
  private var working = 0
  private var isStopped = false
  private(set) var figures: Figures
  /// The first device on which time stands still. The others run to their end, so neither it nor
  /// the figures depend on the number of threads.
  private(set) var standstill: (device: Int, cause: Standstill)?
  private var done = Fleet.Progress()

  init(_ devices: Int, blank: Figures) { (self.devices, figures) = (devices, blank) }

  var progress: Fleet.Progress { condition.withLock { done } }

  /// Waits a tenth of a second, or until nobody is at work.
  /// - Returns: Whether somebody is.
  func waitForWork() -> Bool {
    condition.withLock {
      if working > 0 { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1)) }
      return working > 0
    }
  }

  func stop() { condition.withLock { isStopped = true } }

  func start(_ name: String, _ plan: FleetPlan) {
    condition.withLock { working += 1 }
    let answer = ThreadStart.system.start(name) { self.work(plan) }
    // Without a thread to be had, the caller's is.
    if answer != 0 { work(plan) }
  }

  private func work(_ plan: FleetPlan) {
    var own = plan.blank
    while let device = take() {
      var run = DeviceRun(plan, device: UInt64(device))
      switch run.run(isStopped: { self.condition.withLock { self.isStopped } }) {
      case .complete: break
      case .stopped: continue
      case .standstill(let cause):
        note(cause, on: device)
        continue
      }
      let figures = run.meter.figures.withPerDevice(plan.policy.names)
      own.merge(figures)
      condition.withLock {
        done.devices += 1
        done.time += figures[.simulated]
        done.events += figures[.events]
      }
    }
    condition.withLock {
      figures.merge(own)
      working -= 1
      condition.broadcast()
    }
  }

  private func note(_ cause: Standstill, on device: Int) {
    condition.withLock {
      if standstill.map({ device < $0.device }) ?? true { standstill = (device, cause) }
    }
  }

  private func take() -> Int? {
    condition.withLock {
      guard next < devices, !isStopped else { return nil }
      next += 1
      return next - 1
    }
  }
}
