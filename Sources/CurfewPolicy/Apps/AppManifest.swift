public import CurfewEngine
package import CurfewText

/// What an app declares about itself, as its `Info.plist` does, what its user has set, and what it
/// takes up.
public struct AppManifest: Hashable, Sendable {
  /// `UIBackgroundModes`: the standard ones.
  public var backgroundModes: BackgroundModes
  /// Values of `UIBackgroundModes` that are not standard, each once: those that the policy makes
  /// known count.
  public var otherModes: [String]
  /// What is said of facts of the app that the policy declares.
  public var facts: NamedFacts
  /// `UIApplicationExitsOnSuspend`.
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// `BGTaskSchedulerPermittedIdentifiers`.
  public var permittedIdentifiers: [String]
  /// Its memory in bytes; nil for the policy's figure.
  public var footprint: Int64?
  /// Its own memory limit in bytes; nil for the policy's.
  public var memoryLimit: Int64?
  /// What it costs to start it again once it has been purged; nil for the policy's figure.
  public var startCost: Interval?
  /// Whether each of its wakes has an expiration handler from the beginning, as a scenario's app
  /// has one; a program's wakes get theirs by `Wake.expirationHandler`.
  package var handlesWakeExpiration = false
  /// See `warnings`.
  package var remarks = ManifestRemarks()

  /// A manifest of these values; as a plain app has them where they are left out.
  public init(
    backgroundModes: BackgroundModes = [], exitsOnSuspend: Bool = false,
    backgroundRefresh: BackgroundRefreshStatus = .available,
    permittedIdentifiers: [String] = [], footprint: Int64? = nil, memoryLimit: Int64? = nil,
    otherModes: [String] = [],
    facts: NamedFacts = [:], startCost: Interval? = nil
  ) {
    self.backgroundModes = backgroundModes
    self.otherModes = otherModes
    self.facts = facts
    self.exitsOnSuspend = exitsOnSuspend
    self.backgroundRefresh = backgroundRefresh
    self.permittedIdentifiers = permittedIdentifiers
    self.footprint = footprint
    self.memoryLimit = memoryLimit
    self.startCost = startCost
  }

  /// The engine's manifest under a policy of these names, with the number that `number` gives
  /// each identifier.
  package func numbered(_ names: PolicyNames, _ number: (String) -> UInt32) -> Manifest {
    Manifest(
      backgroundModes: otherModes.compactMap(names.mode).reduce(into: backgroundModes) {
        $0.formUnion($1)
      }, exitsOnSuspend: exitsOnSuspend,
      backgroundRefresh: backgroundRefresh,
      facts: facts.numbered(names), permittedIdentifiers: permittedIdentifiers.map(number),
      footprint: footprint, memoryLimit: memoryLimit,
      startCost: startCost, handlesWakeExpiration: handlesWakeExpiration)
  }

  /// What stands in a trace's manifests beside the fields: a scenario's app says it by what
  /// it does.
  package static let traced: [Attribute<AppManifest>] = [
    .init(
      "wakeExpirationHandler", \.handlesWakeExpiration, .boolean, absent: false,
      "Whether its wakes have an expiration handler.")
  ]

  /// Its fields, in the order of files: the keys of a scenario's app, and of a trace's manifests.
  package static let fields: [Attribute<AppManifest>] = [
    .init(
      "backgroundModes", \.declaredModes, .modes, absent: DeclaredModes(), "UIBackgroundModes."),
    .init(
      "exitsOnSuspend", \.exitsOnSuspend, .boolean, absent: false,
      "UIApplicationExitsOnSuspend; false where absent."),
    .init(
      "backgroundRefresh", \.backgroundRefresh,
      .word("status", among: [.available, .denied, .restricted]), absent: .available,
      "The app's own Background App Refresh switch; available where absent."),
    .init(
      "permittedIdentifiers", \.permittedIdentifiers, .texts, absent: [],
      "BGTaskSchedulerPermittedIdentifiers; none where absent."),
    .init(
      "footprint", \.footprint, .footprint, .optional,
      "Its memory; the policy's figure where absent."),
    .init(
      "memoryLimit", \.memoryLimit, .size, .optional,
      "Its own memory limit; the policy's, if that has one, where absent."),
    .init(
      "startCost", \.startCost, .duration, .optional,
      "What it costs to start it again, in time; the policy's figure where absent."),
    .init(
      "facts", \.facts, .facts, absent: [:],
      "Facts of an app that the policy declares: those that hold, and 'not …' for those that do not; as the policy says where absent."
    ),
  ]

  /// Both sorts of mode, as files have them: in one list.
  private var declaredModes: DeclaredModes {
    get { DeclaredModes(standard: backgroundModes, others: otherModes) }
    set { (backgroundModes, otherModes) = (newValue.standard, newValue.others) }
  }

  /// The names of all that it declares: the standard ones first.
  package var modeNames: [String] { backgroundModes.fileNames + otherModes }
}

/// The modes of a list: standard ones, and others in their order.
private struct DeclaredModes: Hashable, Sendable {
  var standard: BackgroundModes = []
  var others: [String] = []
}

extension Notation<DeclaredModes> {
  fileprivate static var modes: Notation {
    Notation(.list(.name(BackgroundModes.standardNames, what: "mode"))) { plain in
      guard case .texts(let texts) = plain else { return nil }
      var modes = DeclaredModes()
      for text in texts {
        if let mode = BackgroundModes(fileName: text) {
          modes.standard.formUnion(mode)
        } else if !modes.others.contains(text) {
          modes.others.append(text)
        }
      }
      return modes
    } write: {
      .texts($0.standard.fileNames + $0.others)
    }
  }
}
