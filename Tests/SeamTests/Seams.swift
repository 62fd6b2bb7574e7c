import Curfew
import Foundation

// Protocols through which published code asks UIKit for time, each with its published
// name and requirements, in words of this file's own. An app takes UIKit's place in
// them with an empty extension. The test is that this compiles, in both language modes.

typealias UIApplication = App
typealias UIBackgroundTaskIdentifier = BackgroundTaskIdentifier

/// Datadog, dd-sdk-ios.
enum Datadog {
  protocol UIKitAppBackgroundTaskCoordinator {
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: Datadog.UIKitAppBackgroundTaskCoordinator {}

/// RudderStack, rudder-sdk-ios. Its watchOS planner asks `ProcessInfo`.
enum RudderStack {
  protocol UIKitAppBackgroundTaskPlanner {
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }

  protocol WatchKitAppBackgroundTaskPlanner {
    func performExpiringActivity(
      withReason reason: String, using block: @escaping @Sendable (Bool) -> Void)
  }
}
extension UIApplication: RudderStack.UIKitAppBackgroundTaskPlanner, RudderStack
    .WatchKitAppBackgroundTaskPlanner
{}

/// Mullvad VPN, mullvadvpn-app: the version for Swift 5, and the version for Swift 6.
enum Mullvad {
  protocol BackgroundTaskProvider {
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
  }

  protocol BackgroundTaskProviding {
    var backgroundTimeRemaining: TimeInterval { get }
    nonisolated func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: Mullvad.BackgroundTaskProvider, Mullvad.BackgroundTaskProviding {}

/// Wire, wire-ios. The original is an Objective-C protocol.
enum Wire {
  protocol BackgroundActivityManager {
    func beginBackgroundTask(withName name: String?, expirationHandler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ task: UIBackgroundTaskIdentifier)
    var backgroundTimeRemaining: TimeInterval { get }
    var applicationState: UIApplication.State { get }
  }
}
extension UIApplication: Wire.BackgroundActivityManager {}

/// ProcedureKit.
enum ProcedureKit {
  protocol BackgroundTaskApplicationProtocol {
    var applicationState: UIApplication.State { get }
    func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (() -> Swift.Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: ProcedureKit.BackgroundTaskApplicationProtocol {}

/// Operations, from which ProcedureKit came.
enum Operations {
  protocol BackgroundTaskApplicationInterface {
    var applicationState: UIApplication.State { get }
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: Operations.BackgroundTaskApplicationInterface {}

/// AdvancedOperation.
enum AdvancedOperation {
  protocol UIApplicationBackgroundTask {
    var applicationState: UIApplication.State { get }
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: AdvancedOperation.UIApplicationBackgroundTask {}

/// Element, element-x-ios, and before it the Matrix SDK (an Objective-C protocol there).
enum Element {
  protocol ApplicationProtocol {
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
    var backgroundTimeRemaining: TimeInterval { get }
    var applicationState: UIApplication.State { get }
  }

  protocol MXApplicationProtocol {
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: Element.ApplicationProtocol, Element.MXApplicationProtocol {}

/// Dromio: entirely on the main actor.
enum Dromio {
  @MainActor
  protocol ApplicationType {
    func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)?)
      -> UIBackgroundTaskIdentifier
    func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: Dromio.ApplicationType {}

/// AirQuality: on the main actor, with a handler that is not.
enum AirQuality {
  @MainActor
  protocol UIApplicationProtocol {
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: AirQuality.UIApplicationProtocol {}

/// RefreshServiceDemo.
enum RefreshService {
  protocol A4SApplicationBackgroundTaskProtocol {
    var applicationState: UIApplication.State { get }
    func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (() -> Swift.Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: RefreshService.A4SApplicationBackgroundTaskProtocol {}

/// FKKit: a handler that is `Sendable`, and on no actor.
enum FKKit {
  protocol FKBackgroundApplicationType: Sendable {
    func beginBackgroundTask(withName name: String?, expirationHandler: (@Sendable () -> Void)?)
      -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: FKKit.FKBackgroundApplicationType {}

/// Firefox, firefox-ios: it only reads the state.
enum Firefox {
  protocol ApplicationStateProvider: Sendable {
    @MainActor var applicationState: UIApplication.State { get }
  }
}
extension UIApplication: Firefox.ApplicationStateProvider {}

/// Bitwarden's, bitwarden/ios, in its first form: only the state is on the main actor.
enum Bitwarden {
  protocol Application {
    @MainActor var applicationState: UIApplication.State { get }
    nonisolated func beginBackgroundTask(withName: String?, expirationHandler: (() -> Void)?)
      -> UIBackgroundTaskIdentifier
    nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension UIApplication: Bitwarden.Application {}

/// Pocket, pocket-ios, whose own extension of UIKit's class uses numbers.
enum Pocket {
  protocol BackgroundTaskManager {
    func beginTask(withName name: String?, expirationHandler: (() -> Void)?) -> Int
    func endTask(_ identifier: Int)
  }
}
extension UIApplication: Pocket.BackgroundTaskManager {
  func beginTask(withName name: String?, expirationHandler: (() -> Void)?) -> Int {
    beginBackgroundTask(withName: name, expirationHandler: expirationHandler).rawValue
  }

  func endTask(_ identifier: Int) {
    endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: identifier))
  }
}

/// My-Wallet-V3-iOS, whose own extension boxes the identifier.
enum Blockchain {
  struct BoxedIdentifier { let identifier: Any }

  protocol ApplicationBackgroundTaskAPI {
    func beginToolKitBackgroundTask(
      withName taskName: String?, expirationHandler handler: (() -> Void)?
    ) -> BoxedIdentifier
    func endToolKitBackgroundTask(_ identifier: BoxedIdentifier)
  }
}
extension UIApplication: Blockchain.ApplicationBackgroundTaskAPI {
  func beginToolKitBackgroundTask(
    withName taskName: String?, expirationHandler handler: (() -> Void)?
  ) -> Blockchain.BoxedIdentifier {
    Blockchain.BoxedIdentifier(
      identifier: beginBackgroundTask(withName: taskName, expirationHandler: handler))
  }

  func endToolKitBackgroundTask(_ identifier: Blockchain.BoxedIdentifier) {
    if let identifier = identifier.identifier as? UIBackgroundTaskIdentifier {
      endBackgroundTask(identifier)
    }
  }
}

/// Seams that require a class: the app's object takes UIKit's place.

/// ios-examples by thomsmed.
enum Examples {
  protocol Application: AnyObject {
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension AppObject: Examples.Application {}

/// Present, present-public.
enum Present {
  protocol BackgroundTaskManager: AnyObject {
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension AppObject: Present.BackgroundTaskManager {}

/// Two that are published without a library's name: on the main
/// actor, with a handler that is on it too, or is only `Sendable`.
enum Unnamed {
  @MainActor
  protocol BackgroundTaskVending: AnyObject {
    func beginBackgroundTask(
      withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }

  @MainActor
  protocol BackgroundTaskApplication: AnyObject {
    var applicationState: UIApplication.State { get }
    func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (@Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
  }
}
extension AppObject: Unnamed.BackgroundTaskVending, Unnamed.BackgroundTaskApplication {}
