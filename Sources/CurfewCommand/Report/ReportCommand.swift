import ArgumentParser
import CurfewExperiments
import CurfewReports
import CurfewText

/// `curfew report`: a run as a page to look at.
struct ReportCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract:
      "Makes a page to look at of a run or an experiment: one HTML file that needs no network.",
    discussion: """
      An experiment is the file that 'curfew sweep' keeps its results in: the page's first sentence answers its question; then come each measure over what was varied, and the \
      differences, with their intervals.

      A run is a trace, as 'simulate --trace' and 'loadtest --trace' write it. Its first sentence says what happened; then come the apps' states over time, each app to be \
      unfolded, what became of background tasks, decisions by reason, and the ends of processes with the rule. The page has no script, is readable on a phone and in the dark, \
      and has the data of each chart as a table. A trace that was cut says so.

      What says so, and where that is written, is told from the built-in policy that the trace was recorded under, or from the one that --policy names.

      Exit codes: 0 made, 1 failed, 4 a file is invalid, 64 usage, 130 interrupted and 143 terminated (no page is written), 141 whoever read the page has gone away.
      """)

  @Argument(help: "The trace's file, - for standard input; or the results of 'curfew sweep'.")
  var trace: String

  @Option(
    help: ArgumentHelp(
      "Write the page to this file; - for standard output, which it is without this, too.",
      valueName: "file"))
  var output: String?

  @Option(
    help:
      "The policy whose values say why, instead of the one that the trace names: a built-in policy's name, or a file; - for standard input."
  )
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
          throw Refusal("--policy and --policy-set are for traces, and this is an experiment")
        }
        return try SweepReport(file: trace).page(console)
      }
      return try RunReport(trace: trace, policy: policy, settings: settings).page(console, progress)
    }
    // Opened when there is something to write: a trace that cannot be read leaves an older page as
    // it is.
    let writer = try console.open(
      output ?? "-", "--output", besides: trace == "-" ? [] : [(trace, "is the trace")])
    try writer.write(page.html())
  }
}
