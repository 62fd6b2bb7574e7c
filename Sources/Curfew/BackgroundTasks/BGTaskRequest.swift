import CurfewEngine
public import Foundation

/// `BGTaskRequest`: asks for an app to be run in the background. Each subclass asks for one kind.
public class BGTaskRequest {
  /// `identifier`: an identifier that the manifest permits.
  public let identifier: String
  /// `earliestBeginDate`: the earliest start in terms of `Device.date`, exact to the microsecond.
  /// nil or a past date means no bound.
  ///
  /// The date of a device in virtual time differs from the machine's. `Date()` is the device's date
  /// in a test with the trait `.device`; other code must use `Device.date`.
  public var earliestBeginDate: Date?

  init(identifier: String) { self.identifier = identifier }

  var kind: KindName {
    preconditionFailure(
      "A BGTaskRequest has no kind: create a BGAppRefreshTaskRequest or a BGProcessingTaskRequest")
  }
}

/// `BGAppRefreshTaskRequest`: asks for half a minute to fetch something. One per app may
/// be pending.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
  /// A request for the handler that is registered under `identifier`.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var kind: KindName { .appRefresh }
}

/// `BGProcessingTaskRequest`: asks for minutes while nobody uses the device. Ten per app may
/// be pending.
public final class BGProcessingTaskRequest: BGTaskRequest {
  /// `requiresNetworkConnectivity`: whether the request waits for a network.
  public var requiresNetworkConnectivity = false
  /// `requiresExternalPower`: whether the request waits for a charger.
  public var requiresExternalPower = false

  /// A request for the handler that is registered under `identifier`.
  public override init(identifier: String) { super.init(identifier: identifier) }

  override var kind: KindName { .processing }
}
