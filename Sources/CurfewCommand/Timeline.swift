import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// A run as a person reads it: when, who, what; and under every kill and denial its reason and the policy's line.
struct Timeline {
  private let scenario: Scenario
  private let names: CallbackNames
  private let style: TextStyle
  /// The apps' names in the table: the last part of the identifier where that is enough.
  let shortNames: [String: String]
  private let appWidth: Int
  private var lastTime: Instant?
  private var lastApp: String??
  private var states: [String: AppState] = [:]
  /// How many lines there have been that a person is told, and for each app its last delivery among them.
  private var told = 0
  private var deliveries: [String: (time: Instant, line: Int)] = [:]

  init(_ scenario: Scenario, names: CallbackNames, style: TextStyle) {
    self.scenario = scenario
    self.names = names
    self.style = style
    shortNames = Timeline.shortNames(scenario.apps.map(\.identifier))
    appWidth = max(6, shortNames.values.map(\.count).max() ?? 0)
  }

  var heading: String {
    let policy = scenario.policy
    let apps = "\(scenario.apps.count) \(HumanCount.word(scenario.apps.count, "app"))"
    return style.bold(scenario.name) + style.dim(" · policy \(policy.name) (\(policy.file)) · \(apps) · seed 0") + "\n"
  }

  /// Whether a person is told of a line. Nobody waits for a return that comes at once, before its app has done anything; nor for how the engine came to what it did.
  mutating func tells(_ line: TraceLine) -> Bool {
    switch line.body {
    case .advance, .end: return false
    case .event(let deed) where deed.verb == .return:
      if let delivery = line.app.flatMap({ deliveries[$0] }), delivery == (line.time, told) { return false }
    default: break
    }
    told += 1
    guard let app = line.app else { return true }
    switch line.body {
    case .callback, .expiration, .wake(_, _, _, .begin, _), .wake(_, _, _, .warning, _): deliveries[app] = (line.time, told)
    // It belongs to the delivery.
    case .diagnostic(.deliveredInForeground, _): deliveries[app]?.line = told
    default: break
    }
    return true
  }

  /// The text of one line with what explains it, without a line end.
  mutating func text(for line: TraceLine, _ explanations: [Explanation]) -> String {
    let isNewTime = lastTime != line.time
    let isNewApp = isNewTime || lastApp != .some(line.app)
    lastTime = line.time
    lastApp = line.app
    let time = pad(isNewTime ? HumanTime.text(line.time) : "", 14, .right)
    let app = pad(isNewApp ? line.app.flatMap { shortNames[$0] } ?? "device" : "", appWidth, .left)
    let margin = String(repeating: " ", count: 14 + 2 + appWidth + 2)
    let first = description(of: line)
    if let app = line.app, case .state(_, let next) = line.body { states[app] = next }
    return ([style.dim(time) + "  " + app + "  " + first] + ExplanationText.lines(explanations).map { margin + style.dim("    " + $0) })
      .joined(separator: "\n")
  }

  // MARK: What happened

  private func description(of line: TraceLine) -> String {
    let words = line.words(names)
    let standing = standing(of: line)
    return switch words.tone {
    case .deed: style.bold("▸ " + words.text)
    case .plain: "  " + words.text + words.rest
    case .remark: style.yellow("  " + words.text + standing) + words.rest
    case .refusal: style.red("  ✗ " + words.text) + words.rest
    }
  }

  /// How an app stands that is told to do what makes no sense, where that is why.
  private func standing(of line: TraceLine) -> String {
    guard case .diagnostic(.illegalEvent, .step(let verb)) = line.body, let app = line.app else { return "" }
    let state = states[app, default: .notRunning]
    let isWhy =
      switch verb {
      case "launch": state == .active || state == .inactive
      case "deliver", "forceQuit": false
      default: state == .suspended || state == .notRunning
      }
    return isWhy ? ": \(shortNames[app] ?? app) is \(state.fileName)" : ""
  }

  private static func shortNames(_ identifiers: [String]) -> [String: String] {
    let parts = identifiers.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
    let isEnough = Set(parts).count == parts.count
    return Dictionary(uniqueKeysWithValues: zip(identifiers, isEnough ? parts : identifiers))
  }
}

enum Alignment { case left, right }

func pad(_ text: String, _ width: Int, _ alignment: Alignment) -> String {
  let space = String(repeating: " ", count: max(0, width - text.count))
  return alignment == .left ? text + space : space + text
}
