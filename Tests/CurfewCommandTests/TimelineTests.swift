import CurfewText
import Foundation
import TestRuns
import Testing

/// The timeline as its readers get it: tools through a pipe, people on a terminal.
@Suite(.inTurn) struct TimelineTests {
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  static let shipped: [String] = {
    let folder = repository.appendingPathComponent("Policies/Scenarios")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().map {
      folder.appendingPathComponent($0).path
    }
  }()

  private static let week = """
    curfew: scenario/1
    name: A week of news
    policy: ios13
    until: 7d
    apps:
      com.example.news: {backgroundModes: [fetch], on: {fetch: [{do: completeWake, result: newData}]}}
      com.example.mail: {}
    timeline:
      - {at: 0s, do: launch, app: com.example.news}
      - {at: 1s, do: setMinimumFetchInterval, app: com.example.news, interval: 0s}
      - {at: 2s, do: home}
      - {at: 3h 5m, do: setDevice, lowPowerMode: true}
      - {at: 2d1h, do: home}
    """

  private func week(_ arguments: String..., environment: [String: String] = [:]) throws
    -> CurfewProcess
  {
    let folder = try TemporaryFolder()
    try folder.write(TimelineTests.week, to: "week.yaml")
    return try CurfewProcess.run(
      ["simulate", "week.yaml"] + arguments, in: folder, environment: environment)
  }

  /// The lines between the heading and the lanes.
  private func timeline(_ output: String) -> [String] {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return Array(lines.dropFirst().prefix { !$0.hasPrefix("Lanes") }.filter { !$0.isEmpty })
  }

  @Test
  func `in a pipe every line has its time and its app, so that grep keeps a denial and its reason`()
    throws
  {
    let lines = timeline(try CurfewProcess.run("simulate").output)
    #expect(lines.count > 1_000)
    let cell = /^ *(?:[0-9.]+(?:d|h|m|s|ms|us|ns) ?)+ {2}[a-z-]+ +\S/
    for line in lines { #expect(line.contains(cell), "\(line)") }
    let chirp = lines.filter { $0.contains("chirp") }
    #expect(
      chirp.contains { $0.contains("3h 18m  chirp         ✗ remoteNotification denied: budget") })
    #expect(
      chirp.contains {
        $0.contains(
          "3h 18m  chirp           because wakes.remoteNotification.admissions is 3 (Policies/ios7.yaml:"
        )
      })
    #expect(chirp.contains { $0.contains("3h 18m  chirp           to allow it: Wait") })
  }

  @Test func `one app of the day fits on a page, with the user's actions`() throws {
    let run = try CurfewProcess.run("simulate", "--app", "photos")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count < 66, "\(lines.count)")
    #expect(run.output.contains("3h 45m  device      ▸ lock\n") && !run.output.contains("chirp"))
    #expect(
      run.output.contains("      1  process ended\n") && !run.output.contains("memoryPressure"))
    let whole = try CurfewProcess.run("simulate", "--app", "com.example.photos")
    #expect(whole.output == run.output)
    let object = try CurfewProcess.run("simulate", "--app", "photos", "--json")
    #expect(object.output.contains(#""apps":[{"app":"com.example.photos","launches":2,"#))
  }

  @Test func `from, until and only select lines`() throws {
    let part = try CurfewProcess.run(
      "simulate", "--from", "3h", "--until", "3h30m", "--only", "denials,ends")
    #expect(part.exitCode == 0)
    let lines = part.output.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains(" 3h ") || $0.contains(" 3h  ") })
    #expect(
      lines.contains { $0.contains("✗ remoteNotification denied") }
        && !lines.contains { $0.contains("→") || $0.contains("Lanes") })
    let ends = try CurfewProcess.run("simulate", "--only", "ends", "--only", "remarks")
    #expect(
      ends.output.contains("✗ terminated: appWatchdog") && ends.output.contains("! slowLaunch")
        && !ends.output.contains("denied"))
  }

  @Test func `a time of the timeline can be used as an option unchanged`() throws {
    let exact = try CurfewProcess.run(
      "simulate", "--app", "photos", "--from", "3h 45m 25.05s", "--until", "3h 45m 25.05s",
      "--only", "steps,remarks")
    #expect(
      exact.output.hasPrefix(" 3h 45m 25.05s  photos      ▸ expirationHandler returns\n"),
      "\(exact.output)")
    // The largest fraction of the largest unit, 86.4 µs before two days have passed.
    let late = try CurfewProcess.run("simulate", "--from", "1.999999999d", "--only", "ends")
    #expect(
      late.messages.hasPrefix("curfew: error: --from 1d 23h 59m 59.9999136s: the run ends at "),
      "\(late.messages)")
  }

  @Test(arguments: [
    (
      ["--only", "denails"],
      "curfew: error: --only: 'denails' is not a topic; did you mean 'denials'?"
    ),
    (
      ["--app", "photo"],
      "curfew: error: --app: there is no 'photo' in Policies/day.yaml; did you mean 'photos'?"
    ),
    (
      ["--from", "5"],
      "curfew: error: --from: '5' has no unit; durations are whole numbers with a unit: 30s, 250ms"
    ),
    (
      ["--from", "1.5h 30m"],
      "curfew: error: --from: '1.5h 30m' is not whole; durations are whole numbers with a unit: 30s, 250ms"
    ),
    (["--from", "5s", "--until", "1s"], "curfew: error: --from 5s is later than --until 1s"),
    (
      ["--json", "--only", "ends"],
      "curfew: error: --json prints no timeline: --from, --until, --only, --lines and --repeats do not apply"
    ),
    (["--zzzzzz"], "curfew: error: unknown option '--zzzzzz'; see 'curfew simulate --help'"),
  ]) func `an impossible request is a one-line error`(_ arguments: [String], _ message: String)
    throws
  {
    let run = try CurfewProcess.run(["simulate"] + arguments)
    #expect(run.exitCode == 64 && run.told == [message] && run.output.isEmpty, "\(run.messages)")
  }

  @Test func `repeats are folded with their count, and printed in full on request`() throws {
    let folded = try week()
    let lines = timeline(folded.output)
    #expect(
      lines.contains("           45m  news    … the same 10 times more, until 3h: fetch allowed"),
      "\(folded.output)")
    #expect(
      lines.contains(
        "        3h 30m  news    … the same 182 times more, until 2d 45m: fetch denied: lowPowerMode"
      ))
    #expect(lines.count < 55)
    let told = try week("--repeats")
    let denials = timeline(told.output).filter { $0.contains("✗ fetch denied") }
    #expect(denials.count > 600 && told.output.contains(" \(denials.count) denied"))
  }

  @Test(arguments: [80, 40]) func `the output of every shipped scenario fits into the width`(
    _ columns: Int
  )
    throws
  {
    #expect(TimelineTests.shipped.count > 40)
    for path in Campaign.some(4, of: TimelineTests.shipped) + [""] {
      for arguments in [["--no-lines"]] + (columns == 80 ? [["--lines"]] : []) {
        let run = try CurfewProcess.run(
          ["simulate"] + (path.isEmpty ? [] : [path]) + arguments,
          environment: ["COLUMNS": "\(columns)"])
        for line in run.output.split(separator: "\n") where line.displayWidth > columns {
          Issue.record("\(path): \(line)")
        }
        #expect(run.exitCode == 0 && !run.output.isEmpty)
      }
    }
  }

  @Test func `without a UTF-8 locale the output is ASCII`() throws {
    for locale in [["LANG": "C"], ["LANG": "en_US.UTF-8", "LC_ALL": "POSIX"], ["LANG": ""]] {
      let run = try week("--no-lines", environment: locale)
      #expect(
        run.output.utf8.allSatisfy { $0 < 0x80 } && run.output.contains("#=----"), "\(locale)")
      #expect(run.output.contains("... the same 10 times more") && run.output.contains("> home"))
    }
    for locale in [["LC_ALL": "de_DE.utf8"], ["LANG": "C", "LC_CTYPE": "C.UTF-8"]] {
      #expect(try week(environment: locale).output.contains("▸ home"), "\(locale)")
    }
  }

  @Test func `wide characters count twice`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      TimelineTests.week.replacingOccurrences(of: "com.example.news", with: "天気予報"), to: "wide.yaml"
    )
    let run = try CurfewProcess.run(
      "simulate", "wide.yaml", "--no-lines", in: folder, environment: ["COLUMNS": "80"])
    let lanes = run.output.split(separator: "\n").filter {
      $0.contains("█▒░") || $0.contains("····")
    }
    #expect(lanes.count == 2 && lanes.allSatisfy { $0.displayWidth <= 80 })
    // Both lanes begin in the same column.
    let starts = lanes.compactMap { lane in
      lane.firstIndex { "█▓▒░·✗".contains($0) }.map { lane[..<$0].displayWidth }
    }
    #expect(Set(starts).count == 1 && starts.count == 2, "\(run.output)")
  }
}
