import CurfewEngine
import CurfewText
import CurfewTrace

/// Which app brings what about under which name, and under which names it takes something back.
struct ScenarioNames {
  private var made: [Thing: Int] = [:]
  private var meant: [(thing: Thing, place: SourcePlace)] = []

  /// What an app makes under a name, and takes back under it.
  enum Sort {
    case task, request, notification, post
  }

  /// A name belongs to the app that uses it.
  private struct Thing: Hashable {
    var sort: Sort
    /// Nobody's in particular where it is nil.
    var app: AppID?
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
    case .cancelNotification:
      meant.append((Thing(sort: .notification, app: app, name: name), place))
    default: break
    }
  }

  /// Notes what is posted, which may reach any app.
  mutating func notePost(_ deed: Deed) {
    if deed.verb == .post, let name = deed.name { make(Thing(sort: .post, app: nil, name: name)) }
  }

  /// Notes that `app`, or anybody, is expected to have made this.
  mutating func expect(_ sort: Sort, _ name: String, of app: AppID?, at place: SourcePlace) {
    meant.append((Thing(sort: sort, app: sort == .post ? nil : app, name: name), place))
  }

  /// What an app makes is also made by somebody.
  private mutating func make(_ thing: Thing) {
    for thing in [thing, Thing(sort: thing.sort, app: nil, name: thing.name)]
    where made[thing] == nil { made[thing] = made.count }
  }

  /// Ending what nobody begins is a slip of the pen; ending it twice, or too early, is something
  /// to simulate.
  func check(apps: [String], _ findings: inout Findings) {
    for (thing, place) in meant where made[thing] == nil {
      findings.error(at: place) { search in
        let hint =
          search.nearest(to: thing.name, among: names(like: thing)).map {
            "; did you mean '\($0)'?"
          } ?? ""
        let (verb, what) = thing.sort.words
        let who = thing.app.map { "'\(apps[Int($0.rawValue)])' \(verb) no" } ?? "nobody \(verb) a"
        return "\(who) \(what) '\(thing.name)' in this file\(hint)"
      }
    }
  }

  /// Under which names the same app makes anything of this sort, in the order of first appearance.
  private func names(like thing: Thing) -> [String] {
    made.filter { $0.key.sort == thing.sort && $0.key.app == thing.app }.sorted {
      $0.value < $1.value
    }.map(\.key.name)
  }
}

extension ScenarioNames.Sort {
  /// How it is made, and what it is.
  fileprivate var words: (verb: String, what: String) {
    switch self {
    case .task: ("begins", "task")
    case .request: ("submits", "task")
    case .notification: ("schedules", "notification")
    case .post: ("posts", "notification")
    }
  }
}
