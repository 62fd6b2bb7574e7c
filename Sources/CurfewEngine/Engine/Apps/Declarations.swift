/// An app's declaration, as far as admissions depend on it.
struct Declaration: Hashable, BitwiseCopyable {
  /// The modes that its manifest declares.
  var modes: BackgroundModes = []
  /// The values set for the policy's own facts.
  var facts = FactValues()
}

/// The declarations of all apps, each stored once. Thousands of apps declare the same few things,
/// and an app's record has two bytes for its declaration.
///
/// Invariant: equal declarations have one place.
struct Declarations {
  /// The place of an app's declaration.
  struct Place: Hashable, BitwiseCopyable {
    fileprivate let index: UInt16

    /// The place of the empty declaration.
    static let none = Place(index: 0)
    /// The declaration is in the app's extras, because the table is full.
    static let elsewhere = Place(index: .max)
  }

  private var all: ContiguousArray<Declaration> = [Declaration()]
  private var places: [Declaration: Place] = [Declaration(): .none]

  /// - Precondition: `place` is one of the table's.
  subscript(place: Place) -> Declaration { all[Int(place.index)] }

  /// The place of `declaration`, which is added if necessary; `elsewhere` if the table is full.
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
