/// What an app declares, and what has been said of it: as far as admissions look at it.
struct Declaration: Hashable, BitwiseCopyable {
  /// What its manifest declares.
  var modes: BackgroundModes = []
  /// What has been said of the policy's own facts.
  var facts = FactValues()
}

/// The declarations of all apps, each once: thousands of apps declare the same few things,
/// and an app's record has two bytes for it.
///
/// Invariant: equal declarations have one place.
struct Declarations {
  /// Where an app's declaration stands.
  struct Place: Hashable, BitwiseCopyable {
    fileprivate let index: UInt16

    /// That of an app that declares nothing.
    static let none = Place(index: 0)
    /// In the app's extras: the table has no room for another.
    static let elsewhere = Place(index: .max)
  }

  private var all: ContiguousArray<Declaration> = [Declaration()]
  private var places: [Declaration: Place] = [Declaration(): .none]

  /// - Precondition: The place is one of the table's.
  subscript(place: Place) -> Declaration { all[Int(place.index)] }

  /// Where `declaration` stands, from now on if not before.
  /// - Complexity: O(1).
  mutating func place(of declaration: Declaration) -> Place {
    if let place = places[declaration] { return place }
    guard all.count < Int(UInt16.max) else { return .elsewhere }
    let place = Place(index: UInt16(all.count))
    all.append(declaration)
    places[declaration] = place
    return place
  }
}

extension Engine {
  func declaration(of app: AppID) -> Declaration {
    let place = apps[app].declaration
    return place == .elsewhere ? apps[extras: app].declaration : declarations[place]
  }

  mutating func setDeclaration(_ declaration: Declaration, of app: AppID) {
    let place = declarations.place(of: declaration)
    apps[app].declaration = place
    if place == .elsewhere { apps[extras: app].declaration = declaration }
  }
}
