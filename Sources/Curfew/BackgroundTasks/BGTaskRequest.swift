import CurfewEngine
public import Foundation

/// `BGTaskRequest`: asks for an app to be run in the background. Each subclass asks for one kind.
public class BGTaskRequest {
  /// `identifier`: one that the manifest permits.
  public let identifier: String
  /// `earliestBeginDate`: a lower bound by `Device.date`, exact to the microsecond. nil and a date
  /// that has passed mean no bound.
  ///
  /// A device in virtual time has a date of its own. Code that reads the machine's date, with
  /// `Date()` or `Date(timeIntervalSinceNow:)`, has to be given the device's date instead.
  public var earliestBeginDate: Date?

  init(identifier: String) { self.identifier = identifier }

  var kind: KindName {
    preconditionFailure(
      "A request of no kind: make a BGAppRefreshTaskRequest or a BGProcessingTaskRequest")
  }
}

/// `BGAppRefreshTaskRequest`: half a minute to fetch something. One per app may be pending.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
  /// A request for the handler that is registered under `identifier`.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var kind: KindName { .appRefresh }
}

/// `BGProcessingTaskRequest`: minutes, while nobody uses the device. Ten per app may be pending.
public final class BGProcessingTaskRequest: BGTaskRequest {
  /// `requiresNetworkConnectivity`: whether the request waits for a network.
  public var requiresNetworkConnectivity = false
  /// `requiresExternalPower`: whether the request waits for a charger.
  public var requiresExternalPower = false

  /// A request for the handler that is registered under `identifier`.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var kind: KindName { .processing }
}
