public import CurfewEngine
package import CurfewText

/// An app's declarations: the keys of its `Info.plist`, its user's settings, its memory and its
/// start cost.
public struct AppManifest: Hashable, Sendable {
  /// The standard values of `UIBackgroundModes`.
  public var backgroundModes: BackgroundModes
  /// The other values of `UIBackgroundModes`, each once. Only values that the policy declares have
  /// an effect.
  public var otherModes: [String]
  /// The app's values of the facts that the policy declares for apps.
  public var facts: NamedFacts
  /// `UIApplicationExitsOnSuspend`.
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// `BGTaskSchedulerPermittedIdentifiers`.
  public var permittedIdentifiers: [String]
  /// The footprint in bytes; nil for the policy's figure.
  public var footprint: Int64?
  /// The app's own memory limit in bytes; nil for the policy's limit.
  public var memoryLimit: Int64?
  /// The cost of starting the app again after a purge; nil for the policy's figure.
  public var startCost: Interval?
  /// Whether each of the app's wakes has an expiration handler from its beginning, as in a
  /// scenario. A program sets the handler of a wake with `Wake.expirationHandler`.
  package var handlesWakeExpiration = false
  /// See `warnings`.
  package var remarks = ManifestRemarks()

  /// Creates a manifest. Omitted values are those of a plain app.
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

  /// Returns the manifest as the engine takes it, under a policy with these names. `number` returns
  /// the number of an identifier.
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

  /// The keys that manifests in traces have in addition to `fields`. In a scenario the app's
  /// answers to callbacks imply their values.
  package static let traced: [Attribute<AppManifest>] = [
    .init(
      "wakeExpirationHandler", \.handlesWakeExpiration, .boolean, absent: false,
      "Whether its wakes have an expiration handler.")
  ]

  /// The fields, in the order in which files have them: the keys of an app in a scenario, and of a
  /// manifest in a trace.
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
      "Its own memory limit; the policy's limit, if any, where absent."),
    .init(
      "startCost", \.startCost, .duration, .optional,
      "The cost of starting it again, as a time; the policy's figure where absent."),
    .init(
      "facts", \.facts, .facts, absent: [:],
      "The app's facts that the policy declares: the name of each fact that holds, 'not' and the name of each that does not; the policy's values where absent."
    ),
  ]

  /// The standard and the other modes in one list, as in files.
  private var declaredModes: DeclaredModes {
    get { DeclaredModes(standard: backgroundModes, others: otherModes) }
    set { (backgroundModes, otherModes) = (newValue.standard, newValue.others) }
  }

  /// The names of all declared modes, the standard ones first.
  package var modeNames: [String] { backgroundModes.fileNames + otherModes }
}

/// The modes of a list: the standard ones, and the others in their order.
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
