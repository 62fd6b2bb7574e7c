/// The name of an assertion kind: a standard one, `.audio`, or a policy's own, `"navigation"`.
public struct KindName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The name in policy, scenario and trace files.
  public let rawValue: String

  /// Creates the name of the kind that files call `rawValue`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates the name of the kind that files call `value`.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  private init(_ kind: AssertionKind) {
    self.init(rawValue: StandardKind.all[Int(kind.rawValue)].name)
  }

  /// The name.
  public var description: String { rawValue }

  /// The standard kinds, in the order of their numbers.
  package static let standard = AssertionKind.standard.map { KindName($0) }

  /// See `AssertionKind.finiteTask`.
  public static let finiteTask = KindName(.finiteTask)
  /// See `AssertionKind.audio`.
  public static let audio = KindName(.audio)
  /// See `AssertionKind.location`.
  public static let location = KindName(.location)
  /// See `AssertionKind.voip`.
  public static let voip = KindName(.voip)
  /// See `AssertionKind.externalAccessory`.
  public static let externalAccessory = KindName(.externalAccessory)
  /// See `AssertionKind.bluetoothCentral`.
  public static let bluetoothCentral = KindName(.bluetoothCentral)
  /// See `AssertionKind.bluetoothPeripheral`.
  public static let bluetoothPeripheral = KindName(.bluetoothPeripheral)
  /// See `AssertionKind.fetch`.
  public static let fetch = KindName(.fetch)
  /// See `AssertionKind.remoteNotification`.
  public static let remoteNotification = KindName(.remoteNotification)
  /// See `AssertionKind.newsstand`.
  public static let newsstand = KindName(.newsstand)
  /// See `AssertionKind.significantLocation`.
  public static let significantLocation = KindName(.significantLocation)
  /// See `AssertionKind.region`.
  public static let region = KindName(.region)
  /// See `AssertionKind.bluetoothData`.
  public static let bluetoothData = KindName(.bluetoothData)
  /// See `AssertionKind.accessoryData`.
  public static let accessoryData = KindName(.accessoryData)
  /// See `AssertionKind.voipPush`.
  public static let voipPush = KindName(.voipPush)
  /// See `AssertionKind.voipKeepAlive`.
  public static let voipKeepAlive = KindName(.voipKeepAlive)
  /// See `AssertionKind.urlSession`.
  public static let urlSession = KindName(.urlSession)
  /// See `AssertionKind.appRefresh`.
  public static let appRefresh = KindName(.appRefresh)
  /// See `AssertionKind.processing`.
  public static let processing = KindName(.processing)
}

extension AssertionKind: CustomStringConvertible {
  /// The name of a standard kind. For a policy's own kind, the number: `kind 19`. The name of such
  /// a kind is in `PolicyNames`.
  public var description: String { asStandard?.name ?? "kind \(rawValue)" }
}
