/// A queue of the apps that have been called and have not answered, in the order of their calls.
/// The first app has the turn; nearly always it is the only app.
struct Turns: ~Copyable {
  private var called = Line<AppID>()
  private var last: AppID?
  /// Whether the first app has been given the turn and has said nothing since.
  var isGiven = false

  init() {}

  private init(copying other: borrowing Turns) {
    called = other.called.copy()
    (last, isGiven) = (other.last, other.isGiven)
  }

  func copy() -> Turns { Turns(copying: self) }

  var isEmpty: Bool { called.isEmpty }

  /// The app that has been given the turn and may answer.
  var given: AppID? { isGiven ? called.first : nil }

  @inline(__always)
  mutating func add(_ app: AppID) {
    // The app was called again before its turn came: one turn is enough.
    if !called.isEmpty, last == app || called.first == app { return }
    called.append(app)
    last = app
  }

  /// Gives the turn to the next app and returns it. An app that already had the turn and did
  /// not use it loses it.
  @inline(__always)
  mutating func give(_ engine: borrowing Engine) -> AppID? {
    while let app = called.first {
      if !isGiven, engine.owesReturn(app) {
        isGiven = true
        return app
      }
      takeAway()
    }
    return nil
  }

  @inline(__always)
  mutating func removeAll() {
    while !isEmpty { takeAway() }
  }

  @inline(__always)
  mutating func takeAway() {
    _ = called.popFirst()
    isGiven = false
  }
}

extension Action {
  /// The app whose run loop is busy from this action on.
  @inline(__always)
  package var called: AppID? {
    switch self {
    case .callback(let app, _), .expiration(let app, _, _, _), .wakeBegan(let app, _),
      .wakeWarned(let app, _, _),
      .event(let app, _), .sessionWarned(let app, _, _):
      app
    default: nil
    }
  }

  /// The callback, handler or event that this action delivers; nil if none.
  package func moment(in names: PolicyNames) -> AppCall? {
    switch self {
    case .callback(_, let callback): .callback(callback)
    case .expiration: .expirationHandler
    case .wakeBegan(_, let wake): .wake(names.name(of: wake.kind))
    case .wakeWarned: .wakeExpirationHandler
    case .sessionWarned: .sessionExpirationHandler
    case .event(_, let kind): .wake(names.name(of: kind))
    default: nil
    }
  }
}
