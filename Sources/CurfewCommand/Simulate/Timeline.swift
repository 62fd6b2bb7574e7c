import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The text of a run for a person: the time, the app and the line. The reason and the policy's line
/// follow each termination and denial.
struct Timeline {
  /// The layout of a timeline.
  struct Manner {
    var names = CallbackNames.uikit
    var filter = TimelineFilter()
    /// Whether every line has its time and its app, for tools that process lines.
    var isByLine = false
    var foldsRepeats = true
  }

  private let scenario: Scenario
  private let manner: Manner
  private let screen: Screen
  /// The apps' names in the table: the last part of the identifier if that is unambiguous.
  let shortNames: [String: String]
  private let appWidth: Int
  /// The column at which text is wrapped; nil for never.
  private let width: Int?
  private var lastCells: (time: Instant, app: String?)?
  /// The number of lines printed so far, and the last printed delivery to each app.
  private var told = 0
  private var deliveries: [String: (time: Instant, line: Int)] = [:]
  private var paragraph = Paragraph(time: .zero)
  private var fold: RepeatFold

  /// The width of the widest time so far.
  private var timeWidth = 14
  /// The least width of a table. In fewer columns, the time and the app are printed on
  /// a separate line.
  private static let tableWidth = 64

  init(_ scenario: Scenario, _ manner: Manner, _ screen: Screen) {
    (self.scenario, self.manner, self.screen) = (scenario, manner, screen)
    shortNames = Timeline.shortNames(scenario.apps.map(\.identifier))
    let width = shortNames.values.map { screen.plain($0).displayWidth }.max() ?? 0
    self.width = manner.isByLine ? screen.columns : screen.textWidth
    appWidth = max(6, self.width.map { min(width, $0 / 4) } ?? width)
    fold = RepeatFold(isOn: manner.foldsRepeats)
  }

  var heading: String {
    let policy = scenario.policy
    let apps = "\(scenario.apps.count) \(HumanCount.word(scenario.apps.count, "app"))"
    let lines = Screen.wrapped(
      screen.plain("\(scenario.name) · policy \(policy.name) (\(policy.file)) · \(apps) · seed 0"),
      to: screen.textWidth)
    return lines.map(screen.style.bold).joined(separator: "\n") + "\n"
  }

  // MARK: Line by line

  /// Adds the run's next line and returns the text to print now, if any.
  mutating func add(_ line: TraceLine, _ explanations: [Explanation]) -> String? {
    guard isTold(line), manner.filter.wants(line) else { return nil }
    guard line.time != paragraph.time else {
      paragraph.entries.append(.init(line: line, explanations: explanations))
      return nil
    }
    let text = endParagraph()
    paragraph = Paragraph(time: line.time, entries: [.init(line: line, explanations: explanations)])
    return text
  }

  /// Returns the remaining text, when the run is over or was interrupted.
  mutating func finish() -> String? {
    let text = endParagraph()
    paragraph.entries = []
    let rest = Timeline.joined(fold.finish().map { self.text(of: $0) })
    return Timeline.joined([text, rest].compactMap(\.self))
  }

  /// Whether a line is printed. `advance` and `end` are never printed. A return is not printed if
  /// it follows its delivery at the same instant without another line between them.
  private mutating func isTold(_ line: TraceLine) -> Bool {
    switch line.body {
    case .advance, .end: return false
    case .event(let deed) where deed.verb == .return:
      if let delivery = line.app.flatMap({ deliveries[$0] }), delivery == (line.time, told) {
        return false
      }
    default: break
    }
    told += 1
    guard let app = line.app else { return true }
    switch line.body {
    case .callback, .expiration, .wake(_, _, _, .begin, _), .wake(_, _, _, .warning, _):
      deliveries[app] = (line.time, told)
    // The diagnostic belongs to the delivery.
    case .diagnostic(.deliveredInForeground, _): deliveries[app]?.line = told
    default: break
    }
    return true
  }

  private mutating func endParagraph() -> String? {
    guard paragraph.entries.contains(where: { manner.filter.isAbout($0.line) }) else { return nil }
    return Timeline.joined(fold.add(paragraph).map { text(of: $0) })
  }

  private static func joined(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : texts.joined(separator: "\n")
  }

  // MARK: Text

  private mutating func text(of piece: RepeatFold.Piece) -> String {
    switch piece {
    case .paragraph(let paragraph):
      return paragraph.entries.flatMap { entry -> [String] in
        let cells = cells(entry.line.time, entry.line.app)
        return Timeline.prefix(text(of: entry), cells)
      }.joined(separator: "\n")
    case .again(let again):
      defer { lastCells = nil }
      let apps = again.paragraphs.flatMap(\.entries).map(\.line.app).reduce(into: [String?]()) {
        if !$0.contains($1) { $0.append($1) }
      }
      let what =
        again.paragraphs.count == 1 ? "the same" : "these \(again.paragraphs.count) instants"
      let text =
        "\(what) \(HumanCount.text(again.count, "time")) more, until \(HumanTime.text(again.until))"
      // One line per app, so that a search for an app finds it.
      return apps.flatMap { app in
        let cells = cells(again.from, app)
        return Timeline.prefix(
          lines("… ", "\(text): \(gist(of: again, for: app))", style: screen.style.dim), cells)
      }.joined(separator: "\n")
    }
  }

  /// The most important line of the repetition for an app: a denial or a termination, else
  /// a remark, else the first line.
  private func gist(of again: RepeatFold.Again, for app: String?) -> String {
    let words = again.paragraphs.flatMap(\.entries).filter { $0.line.app == app }.map {
      $0.line.words(manner.names)
    }
    let most =
      words.first { $0.tone == .refusal } ?? words.first { $0.tone == .remark } ?? words.first
    return most?.text ?? ""
  }

  private var isTable: Bool { manner.isByLine || width ?? .max >= Timeline.tableWidth }

  private typealias Cells = (heading: String?, first: String, others: String)

  /// The cells before the text. In a table, they hold the time and the app if these have changed.
  /// With `isByLine`, they hold both on every line. On a narrow screen, they are printed on
  /// the line above.
  private mutating func cells(_ time: Instant, _ app: String?) -> Cells {
    let name = app.map { shortNames[$0] ?? $0 } ?? "device"
    let isNewTime = lastCells?.time != time
    let isNew = isNewTime || lastCells?.app != name
    lastCells = (time, name)
    let (time, app) = (HumanTime.text(time), screen.fitted(screen.plain(name), to: appWidth))
    timeWidth = max(timeWidth, time.count)
    guard isTable else {
      return (isNew ? screen.style.dim("\(time)  \(app)") : nil, "", "")
    }
    func row(_ time: String, _ app: String) -> String {
      screen.style.dim(pad(time, timeWidth, .right)) + "  " + pad(app, appWidth, .left) + "  "
    }
    if manner.isByLine { return (nil, row(time, app), row(time, app)) }
    return (nil, row(isNewTime ? time : "", isNew ? app : ""), row("", ""))
  }

  private static func prefix(_ lines: [String], _ cells: Cells) -> [String] {
    (cells.heading.map { [$0] } ?? [])
      + lines.enumerated().map { ($0 == 0 ? cells.first : cells.others) + $1 }
  }

  private func text(of entry: Paragraph.Entry) -> [String] {
    let words = entry.line.words(manner.names)
    let style = screen.style
    let first =
      switch words.tone {
      case .deed: lines("▸ ", words.text, style: style.bold)
      case .plain: lines("  ", words.text, rest: words.rest) { $0 }
      case .remark: lines("  ", words.text, rest: words.rest, style: style.yellow)
      case .refusal: lines("  ✗ ", words.text, rest: words.rest, style: style.red)
      }
    return first
      + ExplanationText.lines(entry.explanations).flatMap { lines("    ", $0, style: style.dim) }
  }

  /// A text after its lead, on as many lines as necessary.
  private func lines(_ lead: String, _ text: String, rest: String = "", style: (String) -> String)
    -> [String]
  {
    let (lead, text, rest) = (screen.plain(lead), screen.plain(text), screen.plain(rest))
    let margin = (isTable ? timeWidth + appWidth + 4 : 0) + lead.displayWidth
    let lines = Screen.wrapped(text + rest, to: width.map { max($0 - margin, 24) })
    if lines.count == 1 { return [style(lead + text) + rest] }
    let indent = String(repeating: " ", count: lead.displayWidth)
    return lines.enumerated().map { style(($0 == 0 ? lead : indent) + $1) }
  }

  private static func shortNames(_ identifiers: [String]) -> [String: String] {
    let parts = identifiers.map(\.lastPart)
    // No app may be mistaken for the device.
    let isEnough = Set(parts).count == parts.count && !parts.contains("device")
    let names = (isEnough ? parts : identifiers).map { $0 == "device" ? "device (app)" : $0 }
    return Dictionary(uniqueKeysWithValues: zip(identifiers, names))
  }
}
