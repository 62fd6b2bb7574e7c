/// The five states of an app (rule A1).
public enum AppState: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// No process.
  case notRunning
  /// In the foreground without events: launching, interrupted, or about to enter or leave.
  case inactive
  /// In the foreground, with events.
  case active
  /// Running, but not in the foreground.
  case background
  /// Resident but frozen.
  case suspended
}

/// A row of the transition table, numbered as in the rules.
package enum Transition: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// T1 notRunning → inactive: launch into the foreground.
  case t1 = 1
  /// T2 notRunning → background: launch into the background.
  case t2
  /// T3 inactive → active: launch done, interruption ignored, return.
  case t3
  /// T4 active → inactive: interruption, Home, lock, another app.
  case t4
  /// T5 inactive → background: Home, lock, interruption accepted, another app.
  case t5
  /// T6 background → inactive: the user brings it to the front.
  case t6
  /// T7 background → suspended: no reason to run is left.
  case t7
  /// T8 suspended → background for an event. T9, the user's return, begins with the
  /// same transition.
  case t8
  /// T10 suspended → notRunning: purge, force quit, reboot.
  case t10 = 10
  /// T11 background → notRunning.
  case t11
  /// T12 inactive → notRunning.
  case t12
  /// T13 active → notRunning.
  case t13
}

extension AppState {
  /// The row of the transition table that leads from this state to `next`, or nil if the pair
  /// is illegal (rule A1, T1–T13).
  ///
  /// The table is total and has no `default`: a sixth state would not compile until each of its
  /// pairs is listed.
  @inline(__always)
  package func transition(to next: AppState) -> Transition? {
    switch (self, next) {
    case (.notRunning, .inactive): .t1
    case (.notRunning, .background): .t2
    case (.inactive, .active): .t3
    case (.active, .inactive): .t4
    case (.inactive, .background): .t5
    case (.background, .inactive): .t6
    case (.background, .suspended): .t7
    case (.suspended, .background): .t8
    case (.suspended, .notRunning): .t10
    case (.background, .notRunning): .t11
    case (.inactive, .notRunning): .t12
    case (.active, .notRunning): .t13
    case (.active, .background), (.background, .active),  // only through inactive
      (.active, .suspended), (.inactive, .suspended),  // only through background
      (.suspended, .inactive), (.suspended, .active),
      // A launch starts inactive or in the background.
      (.notRunning, .active), (.notRunning, .suspended),
      (.notRunning, .notRunning), (.inactive, .inactive), (.active, .active),
      (.background, .background),
      (.suspended, .suspended):
      nil
    }
  }
}
