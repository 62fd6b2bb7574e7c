import ArgumentParser
import CurfewConsole
import CurfewEngine
import CurfewLoadTest
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import CurfewUV
import Foundation

/// `curfew loadtest`: thousands of simulated apps on a real loop, and the lateness of their grants'
/// warnings and ends.
struct LoadTestCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "loadtest",
    abstract:
      "Measures whether grants and expirations are on time, with thousands of simulated apps on a real loop.",
    discussion: """
      Simulated apps come to the foreground, begin background tasks, leave, and end their tasks in time or overrun, all through the embedding API and at planned \
      instants. The test measures how late each warning and each end of a grant is. For comparison it runs the same deadlines on a bare \
      kernel timer (the floor).

      Exit codes: 0 passed; 1 failed; 4 the policy's file is invalid; 6 the measurements contradict each other; 7 inconclusive (too short, or too few visits \
      could be compared with the plan); 64 usage; 99 a warning was missed, lost, early or called twice, a visit ended otherwise than planned, or a threshold was \
      crossed; 130 interrupted and 143 terminated (the report covers the time until then); 141 the reader of the report is gone. If several apply: 6, then 99, then 7. After an interruption, 99 \
      means that a warning was lost, early or called twice.
      """)

  @Option(parsing: .unconditional, help: "The number of apps.", completion: .unlisted)
  var apps: NumberOption = 10_000

  @Option(
    help: ArgumentHelp("The policy to run under: \(PolicyFile.choices)."), completion: .policies)
  var policy = "ios13"

  @OptionGroup var settings: PolicySettings

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The ratio of wall time to engine time, from 0.000001 to 1000000: at 0.01 a grant of 30 s lasts 300 ms. (default: 0.01, or less if a grant would last longer)",
      valueName: "ratio"), completion: .unlisted)
  var timeScale: String?

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp(
      "How long to measure. The floor takes the same time again.",
      valueName: "length"), completion: .unlisted)
  var length = "10s"

  @Option(
    parsing: .unconditional,
    help: "The number of segments to divide that into; figures are medians over them.",
    completion: .unlisted)
  var segments: NumberOption = 5

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The number of visits to the background to plan per second.", valueName: "number"),
    completion: .unlisted)
  var visits: NumberOption = 2_000

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How late the loop may wake up, to do more per wake-up.", valueName: "length"),
    completion: .unlisted)
  var leeway = "0s"

  @Option(parsing: .unconditional, help: "The seed of the plan.", completion: .unlisted)
  var seed: NumberOption = 1

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      """
      Conditions that must hold, comma-separated: 'lateness.p99<200us,early==0'. May be repeated. Some metrics: lateness.p99 decided.p50 grantEnd.max callbackDelivered.p99 early lost \
      twice expirationRate loopShare ratio.floor.p99; all are in Documentation/formats/loadtest.md.
      """, valueName: "conditions"), completion: .list(Metric.examples))
  var conditions: [String] = []

  @Flag(help: "Print the report as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Write the distribution of delivered lateness to this file, as HdrHistogram prints it; - for standard output, without the report.",
      valueName: "file"), completion: .file())
  var hgrm: String?

  @Option(
    help: ArgumentHelp(
      "Write the trace to this file, as JSON Lines, for `curfew replay`; - for standard output, without the report.",
      valueName: "file"), completion: .file())
  var trace: String?

  func run(on console: Console) throws {
    do {
      // libuv aborts the program if it cannot open its descriptors.
      try Descriptor.check(spare: 9)
      // Planning can be interrupted, too, because it takes long for a large run.
      try console.watch { progress in try run(console, progress) }
    } catch let error as LoadPlanError {
      throw console.failure(Message(.error, "\(error)"), .usage)
    } catch let error where error is UVError || error is SystemError {
      throw console.failure(Message(.error, "\(error); nothing was measured"))
    }
  }

  private func run(_ console: Console, _ progress: Progress) throws {
    let options = try options()
    let interrupt = console.interrupt
    let test = try planned(console) {
      try LoadTest(options, recordsTrace: trace != nil) {
        progress.show($0.text, isRare: true)
      } isStopped: {
        interrupt.isRequested
      } warn: {
        progress.tell(.warning, $0)
      }
    }
    // Files are opened before the run, which takes 20 seconds, so that a wrong path is refused
    // at once.
    let policy = (path: policy == "-" ? "/dev/stdin" : policy, role: "is --policy's")
    let traceFile = try trace.map { try console.open($0, "--trace", besides: [policy]) }
    let hgrmFile = try hgrm.map {
      try console.open($0, "--hgrm", besides: [policy, (trace ?? "", "is --trace's")])
    }
    let report = test.run()
    progress.finish()
    // An output that fails loses its data and is reported at the end; the others are still written.
    if trace != "-", hgrm != "-" {
      if json {
        try? console.print(report.json(thresholds: options.thresholds))
      } else {
        try? console.show(report.text(thresholds: options.thresholds))
      }
      try? console.flush()
    }
    try? traceFile?.write(test.trace())
    try? hgrmFile?.write(report.warningsDelivered.hgrm)
    try judge(report, options.thresholds, console)
  }

  /// Plans on another thread and waits for the plan or a signal, whichever comes first:
  /// an interruption does not wait for a plan of millions of steps.
  private func planned(_ console: Console, _ plan: @escaping () throws -> LoadTest) throws
    -> LoadTest
  {
    let planning = Planning(plan)
    while true {
      if console.interrupt.isRequested { throw console.interrupted("before anything was measured") }
      if let test = try planning.result(within: 0.01) { return test }
    }
  }

  /// Prints the run's verdict on standard error and throws the exit code.
  private func judge(_ report: LoadTestReport, _ thresholds: [Threshold], _ console: Console) throws
  {
    let crossings = report.crossings(of: thresholds)
    for contradiction in report.contradictions { console.tell(.contradiction, contradiction) }
    for failure in report.failures { console.tell(.failed, failure) }
    for crossing in crossings { console.tell(.thresholdCrossed, "\(crossing)") }
    for doubt in report.doubts { console.tell(.inconclusive, doubt) }
    if report.run.isInterrupted {
      console.tell(.interrupted, "the report covers the time until then")
    }
    if !report.contradictions.isEmpty { throw ExitCode.violatedInvariant }
    if !report.failures.isEmpty { throw ExitCode.crossedThreshold }
    if report.run.isInterrupted { throw ExitCode(console.interrupt.exitCode) }
    if !crossings.isEmpty { throw ExitCode.crossedThreshold }
    if !report.doubts.isEmpty { throw ExitCode.inconclusive }
  }

  // MARK: Options

  private func options() throws -> LoadTestOptions {
    if trace == "-", hgrm == "-" {
      throw Refusal("--trace and --hgrm cannot both be standard output")
    }
    var options = LoadTestOptions(policy: try settings.applied(to: PolicyFile.named(policy)))
    options.apps = try apps.number("--apps")
    if let timeScale {
      guard let scale = TimeScale(timeScale) else {
        throw Refusal("--time-scale: '\(timeScale)' is not a time scale; \(TimeScale.rule)")
      }
      options.scale = scale
    }
    options.lengthNanoseconds = try nanoseconds(length, "--for")
    options.leewayNanoseconds = try nanoseconds(leeway, "--leeway")
    options.segments = try segments.number("--segments")
    options.visitsPerSecond = try visits.number("--visits")
    options.seed = try seed.number(in: 0...UInt64.max, "--seed")
    options.thresholds = try conditions.flatMap(thresholds)
    return options
  }

  private func thresholds(_ text: String) throws -> [Threshold] {
    do { return try Threshold.read(text) } catch {
      throw Refusal("--threshold, character \(error.column): \(error.message)")
    }
  }

  private func nanoseconds(_ text: String, _ option: String) throws -> Int64 {
    do { return try DurationText.read(text).nanoseconds } catch {
      throw Refusal("\(option): \(error.message)")
    }
  }
}

/// The planning of a load test, on a thread of its own.
private final class Planning: @unchecked Sendable {
  private let isDone = DispatchSemaphore(value: 0)
  private let plan: () throws -> LoadTest
  private var outcome: Result<LoadTest, any Error>?

  init(_ plan: @escaping () throws -> LoadTest) {
    self.plan = plan
    Thread.detachNewThread { [self] in
      outcome = Result { try self.plan() }
      isDone.signal()
    }
  }

  /// The outcome; nil if planning takes longer than `seconds` from now.
  func result(within seconds: Double) throws -> LoadTest? {
    guard isDone.wait(timeout: .now() + seconds) == .success else { return nil }
    return try outcome?.get()
  }
}

extension ExitCode {
  /// The measurements contradict each other.
  fileprivate static let violatedInvariant = ExitCode(6)
}

extension LineWriter {
  fileprivate func write(_ trace: Trace) throws {
    try write(trace.header.json)
    for line in trace.lines { try write(line.json()) }
  }
}

extension LoadTest.Progress {
  fileprivate var text: String {
    "\(HumanNumber.percent(share))  segment \(segment) of \(segments): \(contestant), \(expirations) handlers called"
  }
}
