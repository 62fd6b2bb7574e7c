import CurfewEngine

/// `Documentation/states.md`, written from the engine's transition table. Pairs and numbers come
/// from the engine; causes and callbacks are texts of this file.
struct StatesPage {
  /// Two states, and the row that leads from one to the other; nil if none does.
  struct Pair {
    let from: AppState
    let to: AppState
    var row: Transition? { from.transition(to: to) }
  }

  static let pairs = AppState.allCases.flatMap { from in
    AppState.allCases.filter { $0 != from }.map { Pair(from: from, to: $0) }
  }

  /// The legal pairs, in the order of their numbers.
  static let legal = pairs.filter { $0.row != nil }.sorted { $0.row!.rawValue < $1.row!.rawValue }

  /// T9 has no pair of its own: the user's way from suspension to the front.
  static let wayBack: [AppState] = [.suspended, .background, .inactive, .active]

  static var text: String {
    ([
      head, table, "```mermaid\nstateDiagram-v2\n    [*] --> notRunning",
      legal.map(arrow).joined(separator: "\n"), "```\n", rowsHead,
      legal.flatMap(rows).joined(separator: "\n"), callbacks, obstacles, foot,
    ]).joined(separator: "\n")
  }

  private static let head = """
    <!-- Written by `CURFEW_WRITE_STATES=1 swift test --filter StatesPageTests` from the engine's transition table. -->

    # States and transitions

    An app is in one of five states (rule [A1](rules.md#a1)). The arrows below are the only changes
    of its state.

    """

  // MARK: States

  private static var table: String {
    let rows = AppState.allCases.map { "| `\($0)` | \(words(of: $0).joined(separator: " | ")) |" }
    return (["| state | process | runs code | gets events |", "|---|---|---|---|"] + rows + [""])
      .joined(separator: "\n")
  }

  private static func words(of state: AppState) -> [String] {
    switch state {
    case .notRunning: ["none", "–", "–"]
    case .inactive:
      ["in the foreground", "yes", "no: launching, interrupted, or on its way in or out"]
    case .active: ["in the foreground", "yes", "yes"]
    case .background: ["out of sight", "yes", "only those that its assertions are about"]
    case .suspended: ["resident, frozen", "no", "no"]
    }
  }

  // MARK: Transitions

  /// The texts of a row: the arrow's, the cause, and the callbacks in their order.
  struct Words {
    let arrow: String
    let trigger: String
    let callbacks: String
  }

  static func words(of row: Transition) -> Words {
    switch row {
    case .t1:
      Words(
        arrow: "launch", trigger: "the user launches the app",
        callbacks: "after the change: willFinishLaunching, didFinishLaunching")
    case .t2:
      Words(
        arrow: "wake", trigger: "a wake that may launch it",
        callbacks: "after the change: willFinishLaunching, didFinishLaunching, then the event")
    case .t3:
      Words(
        arrow: "launched, back, or call declined",
        trigger: "launch or return done; interruption ignored",
        callbacks: "after the change: didBecomeActive")
    case .t4:
      Words(
        arrow: "call, Home, lock, other app", trigger: "interruption, Home, lock, another app",
        callbacks: "before the change: willResignActive")
    case .t5:
      Words(
        arrow: "Home, lock, other app, call taken",
        trigger: "Home, lock, another app, interruption accepted, force quit",
        callbacks: "after the change: didEnterBackground")
    case .t6:
      Words(
        arrow: "the user returns", trigger: "the user brings it to the front, or unlocks",
        callbacks: "before the change: willEnterForeground; T3 follows")
    case .t7:
      Words(
        arrow: "nothing holds it",
        trigger: "run loop idle, and no active assertion for `suspendDelay`", callbacks: "none")
    case .t8:
      Words(arrow: "wake, T9 the user returns", trigger: "a wake", callbacks: "the event only")
    case .t10:
      Words(
        arrow: "purge, force quit, reboot, kill",
        trigger: "purge, its own memory limit, force quit, reboot, a kill from outside",
        callbacks: "none")
    case .t11:
      Words(
        arrow: "overrun, purge, locked file, force quit, reboot, crash",
        trigger:
          "a grant or wake overrun, purge, a locked file, the share of the processor, too many tasks, its own memory limit, "
          + "watchdog, force quit, reboot, crash",
        callbacks: "willTerminate on a purge or a force quit, else none")
    case .t12:
      Words(
        arrow: "opted out, watchdog, reboot, crash",
        trigger:
          "opted out (or a policy without multitasking) and sent away or force quit; too many tasks, its own memory limit, "
          + "watchdog, reboot, crash",
        callbacks: "willTerminate in the first case, else none")
    case .t13:
      Words(
        arrow: "memory limit, reboot, crash",
        trigger: "too many tasks, its own memory limit, reboot, crash", callbacks: "none")
    }
  }

  private static func arrow(_ pair: Pair) -> String {
    "    \(pair.from) --> \(pair.to): T\(pair.row!.rawValue) \(words(of: pair.row!).arrow)"
  }

  private static let rowsHead = """
    The triggers are examples; the pairs are complete. Callbacks are listed in the order in which they
    are delivered. Each row has [scenarios](rules.md#t1t13).

    | | from → to | what leads there | callbacks |
    |---|---|---|---|
    """

  private static func rows(_ pair: Pair) -> [String] {
    let words = words(of: pair.row!)
    let row =
      "| T\(pair.row!.rawValue) | \(pair.from) → \(pair.to) | \(words.trigger) | \(words.callbacks) |"
    guard pair.row == .t8 else { return [row] }
    let numbers = zip(wayBack, wayBack.dropFirst()).map {
      "T\($0.transition(to: $1)?.rawValue ?? 0)"
    }
    let way = wayBack.map { "\($0)" }.joined(separator: " → ")
    let callbacks =
      "willEnterForeground, didBecomeActive: the pairs of \(numbers.joined(separator: ", "))"
    return [row, "| T9 | \(way) | the user brings it to the front, or unlocks | \(callbacks) |"]
  }

  // MARK: The rest

  private static let callbacks = """

    ## When a callback comes

    A `will…` callback is delivered first and the state changes when it has returned. A `did…` callback
    is delivered when the state has changed. Launching is the exception: the process starts in its
    state, and both launch callbacks find it there.

    An app's callbacks are serial, as on a main run loop (rule [A2](rules.md#a2)). A slow callback
    delays every later callback of its app, and nothing else: neither the clock of its tasks nor
    another app.

    A place in the foreground is given to another app at the instant of the step (rule
    [A4](rules.md#a4)). If two apps are launched one after the other, the second is in front at once,
    and the states of both follow when their run loops reach the step. No step is skipped: an app
    that is sent to the background while it launches still becomes active before it resigns.

    """

  /// Why no row leads from one state to another; nil if one does.
  static func obstacle(_ pair: Pair) -> String? {
    switch (pair.from, pair.to) {
    case (.active, .background), (.background, .active):
      "`active` is entered and left through `inactive` only"
    case (.active, .suspended), (.inactive, .suspended): "only the background is frozen"
    case (.suspended, .inactive), (.suspended, .active):
      "a frozen app thaws in the background first, if only for an instant"
    case (.notRunning, .active), (.notRunning, .suspended):
      "a process starts inactive or in the background"
    default: nil
    }
  }

  private static var obstacles: String {
    let rows = pairs.filter { $0.row == nil }.map {
      "| \($0.from) → \($0.to) | \(obstacle($0) ?? "") |"
    }
    return
      (["## Missing transitions, and why", "", "| pair | why not |", "|---|---|"] + rows + [""])
      .joined(separator: "\n")
  }

  private static let foot = """
    `AppState.transition(to:)` in the engine is this table as a total function: it returns nil for
    a pair without a transition.

    """
}
