/// The presence of an app after its run loop has taken every queued step.
///
/// Steps are queued and never skipped (rule A4), so the meaning of a gesture depends on
/// the presence after all queued steps, not on the current state: Home during a launch still gives
/// active, didBecomeActive, willResignActive.
enum Presence: UInt8 {
  case notRunning, active, interrupted, background, terminating
  /// The app has been removed (rule A12).
  case removed

  /// Whether the app is in the foreground after every queued step.
  var isInFront: Bool {
    switch self {
    case .active, .interrupted: true
    case .notRunning, .background, .terminating, .removed: false
    }
  }
}

/// An act of the user or the device on one app.
enum Gesture: UInt8, CaseIterable {
  /// The user opens the app, or unlocks the device and the app returns to the front.
  case bringToFront
  /// Home, lock, or another app.
  case sendAway
  case interrupt, acceptInterruption, ignoreInterruption
  /// The user quits the app in the app switcher.
  case forceQuit
  /// The device needs the memory (rule M1).
  case purge
}

/// The result of leaving the foreground.
enum Departure: UInt8 {
  case toBackground
  /// Without multitasking, or if the manifest opts out (rule A9).
  case toExit
}

/// A step of an app's life cycle, taken by its run loop.
enum LifecycleStep: UInt8 {
  case none
  /// inactive, willFinishLaunching, didFinishLaunching.
  case launch
  /// background, willFinishLaunching, didFinishLaunching.
  case launchInBackground
  /// active, didBecomeActive.
  case becomeActive
  /// willResignActive, inactive.
  case resignActive
  /// background, didEnterBackground.
  case enterBackground
  /// willEnterForeground, inactive.
  case enterForeground
  /// willTerminate, not running.
  case terminate
}

/// The steps that a gesture queues, in order, and the app's presence after them.
struct Plan: Equatable {
  var presence: Presence
  var first: LifecycleStep
  var second: LifecycleStep
  var third: LifecycleStep

  init(
    _ presence: Presence, _ first: LifecycleStep = .none, _ second: LifecycleStep = .none,
    _ third: LifecycleStep = .none
  ) {
    (self.presence, self.first, self.second, self.third) = (presence, first, second, third)
  }
}

extension Presence {
  /// The reason why an app with this presence cannot be brought to the front.
  func objection(toComingUnder isLocked: Bool) -> IllegalEventReason {
    switch self {
    case .removed: .removed
    case .terminating: .terminating
    case .notRunning, .active, .interrupted, .background: isLocked ? .locked : .inFront
    }
  }

  /// The plan of `gesture` for an app with this presence; nil if the gesture is illegal (rules
  /// A3–A5, A7, A9).
  func plan(for gesture: Gesture, _ departure: Departure) -> Plan? {
    switch (gesture, self, departure) {
    case (.bringToFront, .notRunning, _): Plan(.active, .launch, .becomeActive)
    case (.bringToFront, .background, _): Plan(.active, .enterForeground, .becomeActive)
    case (.bringToFront, .active, _), (.bringToFront, .interrupted, _),
      (.bringToFront, .terminating, _):
      nil

    case (.sendAway, .active, .toBackground): Plan(.background, .resignActive, .enterBackground)
    case (.sendAway, .active, .toExit): Plan(.terminating, .resignActive, .terminate)
    // The interruption has already made the app resign.
    case (.sendAway, .interrupted, .toBackground),
      (.acceptInterruption, .interrupted, .toBackground):
      Plan(.background, .enterBackground)
    case (.sendAway, .interrupted, .toExit), (.acceptInterruption, .interrupted, .toExit):
      Plan(.terminating, .terminate)
    case (.sendAway, .notRunning, _), (.sendAway, .background, _), (.sendAway, .terminating, _): nil

    case (.interrupt, .active, _): Plan(.interrupted, .resignActive)
    case (.ignoreInterruption, .interrupted, _): Plan(.active, .becomeActive)
    case (.interrupt, .notRunning, _), (.interrupt, .interrupted, _), (.interrupt, .background, _),
      (.interrupt, .terminating, _),
      (.acceptInterruption, .notRunning, _), (.acceptInterruption, .active, _),
      (.acceptInterruption, .background, _),
      (.acceptInterruption, .terminating, _),
      (.ignoreInterruption, .notRunning, _), (.ignoreInterruption, .active, _),
      (.ignoreInterruption, .background, _),
      (.ignoreInterruption, .terminating, _):
      nil

    case (.forceQuit, .active, .toBackground):
      Plan(.terminating, .resignActive, .enterBackground, .terminate)
    case (.forceQuit, .active, .toExit): Plan(.terminating, .resignActive, .terminate)
    case (.forceQuit, .interrupted, .toBackground): Plan(.terminating, .enterBackground, .terminate)
    case (.forceQuit, .interrupted, .toExit): Plan(.terminating, .terminate)
    case (.forceQuit, .background, _): Plan(.terminating, .terminate)
    case (.forceQuit, .notRunning, _): Plan(.notRunning)  // no process to end: only the flag is set
    case (.forceQuit, .terminating, _): nil

    case (.purge, .background, _): Plan(.terminating, .terminate)
    case (.purge, .notRunning, _), (.purge, .active, _), (.purge, .interrupted, _),
      (.purge, .terminating, _):
      nil
    case (_, .removed, _): nil
    }
  }
}
