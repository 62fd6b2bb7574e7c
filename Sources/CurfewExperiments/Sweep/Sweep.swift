package import CurfewSimulation
import CurfewStatistics
import CurfewTrace

/// Runs an experiment: every repetition of every variant. Each run is written to a file when
/// it ends.
///
/// Runs that are already in the file are not repeated. So a sweep that was interrupted, killed
/// or stopped by a full disk continues after the last complete run. Runs are performed one after
/// another; the devices of a run are distributed over the threads. Devices are independent, so
/// the figures are the same for any number of threads.
package struct Sweep: Sendable {
  /// The experiment to run.
  package let experiment: Experiment
  /// The part of the runs to make; nil for all.
  package let shard: Shard?

  /// A sweep of an experiment, or of a part of it.
  /// - Precondition: The workloads have no `flaws`, and the experiment has at least one device
  ///   and two repetitions.
  package init(_ experiment: Experiment, shard: Shard? = nil) {
    precondition(
      experiment.devices > 0 && experiment.repetitions.lowerBound > 1,
      "\(experiment.devices) devices, \(experiment.repetitions)")
    (self.experiment, self.shard) = (experiment, shard)
  }

  /// A part of the runs, for one of several machines: the first of 16 has runs 1, 17, 33, …
  ///
  /// A part cannot compare variants, so it performs all its repetitions, even if a sweep of all
  /// runs would stop early.
  package struct Shard: Hashable, Sendable {
    /// The part's number, from 1.
    package let number: Int
    /// The number of parts.
    package let count: Int

    /// One of `count` parts.
    /// - Precondition: `number` is from 1 to `count`.
    package init(_ number: Int, of count: Int) {
      precondition(count >= 1 && (1...count).contains(number), "Part \(number) of \(count)")
      (self.number, self.count) = (number, count)
    }

    /// Whether the part has the run at this index among all runs.
    func has(_ index: Int) -> Bool { index % count == number - 1 }
  }

  /// The result of a sweep.
  package struct Outcome: Sendable {
    /// The last evaluation; nil for a part of the runs, and before the first look.
    package let evaluation: Evaluation?
    /// Whether the sweep made every run that it needed.
    package let isWhole: Bool
    /// The number of runs that this sweep made.
    package let made: Int
    /// The number of runs that were in the file before.
    package let kept: Int
  }

  /// The progress of a sweep.
  package struct Progress: Hashable, Sendable {
    /// The number of the sweep's runs in the file.
    package var runs: Int
    /// The number of the sweep's runs if it does not stop early.
    package let total: Int
    /// The number of runs that this sweep made.
    package var made = 0
    /// The variant of the current run.
    package var variant = ""
    /// The repetition of the current run, from 0.
    package var repetition = 0
    /// The progress of the current run.
    package var fleet = Fleet.Progress()
    /// The events simulated by all runs of this sweep.
    package var events = 0
  }

  /// Performs the runs that are not in `results`.
  ///
  /// - Parameters:
  ///   - jobs: The number of threads, at least 1.
  ///   - isInterrupted: Whether to stop; called about ten times a second, on the caller's thread.
  ///     Complete runs are kept.
  ///   - progress: Called equally often, on the caller's thread.
  /// - Throws: `ResultsError` if a run cannot be performed or kept. The runs before it are kept.
  package func run(
    into results: ResultsFile, jobs: Int = 1, isInterrupted: () -> Bool = { false },
    progress: (Progress) -> Void = { _ in }
  ) throws(ResultsError) -> Outcome {
    let wanted = Set(runs(0..<experiment.repetitions.upperBound))
    var done = try results.runs().intersection(wanted)
    let kept = done.count
    var now = Progress(runs: kept, total: total)
    var evaluation: Evaluation?
    var first = 0
    for look in shard == nil ? experiment.plan.looks : [experiment.repetitions.upperBound] {
      for run in runs(first..<look) where !done.contains(run) {
        (now.variant, now.repetition) = (experiment.variants[run.variant].name, run.repetition)
        if now.made == 0 { try results.checkBuilds() }
        // A run shorter than a tenth of a second never calls `isInterrupted`, so it is called here.
        guard !isInterrupted(), try make(run, into: results, jobs, isInterrupted, &now, progress)
        else {
          if let evaluation { try results.keep(evaluation, of: experiment) }
          return Outcome(evaluation: evaluation, isWhole: false, made: now.made, kept: kept)
        }
        done.insert(run)
      }
      first = look
      guard shard == nil else { continue }
      evaluation = try results.evaluate(experiment)
      if evaluation?.maySuffice ?? false { break }
    }
    if let evaluation { try results.keep(evaluation, of: experiment) }
    return Outcome(evaluation: evaluation, isWhole: true, made: now.made, kept: kept)
  }

  /// The number of runs in the sweep or its part.
  private var total: Int { runs(0..<experiment.repetitions.upperBound).count }

  /// The runs of these repetitions in the sweep or its part: all variants of one repetition, then
  /// all variants of the next.
  private func runs(_ repetitions: Range<Int>) -> [ResultsFile.Run] {
    let variants = experiment.variants.count
    return (repetitions.lowerBound * variants..<repetitions.upperBound * variants).filter {
      shard?.has($0) ?? true
    }.map {
      ResultsFile.Run(variant: $0 % variants, repetition: $0 / variants)
    }
  }

  /// Performs a run and keeps its results.
  /// - Returns: Whether the run is complete.
  private func make(
    _ run: ResultsFile.Run, into results: ResultsFile, _ jobs: Int, _ isInterrupted: () -> Bool,
    _ now: inout Progress,
    _ progress: (Progress) -> Void
  ) throws(ResultsError) -> Bool {
    let workload = experiment.variants[run.variant].workload
    let seed = experiment.seed(ofRepetition: run.repetition, variant: run.variant)
    let (clock, before) = (ContinuousClock(), now)
    let start = clock.now
    var fleet = Fleet(workload, devices: experiment.devices, length: experiment.length, seed: seed)
    fleet.looksBack = experiment.looksBack
    let result = fleet.run(jobs: jobs, isInterrupted: isInterrupted) { fleet in
      now.fleet = fleet
      now.events = before.events + fleet.events
      progress(now)
    }
    if let (device, cause) = result.standstill {
      let variant = experiment.variants[run.variant].name
      throw ResultsError(
        .standstill, workload.file.isEmpty ? results.path : workload.file,
        "\(cause), on device \(device + 1) of '\(variant)', repetition \(run.repetition + 1)")
    }
    guard result.isWhole else { return false }
    let seconds = (clock.now - start) / .seconds(1)
    try results.add(
      run, seed: seed, seconds: seconds,
      result.figures.rows(under: workload.policy, weights: workload.energy))
    now.runs += 1
    now.made += 1
    (now.fleet, now.events) = (Fleet.Progress(), before.events + result.figures[.events])
    progress(now)
    return true
  }
}
