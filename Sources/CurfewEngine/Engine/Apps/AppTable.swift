/// The apps, by their numbers: for each a cache line, and four bytes that say where its rarer
/// things are. That is all that an idle app costs.
///
/// Invariants: apps never leave; each app's extras are its own, and whoever has asked for none
/// shares `absent`, which nobody changes.
struct AppTable: ~Copyable {
  private var lines: Column<App>
  private var extraPlaces: Column<Place<AppExtras>>
  private(set) var extras: Slab<AppExtras>
  private let absent: Place<AppExtras>

  init(minimumCapacity: Int) {
    lines = Column(minimumCapacity: minimumCapacity)
    extraPlaces = Column(minimumCapacity: minimumCapacity)
    extras = Slab()
    absent = extras.insert(AppExtras())
  }

  private init(copying other: borrowing AppTable) {
    lines = other.lines.copy()
    extraPlaces = other.extraPlaces.copy()
    extras = other.extras.copy()
    absent = other.absent
  }

  func copy() -> AppTable { AppTable(copying: self) }

  var count: Int { lines.count }
  /// Every app, in file order.
  var ids: LazyMapSequence<Range<UInt32>, AppID> { (0..<UInt32(count)).lazy.map(AppID.init) }
  var capacity: Int { lines.capacity }

  mutating func add(_ app: App) -> AppID {
    precondition(count < Int(Deadline.indexLimit), "No more than \(Deadline.indexLimit) apps")
    lines.append(app)
    extraPlaces.append(absent)
    return AppID(rawValue: UInt32(count - 1))
  }

  /// Whether an app has ever asked for what few need.
  func hasExtras(_ app: AppID) -> Bool { extraPlaces[Int(app.rawValue)] != absent }

  /// An app is no more; its number and its place stay. What its extras led to has been given back.
  mutating func remove(_ app: AppID) {
    let counts = (self[app].process, self[app].visit, self[app].frontStamp)
    self[app] = App(flags: [])
    self[app].presence = .removed
    (self[app].process, self[app].visit, self[app].frontStamp) = counts
    guard hasExtras(app) else { return }
    extras.free(extraPlaces[Int(app.rawValue)])
    extraPlaces[Int(app.rawValue)] = absent
  }

  /// - Precondition: The app is one of these. `Engine.known` looks at what comes in from outside,
  ///   once: a check at each of the many times that an event looks at its app would cost it a tenth
  ///   of its time.
  subscript(app: AppID) -> App {
    @inline(__always) unsafeAddress { UnsafePointer(lines.address(ofProven: Int(app.rawValue))) }
    @inline(__always) unsafeMutableAddress { lines.address(ofProven: Int(app.rawValue)) }
  }

  /// What few apps need. Changing anything makes an app's record where there is none yet.
  subscript(extras app: AppID) -> AppExtras {
    @inline(__always) unsafeAddress {
      UnsafePointer(extras.address(of: extraPlaces[Int(app.rawValue)]))
    }
    @inline(__always) unsafeMutableAddress {
      if extraPlaces[Int(app.rawValue)] == absent {
        extraPlaces[Int(app.rawValue)] = extras.insert(AppExtras())
      }
      return extras.address(of: extraPlaces[Int(app.rawValue)])
    }
  }

  func checkInvariants() {
    precondition(extras[absent] == AppExtras(), "what no app has asked for has changed")
    var owners = Set<Place<AppExtras>>()
    for app in ids where extraPlaces[Int(app.rawValue)] != absent {
      precondition(
        owners.insert(extraPlaces[Int(app.rawValue)]).inserted,
        "app \(app.rawValue)'s extras are another's")
    }
    precondition(owners.count + 1 == extras.count, "extras belong to nobody")
  }
}
