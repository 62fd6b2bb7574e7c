import CurfewEngine
import CurfewText
import CurfewTrace

/// The names that apps give to things, and the references to these names in the file.
struct ScenarioNames {
  private var made: [Thing: Int] = [:]
  private var meant: [(thing: Thing, place: SourcePlace)] = []

  /// A sort of thing that an app creates under a name and later refers to by this name.
  enum Sort {
    case task, request, notification, post
  }

  /// The identity of a thing: a name belongs to the app that uses it.
  private struct Thing: Hashable {
    var sort: Sort
    /// The app; nil for any app.
    var app: AppID?
    var name: String
  }

  /// Records the name at `place` that a deed of `app` defines or refers to.
  mutating func note(_ deed: EngineInput, of app: AppID, at place: SourcePlace) {
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

  /// Records the name of a post, which may reach any app.
  mutating func notePost(_ deed: EngineInput) {
    if deed.verb == .post, let name = deed.name { make(Thing(sort: .post, app: nil, name: name)) }
  }

  /// Records that an expectation refers to this name, of `app` or of any app.
  mutating func expect(_ sort: Sort, _ name: String, of app: AppID?, at place: SourcePlace) {
    meant.append((Thing(sort: sort, app: sort == .post ? nil : app, name: name), place))
  }

  /// Records that the thing's app defines the name, for references with and without an app.
  private mutating func make(_ thing: Thing) {
    for thing in [thing, Thing(sort: thing.sort, app: nil, name: thing.name)]
    where made[thing] == nil { made[thing] = made.count }
  }

  /// Reports references to names that no step defines, as typing errors. Ending something twice
  /// or too early is not reported, because it can be simulated.
  func check(apps: [String], _ findings: inout Findings) {
    for (thing, place) in meant where made[thing] == nil {
      findings.error(at: place) { search in
        let hint =
          search.nearest(to: thing.name, among: names(like: thing)).map {
            "; did you mean '\($0)'?"
          } ?? ""
        let (verb, what) = thing.sort.words
        let who = thing.app.map { "'\(apps[Int($0.rawValue)])' \(verb) no" } ?? "no step \(verb) a"
        return "\(who) \(what) '\(thing.name)' in this file\(hint)"
      }
    }
  }

  /// The names under which the same app creates things of this sort, in the order of
  /// first appearance.
  private func names(like thing: Thing) -> [String] {
    made.filter { $0.key.sort == thing.sort && $0.key.app == thing.app }.sorted {
      $0.value < $1.value
    }.map(\.key.name)
  }
}

extension ScenarioNames.Sort {
  /// The verb that creates such a thing, and the noun for the thing.
  fileprivate var words: (verb: String, what: String) {
    switch self {
    case .task: ("begins", "task")
    case .request: ("submits", "task")
    case .notification: ("schedules", "notification")
    case .post: ("posts", "notification")
    }
  }
}
