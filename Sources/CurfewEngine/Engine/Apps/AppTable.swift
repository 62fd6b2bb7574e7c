/// The apps by number: one cache line for each, and four bytes with the place of its extras. An
/// idle app needs nothing else.
///
/// Invariants: an app keeps its entry forever; no two apps share extras, except `absent`, which all
/// apps without extras of their own share and which never changes.
struct AppTable: ~Copyable {
  private var lines: Column<EngineApp>
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

  mutating func add(_ app: EngineApp) -> AppID {
    precondition(count < Int(Deadline.indexLimit), "No more than \(Deadline.indexLimit) apps")
    lines.append(app)
    extraPlaces.append(absent)
    return AppID(rawValue: UInt32(count - 1))
  }

  /// Whether an app has extras of its own.
  func hasExtras(_ app: AppID) -> Bool { extraPlaces[Int(app.rawValue)] != absent }

  /// Removes an app; its number and its place stay. The caller must have freed the records that its
  /// extras refer to.
  mutating func remove(_ app: AppID) {
    let counts = (self[app].process, self[app].visit, self[app].frontStamp)
    self[app] = EngineApp(flags: [])
    self[app].presence = .removed
    (self[app].process, self[app].visit, self[app].frontStamp) = counts
    guard hasExtras(app) else { return }
    extras.free(extraPlaces[Int(app.rawValue)])
    extraPlaces[Int(app.rawValue)] = absent
  }

  /// - Precondition: The app is in the table. `Engine.known` checks apps from outside once. An
  ///   event accesses its app many times, and a check at each access would cost the event a tenth
  ///   of its time.
  subscript(app: AppID) -> EngineApp {
    @inline(__always) unsafeAddress { UnsafePointer(lines.address(ofProven: Int(app.rawValue))) }
    @inline(__always) unsafeMutableAddress { lines.address(ofProven: Int(app.rawValue)) }
  }

  /// Loads an app's line into the processor's cache. Any number is allowed.
  @inline(__always)
  func prefetch(_ app: AppID) { lines.prefetch(Int(app.rawValue)) }

  /// The extras of an app. A mutation creates them if the app has none yet.
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
    precondition(extras[absent] == AppExtras(), "the shared extras have changed")
    var owners = Set<Place<AppExtras>>()
    for app in ids where extraPlaces[Int(app.rawValue)] != absent {
      precondition(
        owners.insert(extraPlaces[Int(app.rawValue)]).inserted,
        "app \(app.rawValue)'s extras belong to another app")
    }
    precondition(owners.count + 1 == extras.count, "extras belong to no app")
  }
}
