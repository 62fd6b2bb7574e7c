/// Where an app will be once its run loop has come to every step that is queued for it.
///
/// Steps queue and none is skipped (rule A4), so what a gesture means depends on where the app
/// is headed, not on the state it happens to be in: Home during a launch still gives active,
/// didBecomeActive, willResignActive.
enum Presence: UInt8 {
  case notRunning, active, interrupted, background, terminating
  /// There is no such app any more (rule A12).
  case removed

  /// Whether the app is in the foreground, or on its way there with nothing to lead it away again.
  var isInFront: Bool {
    switch self {
    case .active, .interrupted: true
    case .notRunning, .background, .terminating, .removed: false
    }
  }
}

/// What the user or the device does to one app.
enum Gesture: UInt8, CaseIterable {
  /// The user opens it, or unlocks onto it.
  case bringToFront
  /// Home, lock, or another app.
  case sendAway
  case interrupt, acceptInterruption, ignoreInterruption
  /// The app switcher's kill.
  case forceQuit
  /// The device needs the memory (rule M1).
  case purge
}

/// What leaving the foreground leads to.
enum Departure: UInt8 {
  case toBackground
  /// Without multitasking, or where the manifest opts out (rule A9).
  case toExit
}

/// One thing that an app's run loop does about its place in the world.
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

/// The steps that a gesture queues, in order, and where the app is headed afterwards.
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
  /// Why an app that is headed here cannot be brought to the front.
  func objection(toComingUnder isLocked: Bool) -> Objection {
    switch self {
    case .removed: .removed
    case .terminating: .terminating
    case .notRunning, .active, .interrupted, .background: isLocked ? .locked : .inFront
    }
  }

  /// What `gesture` means for an app that is headed here; nil where it makes no sense (rules A3–A5,
  /// A7, A9).
  func plan(for gesture: Gesture, _ departure: Departure) -> Plan? {
    switch (gesture, self, departure) {
    case (.bringToFront, .notRunning, _): Plan(.active, .launch, .becomeActive)
    case (.bringToFront, .background, _): Plan(.active, .enterForeground, .becomeActive)
    case (.bringToFront, .active, _), (.bringToFront, .interrupted, _),
      (.bringToFront, .terminating, _):
      nil

    case (.sendAway, .active, .toBackground): Plan(.background, .resignActive, .enterBackground)
    case (.sendAway, .active, .toExit): Plan(.terminating, .resignActive, .terminate)
    // An interruption has already told the app that it resigns.
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
    case (.forceQuit, .notRunning, _): Plan(.notRunning)  // nothing to end; the flag is all
    case (.forceQuit, .terminating, _): nil

    case (.purge, .background, _): Plan(.terminating, .terminate)
    case (.purge, .notRunning, _), (.purge, .active, _), (.purge, .interrupted, _),
      (.purge, .terminating, _):
      nil
    case (_, .removed, _): nil
    }
  }
}
