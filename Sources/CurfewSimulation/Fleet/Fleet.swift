public import CurfewEngine
import CurfewSystem
public import CurfewTrace
import Foundation

/// Many devices that play one workload independently, spread over threads.
///
/// ```swift
/// let fleet = Fleet(workload, devices: 1_000, length: .seconds(86_400), seed: 1)
/// let result = fleet.run(jobs: 2)
/// print(result.figures.total.work.completionRatio ?? 0)
/// ```
///
/// Devices do not depend on each other, and all figures are whole numbers, so the result is the
/// same for any number of threads.
public struct Fleet: Sendable {
  /// The workload that the devices play.
  public let workload: Workload
  /// The number of devices.
  public let devices: Int
  /// The length of each device's run, which starts at its midnight.
  public let length: Interval
  /// The seed of all random numbers.
  public let seed: UInt64
  /// Whether a run also computes the fewest cold launches that other choices of purges could have
  /// caused (`Figures.hindsight`). If memory is short, this about doubles the run time.
  package var looksBack = false

  /// A fleet of `devices` devices.
  /// - Precondition: There is at least one device, the length is not negative, and the workload has
  ///   no `flaws`.
  public init(_ workload: Workload, devices: Int, length: Interval, seed: UInt64 = 0) {
    precondition(devices > 0 && length >= .zero, "\(devices) devices for \(length)")
    let flaws = workload.flaws
    precondition(
      flaws.isEmpty, "The workload cannot be played: \(flaws.joined(separator: "; "))")
    self.workload = workload
    self.devices = devices
    self.length = length
    self.seed = seed
  }

  /// The result of a run.
  public struct Result: Sendable {
    /// The figures of the devices that reached their end.
    public let figures: Figures
    /// Whether all devices reached their end. False if the run was interrupted, or if time stands
    /// still on a device.
    public let isWhole: Bool
    /// The first device on which time stands still, counted from 0, and the cause; nil if there
    /// is none.
    public let standstill: (device: Int, cause: Standstill)?
  }

  /// The progress of a run.
  public struct Progress: Hashable, Sendable {
    /// The number of devices that have reached their end.
    public var devices = 0
    /// The time that these devices have simulated.
    public var time = TotalTime()
    /// The number of events sent to engines, and of the engines' own steps.
    public var events = 0

    /// The progress at the beginning.
    package init() {}
  }

  /// Runs all devices.
  ///
  /// - Parameters:
  ///   - jobs: The number of threads, at least 1.
  ///   - isInterrupted: Called about ten times a second on the caller's thread; true stops the run.
  ///     The figures then contain the devices that have reached their end.
  ///   - progress: Called equally often, on the caller's thread.
  /// - Complexity: Memory for one device per thread and for the figures. It grows neither with
  ///   the number of devices nor with the length.
  public func run(
    jobs: Int = 1, isInterrupted: () -> Bool = { false }, progress: (Progress) -> Void = { _ in }
  ) -> Result {
    precondition(jobs > 0, "The number of jobs is \(jobs)")
    let plan = FleetPlan(workload, seed: seed, length: length, looksBack: looksBack)
    let crew = FleetCrew(devices, blank: plan.blank)
    for number in 1...min(jobs, devices) { crew.start("fleet-\(number)", plan) }
    while crew.waitForWork() {
      progress(crew.progress)
      if isInterrupted() { crew.stop() }
    }
    progress(crew.progress)
    return crew.result
  }

  /// Runs all devices on the caller's thread, for tools that count the instructions of one thread.
  @_spi(Benchmarks) public func runOnThisThread() -> Result {
    let plan = FleetPlan(workload, seed: seed, length: length, looksBack: looksBack)
    let crew = FleetCrew(devices, blank: plan.blank)
    crew.runHere(plan)
    return crew.result
  }
}

/// The state that the threads of a run share: the devices left to run, and the results so far.
private final class FleetCrew: @unchecked Sendable {
  private let condition = NSCondition()
  private var next = 0
  private let devices: Int
  private var working = 0
  private var isStopped = false
  private(set) var figures: Figures
  /// The first device on which time stands still. All other devices run to their end, so this
  /// result and the figures do not depend on the number of threads.
  private(set) var standstill: (device: Int, cause: Standstill)?
  private var done = Fleet.Progress()

  init(_ devices: Int, blank: Figures) { (self.devices, figures) = (devices, blank) }

  var progress: Fleet.Progress { condition.withLock { done } }

  var result: Fleet.Result {
    condition.withLock {
      Fleet.Result(figures: figures, isWhole: done.devices == devices, standstill: standstill)
    }
  }

  /// Waits until all threads are done, but at most a tenth of a second.
  /// - Returns: Whether a thread is still working.
  func waitForWork() -> Bool {
    condition.withLock {
      if working > 0 { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1)) }
      return working > 0
    }
  }

  func stop() { condition.withLock { isStopped = true } }

  func runHere(_ plan: FleetPlan) {
    condition.withLock { working += 1 }
    work(plan)
  }

  func start(_ name: String, _ plan: FleetPlan) {
    condition.withLock { working += 1 }
    let answer = ThreadStart.system.start(name) { self.work(plan) }
    // If no thread can be started, the caller's thread does the work.
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
