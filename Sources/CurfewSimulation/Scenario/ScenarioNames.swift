import CurfewEngine
import CurfewText
import CurfewTrace

/// Which app brings what about under which name, and under which names it takes something back.
struct ScenarioNames {
  private var made: [Thing: Int] = [:]
  private var meant: [(thing: Thing, place: SourcePlace)] = []

  /// What an app makes under a name, and takes back under it.
  fileprivate enum Sort {
    case task, request, notification
  }

  /// A name belongs to the app that uses it.
  private struct Thing: Hashable {
    var sort: Sort
    var app: AppID
    var name: String
  }

  /// Notes what `app` makes or means by a deed whose name stands at `place`.
  mutating func note(_ deed: Deed, of app: AppID, at place: SourcePlace) {
    guard let name = deed.name else { return }
    switch deed.verb {
    case .beginTask: make(Thing(sort: .task, app: app, name: name))
    case .submitTask: make(Thing(sort: .request, app: app, name: name))
    case .scheduleNotification: make(Thing(sort: .notification, app: app, name: name))
    case .endTask: meant.append((Thing(sort: .task, app: app, name: name), place))
    case .cancelTask: meant.append((Thing(sort: .request, app: app, name: name), place))
    case .cancelNotification: meant.append((Thing(sort: .notification, app: app, name: name), place))
    default: break
    }
  }

  private mutating func make(_ thing: Thing) {
    if made[thing] == nil { made[thing] = made.count }
  }

  /// Ending what nobody begins is a slip of the pen; ending it twice, or too early, is something to simulate.
  func check(apps: [String], _ findings: inout Findings) {
    for (thing, place) in meant where made[thing] == nil {
      findings.error(at: place) { search in
        let hint = search.nearest(to: thing.name, among: names(like: thing)).map { "; did you mean '\($0)'?" } ?? ""
        return "'\(apps[Int(thing.app.rawValue)])' \(thing.sort.making) '\(thing.name)' in this file\(hint)"
      }
    }
  }

  /// Under which names the same app makes anything of this sort, in the order of first appearance.
  private func names(like thing: Thing) -> [String] {
    made.filter { $0.key.sort == thing.sort && $0.key.app == thing.app }.sorted { $0.value < $1.value }.map(\.key.name)
  }
}

extension ScenarioNames.Sort {
  fileprivate var making: String {
    switch self {
    case .task: "begins no task"
    case .request: "submits no task"
    case .notification: "schedules no notification"
    }
  }
}
