import ArgumentParser
import CurfewConsole
import CurfewExperiments
import CurfewReports
import CurfewText

/// `curfew report`: a page about a run, an experiment or benchmarks.
struct ReportCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract:
      "Makes a page about a run, an experiment or benchmarks: one HTML file that needs no network.",
    discussion: """
      An experiment is the file in which 'curfew sweep' keeps its results. The page's first sentence answers the experiment's question. Then follow a chart of each measure over the varied parameter and the \
      differences with their intervals.

      A run is a trace, as 'simulate --trace' and 'loadtest --trace' write it. The page's first sentence says what happened. Then follow the states of the apps over time (each app can be expanded), \
      the outcomes of background tasks, the decisions by reason, and the ends of processes with their rules. The page has no script, is readable on a phone and in dark mode, \
      and has a table of the data for each chart. If the trace was cut, the page says so.

      Benchmarks are the results that 'bench run --out' writes. The page has a dot for each repetition, the ratios to the floor with their intervals, and tables that can be sorted.

      The values behind an explanation, and their places, come from the built-in policy that the trace was recorded under, or from the one that --policy names.

      Exit codes: 0 done; 1 failed; 4 a file is invalid; 64 usage; 130 interrupted and 143 terminated (no page is written); 141 the reader of the page is gone.
      """)

  @Argument(
    help:
      "The trace's file, - for standard input; or the results of 'curfew sweep' or 'bench run'.",
    completion: .file())
  var trace: String

  @Option(
    help: ArgumentHelp(
      "Write the page to this file; - for standard output, which is the default.",
      valueName: "file"), completion: .file())
  var output: String?

  @Option(
    help:
      "The policy to explain with, instead of the one that the trace names: a built-in policy's name, or a file; - for standard input.",
    completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  func run(on console: Console) throws {
    if trace == "-", policy == "-" {
      throw Refusal("the trace and --policy cannot both be standard input")
    }
    if output == nil, console.screen.isTerminal {
      throw Refusal(
        "the page is for a browser, and standard output is a terminal: name a file with --output page.html"
      )
    }
    let page = try console.watch { progress in
      if ResultsFile.isSQLite(trace) {
        guard policy == nil, settings.texts.isEmpty else {
          throw Refusal(
            "--policy and --policy-set apply only to traces; this file is an experiment")
        }
        return try SweepReport(file: trace).page(console)
      }
      if BenchmarkReport.isResults(trace) {
        guard policy == nil, settings.texts.isEmpty else {
          throw Refusal(
            "--policy and --policy-set apply only to traces; this file has benchmarks")
        }
        return try BenchmarkReport(file: trace).page()
      }
      return try RunReport(trace: trace, policy: policy, settings: settings).page(console, progress)
    }
    // Opened only when the page is complete: if a trace cannot be read, an older page stays as
    // it is.
    let writer = try console.open(
      output ?? "-", "--output", besides: trace == "-" ? [] : [(trace, "is the trace")])
    try writer.write(page.html())
  }
}
