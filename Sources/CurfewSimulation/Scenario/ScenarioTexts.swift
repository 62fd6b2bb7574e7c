import CurfewEngine
import CurfewText

/// The texts of a scenario that the engine knows by a number, and which app brings what about under them.
struct ScenarioTexts {
  /// Each once, in the order of first appearance.
  private(set) var all: [String] = []
  private var indices: [String: UInt32] = [:]
  private var made: Set<Thing> = []
  private var meant: [(thing: Thing, place: SourcePlace)] = []

  /// What an app makes under a name, and takes back under it.
  enum Sort {
    case task, request, notification
  }

  /// A name belongs to the app that uses it.
  private struct Thing: Hashable {
    var sort: Sort
    var app: AppID
    var text: UInt32
  }

  /// The number of `text`.
  mutating func index(of text: String) -> UInt32 {
    if let index = indices[text] { return index }
    let index = UInt32(all.count)
    all.append(text)
    indices[text] = index
    return index
  }

  /// The number of `text`, under which `app` makes something somewhere in the file.
  mutating func make(_ sort: Sort, _ text: String, of app: AppID) -> UInt32 {
    let index = index(of: text)
    made.insert(Thing(sort: sort, app: app, text: index))
    return index
  }

  /// The number of `text`, which stands at `place` for something that `app` makes.
  mutating func mean(_ sort: Sort, _ text: String, of app: AppID, at place: SourcePlace) -> UInt32 {
    let index = index(of: text)
    meant.append((Thing(sort: sort, app: app, text: index), place))
    return index
  }

  /// Ending what nobody begins is a slip of the pen; ending it twice, or too early, is something to simulate.
  func check(apps: [String], _ findings: inout Findings) {
    for (thing, place) in meant where !made.contains(thing) {
      findings.error(at: place) { search in
        let text = all[Int(thing.text)]
        let hint = search.nearest(to: text, among: names(thing.sort, of: thing.app)).map { "; did you mean '\($0)'?" } ?? ""
        return "'\(apps[Int(thing.app.rawValue)])' \(thing.sort.making) '\(text)' in this file\(hint)"
      }
    }
  }

  /// Under which names `app` makes anything of this sort, in the order of first appearance.
  private func names(_ sort: Sort, of app: AppID) -> [String] {
    all.indices.filter { made.contains(Thing(sort: sort, app: app, text: UInt32($0))) }.map { all[$0] }
  }
}

extension ScenarioTexts.Sort {
  fileprivate var making: String {
    switch self {
    case .task: "begins no task"
    case .request: "submits no task"
    case .notification: "schedules no notification"
    }
  }
}
