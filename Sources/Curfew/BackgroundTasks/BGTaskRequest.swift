import CurfewEngine
public import Foundation

/// `BGTaskRequest`: asks for an app to be run in the background. Its subclasses say for what.
public class BGTaskRequest {
  /// `identifier`: one that the manifest permits.
  public let identifier: String
  /// `earliestBeginDate`: a lower bound, by `Device.date`, to the microsecond; nil, or a date that
  /// has passed, for none.
  ///
  /// A device in virtual time has a date of its own: code that asks the machine for the date, with
  /// `Date()` or `Date(timeIntervalSinceNow:)`, has to be given the device's.
  public var earliestBeginDate: Date?

  init(identifier: String) { self.identifier = identifier }

  var kind: KindName {
    preconditionFailure(
      "A request of no kind: make a BGAppRefreshTaskRequest or a BGProcessingTaskRequest")
  }
}

/// `BGAppRefreshTaskRequest`: half a minute to fetch something. One of an app may be pending.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
  /// A request for the handler that is registered under `identifier`.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var kind: KindName { .appRefresh }
}

/// `BGProcessingTaskRequest`: minutes, while nobody uses the device. Ten of an app may be pending.
public final class BGProcessingTaskRequest: BGTaskRequest {
  /// `requiresNetworkConnectivity`: whether it waits for a network.
  public var requiresNetworkConnectivity = false
  /// `requiresExternalPower`: whether it waits for a charger.
  public var requiresExternalPower = false

  /// A request for the handler that is registered under `identifier`.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var kind: KindName { .processing }
}
