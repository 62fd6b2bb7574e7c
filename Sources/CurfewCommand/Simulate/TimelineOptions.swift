import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation

/// The options that select and lay out a timeline.
struct TimelineOptions: ParsableArguments {
  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "Print only this app in the timeline, the lanes and the summary: its identifier, or the identifier's last part. Separate several apps by commas.",
      valueName: "app"
    ), completion: .apps)
  var appNames: [String] = []

  @Option(
    help: ArgumentHelp(
      "Begin the timeline at this time of the run, such as 3h40m. The lanes and the summary always cover the whole run.",
      valueName: "time"), completion: .unlisted)
  var from: String?

  @Option(
    help: ArgumentHelp(
      "End the timeline at this time of the run; the run itself continues.", valueName: "time"),
    completion: .unlisted)
  var until: String?

  @Option(
    help: ArgumentHelp(
      "Print only lines of these topics, comma-separated, without the heading, the lanes and the summary: \(TimelineTopic.allCases.map(\.rawValue).joined(separator: " ")).",
      valueName: "what"), completion: .list(TimelineTopic.allCases.map(\.rawValue)))
  var only: [String] = []

  @Flag(
    inversion: .prefixedNo,
    help:
      "Print the time and the app on every line of the timeline. (default: on, except on a terminal)"
  )
  var lines: Bool?

  @Flag(help: "Print repeated lines instead of folding them into a count.")
  var repeats = false

  /// Whether an option that applies only to a timeline is set.
  var isAboutTimeline: Bool {
    from != nil || until != nil || !only.isEmpty || lines != nil || repeats
  }

  func filter() throws(Refusal) -> TimelineFilter {
    var filter = TimelineFilter()
    if let from { filter.from = try InstantOption.read(from, "--from") }
    if let until { filter.until = try InstantOption.read(until, "--until") }
    guard filter.from <= filter.until else {
      throw Refusal("--from \(from ?? "0s") is later than --until \(until ?? "")")
    }
    let words = only.flatMap {
      $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    guard only.isEmpty || words.contains(where: { !$0.isEmpty }) else {
      throw Refusal("--only names no topic; \(TimelineOptions.allTopics)")
    }
    if !only.isEmpty {
      filter.topics = Set(try words.map { word throws(Refusal) in try topic(word) })
    }
    return filter
  }

  private func topic(_ word: String) throws(Refusal) -> TimelineTopic {
    if let topic = TimelineTopic(rawValue: word) { return topic }
    let all = TimelineTopic.allCases.map(\.rawValue)
    throw Refusal(
      "--only: '\(word)' is not a topic\(NearestName.hint(for: word, among: all, "expected one of"))"
    )
  }

  private static var allTopics: String {
    "expected one of \(TimelineTopic.allCases.map(\.rawValue).joined(separator: " "))"
  }

  /// The identifiers of the apps to print; nil for all.
  func apps(of scenario: Scenario) throws(Refusal) -> Set<String>? {
    guard !appNames.isEmpty else { return nil }
    let appNames = appNames.flatMap { $0.split(separator: ",").map(String.init) }
    let all = scenario.apps.map(\.identifier)
    return Set(
      try appNames.map { name throws(Refusal) in
        try AppName.identifier(name, among: all, in: scenario.file)
      })
  }

  func manner(_ filter: TimelineFilter, apps: Set<String>?, names: CallbackNames, isTerminal: Bool)
    -> Timeline.Manner
  {
    var filter = filter
    filter.apps = apps
    return Timeline.Manner(
      names: names, filter: filter, isByLine: lines ?? !isTerminal, foldsRepeats: !repeats)
  }
}
