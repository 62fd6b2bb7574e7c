import CurfewEngine

/// Where a replay is, but for its driver.
struct ReplayState {
  var coder: TraceCoder
  /// Which line is next.
  var position = 0
  var produced: [(line: TraceLine, delivers: AppID?)] = []
  var matched = 0
  /// The app that the step being taken has delivered something to, and that may be doing something inside it.
  var delivered: AppID?
  /// Apps with a callback of which only its limit tells whether it has returned.
  var limited: [AppID] = []

  /// Before the first line.
  init(coder: TraceCoder) { self.coder = coder }
}
