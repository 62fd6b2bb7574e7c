import Foundation

/// The process groups of living children; 0 for a free place. A signal handler reads them, so they
/// are in memory that is never moved.
private nonisolated(unsafe) let groups: UnsafeMutablePointer<pid_t> = {
  let places = UnsafeMutablePointer<pid_t>.allocate(capacity: ChildGroups.capacity)
  places.initialize(repeating: 0, count: ChildGroups.capacity)
  return places
}()

/// 1 after the first child. A signal handler must not be the first to use `groups`, whose
/// initialization takes a lock.
private nonisolated(unsafe) var hasGroups: sig_atomic_t = 0

/// The process groups of children. A signal that ends this process does not reach them, because
/// each child leads a group of its own.
enum ChildGroups {
  /// The number of children that are ended by a signal; benchmarks have one at a time.
  fileprivate static let capacity = 16
  private static let lock = NSLock()
  /// Started with the first child.
  private static let childGuard = ChildGuard()

  /// Adds the group of a child that was started. From the first one on, signals of a terminal that
  /// ends also end the children, unless this process ignores them.
  static func add(_ group: pid_t) {
    lock.withLock {
      if hasGroups == 0 {
        groups[0] = 0
        hasGroups = 1
        for number in [SIGHUP, SIGQUIT] {
          let previous = signal(number) { ChildGroups.end(with: $0) }
          if previous.map({ unsafeBitCast($0, to: Int.self) })
            == unsafeBitCast(SIG_IGN, to: Int.self)
          {
            signal(number, SIG_IGN)
          }
        }
      }
      if let place = (0..<capacity).first(where: { groups[$0] == 0 }) { groups[place] = group }
      childGuard?.add(group)
    }
  }

  /// Removes a group before its leader is waited for, after which its number may be used again.
  static func remove(_ group: pid_t) {
    lock.withLock {
      for place in 0..<capacity where groups[place] == group { groups[place] = 0 }
      childGuard?.remove(group)
    }
  }

  /// Ends all children and this process, as the signal would without a handler. Signal handlers
  /// call it.
  static func end(with number: Int32) {
    if hasGroups != 0 {
      for place in 0..<capacity where groups[place] > 0 { _ = kill(-groups[place], SIGKILL) }
    }
    signal(number, SIG_DFL)
    raise(number)
  }
}
