import Foundation

/// The system's processes, as far as a program starts, signals and ends them. A test has a fake.
package protocol ProcessWorld: AnyObject {
  /// The time since the boot in nanoseconds, asleep or awake.
  var now: Int64 { get }

  /// Whether the path leads to a cgroup below another one, without symbolic links; nil if
  /// it leads nowhere.
  func isCgroup(_ path: String) -> Bool?
  /// Makes a cgroup below this process's own, and holds it until this process ends.
  /// - Returns: Its path.
  func makeCgroup(named name: String) throws(SystemError) -> String
  /// Whether the process that made the cgroup lives.
  func isHeld(_ cgroup: String) -> Bool
  /// Kills every process in the cgroup.
  /// - Returns: false if this user may not kill one of them.
  func killAll(in cgroup: String) -> Bool
  /// Whether the cgroup has a process that has not ended.
  func isPopulated(_ cgroup: String) -> Bool
  /// Removes the cgroup, and those that its processes have made below it.
  /// - Returns: Whether it is gone.
  func removeCgroup(_ cgroup: String) -> Bool

  /// Starts a command, in the cgroup if one is named. The command dies with this process.
  /// - Returns: The number of its process.
  func start(_ words: [[UInt8]], in cgroup: String?) throws(StartError) -> Int32
  /// Sends a signal to a command's process; has no effect if the process has ended.
  /// - Returns: false if this user may not send it.
  @discardableResult func send(_ signal: Int32, to process: Int32) -> Bool
  /// Whether this process has a child that has not been reaped. Every descendant hangs
  /// from a child.
  var hasChildren: Bool { get }
  /// Whether descendants can be found.
  var seesDescendants: Bool { get }
  /// Kills the processes that descend from this one, as far as they can be found. Some may have
  /// begun meanwhile.
  /// - Returns: false if this user may not kill one of them.
  func killDescendants() -> Bool
  /// The children that have ended since the last call, with the statuses of `waitpid`; at most
  /// `count`. If there are so many, more may have ended.
  func reap(atMost count: Int) -> [(process: Int32, status: Int32)]

  /// The signal that has stopped a command's process since the last call; nil for none.
  func takeStop(of process: Int32) -> Int32?
  /// Whether the session of this program has a terminal, whose shell may stop and continue it.
  var hasTerminal: Bool { get }
  /// Stops this program by a signal until it is continued. Has no effect if it has just been
  /// continued, or if no shell could continue it.
  func stop(by signal: Int32)
  /// Takes the terminal back from a process group of which nothing is left.
  func takeTerminalBack()

  /// Waits until a signal comes, a child ends or stops, or `now` is `instant`; without an instant,
  /// for ever.
  func next(until instant: Int64?) -> ProcessNews
  /// Gives this program precedence over others, if that is allowed.
  func runFirst()
}

/// The reason why a wait for processes has ended.
package enum ProcessNews: Equatable, Sendable {
  /// A signal came. The kernel sends one to every process in front of a terminal, as for Ctrl-C.
  case signal(Int32, isKernels: Bool)
  /// A child has ended, or was stopped.
  case childChanged
  /// This program was continued.
  case continued
  /// The instant has come.
  case time

  /// The signals by which a terminal stops programs.
  package static let stopping = [SIGTSTP, SIGTTIN, SIGTTOU]

  /// Whether this program alone got a signal. The terminal sends Ctrl-C, Ctrl-\ and Ctrl-Z to
  /// the command as well.
  package static func isForOne(_ signal: Int32, isKernels: Bool) -> Bool {
    !isKernels || !(stopping + [SIGINT, SIGQUIT]).contains(signal)
  }
}

extension ProcessWorld {
  /// Follows a signal that came while this program had no command to pass it on to: one of
  /// a terminal stops this program.
  /// - Returns: The signal if it is one that ends this program.
  package func ending(by news: ProcessNews) -> Int32? {
    guard case .signal(let number, _) = news else { return nil }
    guard ProcessNews.stopping.contains(number) else { return number }
    stop(by: number)
    return nil
  }

  /// Follows the signals that have come so far.
  /// - Returns: The first that ends this program.
  package func endingSoFar() -> Int32? {
    while true {
      let news = next(until: now)
      if let signal = ending(by: news) { return signal }
      if news == .time { return nil }
    }
  }
}

/// The failure to start a command.
package struct StartError: Error, Equatable, Sendable {
  /// The error number, as in `errno`.
  package let code: Int32
  /// Whether the process existed and could not execute the command.
  package let isOfCommand: Bool

  package init(code: Int32, isOfCommand: Bool) {
    (self.code, self.isOfCommand) = (code, isOfCommand)
  }
}

/// The part of a tree that is left after its end.
package enum TreeRest: Equatable, Sendable {
  case nothing
  /// Processes that have not ended, or a cgroup that cannot be removed.
  case remains
  /// Processes that this user may not kill.
  case forbidden
}

/// A command's process, and everything that descends from it.
package struct ProcessTree {
  private let world: any ProcessWorld
  /// The cgroup that holds the tree; nil if there is none.
  package let cgroup: String?

  package init(in cgroup: String?, of world: any ProcessWorld) {
    (self.cgroup, self.world) = (cgroup, world)
  }

  /// The longest wait for processes that have been killed: one may be in a system call that
  /// cannot be interrupted.
  package static let patience: Int64 = 10_000_000_000
  /// The longest wait for processes that may not be killed: one may be about to end.
  package static let forbiddenPatience: Int64 = 1_000_000_000
  /// The pause between two looks, unless a child ends.
  private static let pause: Int64 = 1_000_000
  /// The most children that are reaped between two looks at the time. Thousands may end at once.
  package static let reapedAtOnce = 64

  /// Kills every process of the tree, waits until all have ended, and removes the cgroup. Processes
  /// that have left the cgroup are killed too, if they descend from this process.
  ///
  /// - Parameters:
  ///   - hear: Gets each signal meanwhile that ends this program.
  ///   - note: Gets the children that have ended, with their statuses.
  package func end(hearing hear: (Int32) -> Void = { _ in }, _ note: (Int32, Int32) -> Void)
    -> TreeRest
  {
    let start = world.now
    while true {
      let mayKillMembers = cgroup.map(world.killAll) ?? true
      let mayKill = world.killDescendants() && mayKillMembers
      let patience = mayKill ? ProcessTree.patience : ProcessTree.forbiddenPatience
      // A look at all processes between two batches would take longer than the batches.
      var isMore = true
      while isMore, world.now < start + patience {
        let ended = world.reap(atMost: ProcessTree.reapedAtOnce)
        for (process, status) in ended { note(process, status) }
        isMore = ended.count == ProcessTree.reapedAtOnce
      }
      // A child that has left the cgroup does not keep it.
      let isRemoved = cgroup.map(world.removeCgroup) ?? true
      if isRemoved, !world.hasChildren { return .nothing }
      guard world.now < start + patience else { return mayKill ? .remains : .forbidden }
      let news = world.next(until: world.now + ProcessTree.pause)
      if let signal = world.ending(by: news) { hear(signal) }
    }
  }
}
