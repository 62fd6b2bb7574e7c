import CurfewEngine
import CurfewPolicy
import CurfewReports
import CurfewText
import CurfewTrace

/// The page of a trace, read line by line.
struct RunReport {
  let trace: String
  /// The policy as named by the option; nil for the one that the trace names.
  let policy: String?
  let settings: PolicySettings

  func page(_ console: Console, _ progress: Progress) throws -> Page {
    let lines = trace == "-" ? TextLines() : try TextLines(trace)
    var stream = try TraceStream(lines)
    var run = RunRecord(
      stream.header, policy: try policy(for: stream.header, in: lines.name, console))
    while let line = try stream.next() {
      run.add(line)
      guard run.lines % 1_000 == 0 else { continue }
      progress.show("\(HumanCount.text(run.lines, "line")) read")
      if console.isStopped {
        throw console.interrupted("after \(HumanCount.text(run.lines, "line")); no page is written")
      }
    }
    run.finish()
    if run.isCut {
      let place = SourcePlace(file: lines.name, line: run.lines + 1, column: 1)
      console.tell(
        Message(
          .warning, "the trace has no end: the page covers it up to its last line, and says so",
          place: place))
    }
    return Page(of: run, file: lines.name)
  }

  /// The policy of the recording; nil, with a warning, if it is not available and no option names
  /// a policy.
  private func policy(for header: TraceHeader, in file: String, _ console: Console) throws
    -> PolicyFile?
  {
    do {
      return try header.policy(named: policy, settings, in: file, "told", console)
    } catch let errors as FileErrors where policy == nil && settings.texts.isEmpty {
      for diagnostic in errors.diagnostics {
        console.tell(
          Message(
            .warning, "\(diagnostic.message); without it the page has no policy values",
            place: diagnostic.place))
      }
      return nil
    }
  }
}
