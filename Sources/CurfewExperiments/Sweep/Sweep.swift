package import CurfewSimulation
import CurfewTrace

/// Runs an experiment: every repetition of every variant, into a file that keeps each as it ends.
///
/// Runs that are in the file are not made again, so a sweep that was interrupted, killed or cut off
/// by a full disk goes on where it was. Run after run is spread over the threads by its devices,
/// which depend on nothing: the figures are the same for any number of threads.
package struct Sweep: Sendable {
  /// What is run.
  package let experiment: Experiment
  /// Which of the runs; nil for all.
  package let shard: Shard?

  /// A sweep of an experiment, or of a part of it.
  /// - Precondition: Its workloads have no `flaws`, and there are a device and two repetitions
  ///   at least.
  package init(_ experiment: Experiment, shard: Shard? = nil) {
    precondition(
      experiment.devices > 0 && experiment.repetitions.lowerBound > 1,
      "\(experiment.devices) devices, \(experiment.repetitions)")
    (self.experiment, self.shard) = (experiment, shard)
  }

  /// A part of the runs, for one of several machines: the first of 16 has runs 1, 17, 33, …
  ///
  /// Parts are made before anything is known, so a part makes every repetition, also where a sweep
  /// might have stopped early.
  package struct Shard: Hashable, Sendable {
    /// Which, from 1.
    package let number: Int
    /// How many there are.
    package let count: Int

    /// One of so many parts.
    /// - Precondition: `number` is from 1 to `count`.
    package init(_ number: Int, of count: Int) {
      precondition(count >= 1 && (1...count).contains(number), "Part \(number) of \(count)")
      (self.number, self.count) = (number, count)
    }

    /// Whether the part has the run at this place of all.
    func has(_ index: Int) -> Bool { index % count == number - 1 }
  }

  /// What a sweep has come to.
  package struct Outcome: Sendable {
    /// What was found out, as far as runs were made; nil for a part of the runs, and before every
    /// variant has two repetitions.
    package let evaluation: Evaluation?
    /// Whether every run that was wanted was made.
    package let isWhole: Bool
    /// How many runs were made now.
    package let made: Int
    /// How many were in the file before.
    package let kept: Int
  }

  /// How far a sweep is.
  package struct Progress: Hashable, Sendable {
    /// How many of the runs are in the file.
    package var runs: Int
    /// How many there will be, if it does not stop before.
    package let total: Int
    /// How many of them were made now.
    package var made = 0
    /// The variant and the repetition that are being made.
    package var variant = ""
    /// From 0.
    package var repetition = 0
    /// How far that run is.
    package var fleet = Fleet.Progress()
    /// What all runs that were made now have simulated.
    package var events = 0
  }

  /// Makes the runs that are not in `results`.
  ///
  /// - Parameters:
  ///   - jobs: How many threads, 1 at least.
  ///   - isInterrupted: Asked about ten times a second, on the caller's thread: whether to stop.
  ///     Runs that have come to their end are kept.
  ///   - progress: Told as often, on the caller's thread.
  /// - Throws: Where a run cannot be kept; those before it are.
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
        // A run that is over within a tenth of a second asks nobody.
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

  /// How many runs there are in the sweep or its part.
  private var total: Int { runs(0..<experiment.repetitions.upperBound).count }

  /// The runs of these repetitions that are its own: all variants of a repetition, then the next.
  private func runs(_ repetitions: Range<Int>) -> [ResultsFile.Run] {
    let variants = experiment.variants.count
    return (repetitions.lowerBound * variants..<repetitions.upperBound * variants).filter {
      shard?.has($0) ?? true
    }.map {
      ResultsFile.Run(variant: $0 % variants, repetition: $0 / variants)
    }
  }

  /// Makes a run and keeps it.
  /// - Returns: Whether it came to its end.
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
