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

  init(_ scenario: Scenario, names: CallbackNames, style: TextStyle) {
    self.scenario = scenario
    self.names = names
    self.style = style
    shortNames = Timeline.shortNames(scenario.apps.map(\.identifier))
    appWidth = max(6, shortNames.values.map(\.count).max() ?? 0)
  }

  var heading: String {
    let policy = scenario.policy
    let apps = scenario.apps.count == 1 ? "1 app" : "\(scenario.apps.count) apps"
    return style.bold(scenario.name) + style.dim(" · policy \(policy.name) (\(policy.file)) · \(apps) · seed 0") + "\n"
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
    switch line.body {
    case .event(let event): style.bold("▸ \(event)")
    case .advance: "  what was due"
    case .state(let from, let to): "  \(from.fileName) → \(to.fileName)"
    case .callback(let callback): "  " + names.name(of: callback)
    case .task(.begin, .invalid, let name): style.red("  ✗ task '\(name)' is invalid: beginBackgroundTask answers 0")
    case .task(let change, let id, let name): "  task \(id.rawValue) '\(name)' \(change == .begin ? "begun" : "ended")"
    case .expiration(let id, let name, let reason, let due):
      style.yellow("  expiration handler of task \(id.rawValue) '\(name)': \(reason.fileName)")
        + (due.map { " (due at \(HumanTime.text($0)))" } ?? "")
    case .session(let kind, let change): "  session \(kind.fileName) \(change == .began ? "on" : change == .ended ? "off" : "denied")"
    case .decision(let kind, let denied, _) where denied.isEmpty: "  \(kind.fileName) allowed"
    case .decision(let kind, let denied, let next):
      style.red("  ✗ \(kind.fileName) denied: \(denied.fileName)")
        + (next.map { denied.contains(.budget) ? ", until \(HumanTime.text($0))" : "" } ?? "")
    case .wake(let kind, let change): "  wake \(kind.fileName) \(Timeline.text(change))"
    case .notification(let name, let value): "  notification \(name)" + (value.map { ": \($0)" } ?? "")
    case .localNotification(let id, let fate):
      "  local notification '\(id)' \(fate == .shown ? "shown to the user" : "delivered to the app")"
    case .request(let identifier, let kind, .refused(let error)):
      style.red("  ✗ request '\(identifier)' for \(kind.fileName) refused: \(error.fileName)")
    case .request(let identifier, let kind, let change): "  request '\(identifier)' for \(kind.fileName) \(Timeline.text(change))"
    case .probe(let state, let remaining):
      "  is \(state.fileName), backgroundTimeRemaining \(remaining.map(HumanTime.text) ?? "infinite")"
    case .terminated(let process): style.red("  ✗ " + Timeline.text(process))
    case .diagnostic(let diagnostic, let subject):
      style.yellow("  ! \(diagnostic.fileName)\(Timeline.text(subject))\(standing(of: line.app, diagnostic, subject))")
    case .gap(let dropped): "  … \(dropped) more"
    }
  }

  /// How an app stands that is told to do what makes no sense, where that is why.
  private func standing(of app: String?, _ diagnostic: Diagnostic, _ subject: TraceLine.DiagnosticSubject) -> String {
    guard diagnostic == .illegalEvent, let app, case .step(let verb) = subject else { return "" }
    let state = states[app, default: .notRunning]
    let isWhy =
      switch verb {
      case "launch": state == .active || state == .inactive
      case "deliver", "forceQuit": false
      default: state == .suspended || state == .notRunning
      }
    return isWhy ? ": \(shortNames[app] ?? app) is \(state.fileName)" : ""
  }

  private static func text(_ change: RequestChange) -> String {
    switch change {
    case .submitted: "submitted"
    case .replaced: "submitted, in the place of the one before"
    case .started: "starts"
    case .cancelled: "cancelled"
    case .refused: "refused"
    }
  }

  private static func text(_ change: TraceLine.WakeChange) -> String {
    switch change {
    case .begin: "delivered"
    case .complete: "completed"
    case .overrun: "ended, not completed"
    }
  }

  private static func text(_ process: TerminatedProcess) -> String {
    var text = "terminated: \(process.reason.fileName)"
    if let code = process.code { text += " (\(code.fileName))" }
    if let tasks = process.tasks {
      let ages = process.details?.ages ?? []
      let leaked = tasks.enumerated().map { index, name in
        "'\(name)'" + (index < ages.count ? ", begun \(HumanTime.text(ages[index])) ago" : "")
      }
      text += ", left open: " + leaked.joined(separator: "; ")
    }
    return text
  }

  private static func text(_ subject: TraceLine.DiagnosticSubject) -> String {
    switch subject {
    case .none: ""
    case .step(let verb): ": \(verb) makes no sense here"
    case .task(let id): ": task \(id.rawValue)"
    }
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
