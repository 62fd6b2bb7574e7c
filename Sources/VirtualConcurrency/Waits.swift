internal import CVirtualTime
internal import Foundation

/// The waits of threads that have left their turns. Guarded by the scheduler's lock.
///
/// Waits for one object are asked in the order in which they began, up to the first that is not
/// over. Waits that only a limit ends are not asked. So the cost of a job depends on the number of
/// objects that threads wait for, and not on the number of threads.
struct Waits {
  /// The waits that end in their order: all waits for one object, or a wait for something else.
  enum Line: Hashable {
    case object(UnsafeRawPointer)
    case wait(ObjectIdentifier)
  }

  private var members: [Line: [Wait]] = [:]
  /// The lines with waits to be asked, in the order in which they were formed.
  private(set) var lines: [Line] = []
  /// The waits that have limits, the next limit first.
  private var limited: [Wait] = []
  private var begun: UInt64 = 0
  /// Whether the owner of a wait that must return has been dropped.
  var haveDead = false

  /// The number of times that a wait was asked, for tests.
  var asked = 0

  var isEmpty: Bool { members.isEmpty }

  /// All waits, in the order in which they began.
  /// - Complexity: O(*n* log *n*).
  var all: [Wait] { members.values.flatMap(\.self).sorted { $0.number < $1.number } }

  /// The next limit of a wait after `now`.
  func nextLimit(after now: Nanoseconds) -> Nanoseconds? {
    limited.first { $0.limit > now }?.limit
  }

  func hasWaits(for object: UnsafeRawPointer) -> Bool { members[.object(object)] != nil }

  /// The first wait of a line that matches.
  func first(in line: Line, where isMeant: (Wait) -> Bool) -> Wait? {
    members[line]?.first(where: isMeant)
  }

  /// The waits whose limits have been reached.
  func due(at now: Nanoseconds) -> ArraySlice<Wait> { limited.prefix { $0.limit <= now } }

  /// Notes that the event of all waits for an object has occurred.
  func noteEvent(of object: UnsafeRawPointer) {
    for wait in members[.object(object)] ?? [] { wait.hasOccurred = true }
  }

  mutating func add(_ wait: Wait) {
    begun += 1
    wait.number = begun
    if wait.isOver != nil, members[wait.line] == nil { lines.append(wait.line) }
    members[wait.line, default: []].append(wait)
    if wait.limit != .max { limited.insert(wait, at: placeOfLimit(of: wait)) }
  }

  mutating func remove(_ wait: Wait) {
    let line = wait.line
    guard let place = members[line]?.firstIndex(where: { $0 === wait }) else { return }
    members[line]!.remove(at: place)
    if members[line]!.isEmpty {
      members[line] = nil
      if wait.isOver != nil { lines.removeAll { $0 == line } }
    }
    if wait.limit != .max { limited.remove(at: placeOfLimit(of: wait)) }
  }

  mutating func remove(where isMeant: (Wait) -> Bool) {
    for wait in all where isMeant(wait) { remove(wait) }
  }

  /// The index of a wait with a limit, or the index at which to insert it.
  private func placeOfLimit(of wait: Wait) -> Int {
    var (low, high) = (0, limited.count)
    while low < high {
      let middle = (low + high) / 2
      let other = limited[middle]
      if (other.limit, other.number) < (wait.limit, wait.number) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

extension Scheduler {
  /// Enqueues the threads whose waits are over, or whose limits have been reached. The waits of
  /// owners that are held are left alone: they take no semaphore.
  func resumeWaits() {
    // Another thread must not ask at the same time: a semaphore is taken by the answer.
    guard cvt_clock() != nil else { return }
    condition.lock()
    guard !waits.isEmpty else { return condition.unlock() }
    var ready = takeDeadWaits()
    let lines = waits.lines
    condition.unlock()
    for line in lines { ready += takeReadyWaits(in: line) }
    condition.lock()
    let due = waits.due(at: now.pointee).filter(mayGoOn)
    for wait in due {
      waits.remove(wait)
      wait.end = .timedOut
    }
    goOn((ready + due).sorted { $0.number < $1.number })
    condition.unlock()
  }

  /// Enqueues the threads whose waits for an object are over.
  /// - Returns: Whether there was one.
  @discardableResult
  func resumeWaits(for object: UnsafeRawPointer) -> Bool {
    guard cvt_clock() != nil else { return false }
    let ready = takeReadyWaits(in: .object(object))
    guard !ready.isEmpty else { return false }
    condition.lock()
    goOn(ready)
    condition.unlock()
    return true
  }

  /// Enqueues the threads that wait for a group, if it is empty, and the blocks. It may be entered
  /// again at once.
  func groupLeft(_ group: UnsafeRawPointer) {
    notifyEmptyGroups()
    condition.lock()
    // While a thread waits for the group, the group exists.
    let isOver = waits.hasWaits(for: group) && cvt_is_group_empty(group)
    if isOver { waits.noteEvent(of: group) }
    condition.unlock()
    if isOver { resumeWaits(for: group) }
  }

  /// Takes the waits of a line that are over, up to the first that is not.
  private func takeReadyWaits(in line: Waits.Line) -> [Wait] {
    var ready: [Wait] = []
    while true {
      condition.lock()
      let wait = waits.first(in: line, where: mayGoOn)
      let hasOccurred = wait?.hasOccurred ?? false
      if wait != nil { waits.asked += 1 }
      condition.unlock()
      // Asked outside the lock, which an answer may need.
      guard let wait, hasOccurred || wait.isOver?() == true else { return ready }
      wait.end = .isOver
      condition.lock()
      waits.remove(wait)
      condition.unlock()
      ready.append(wait)
    }
  }

  /// Takes the waits of dead code that must return. The lock is held.
  private func takeDeadWaits() -> [Wait] {
    let isAbandoned = capture?.isAbandoned ?? false
    guard isAbandoned || waits.haveDead else { return [] }
    let dead = waits.all.filter { wait in
      wait.returnsIfDropped && (isAbandoned || wait.owner.map(owners.isDropped) == true)
    }
    for wait in dead {
      waits.remove(wait)
      (wait.end, wait.isDead) = (.isOver, true)
    }
    waits.haveDead = false
    return dead
  }

  private func mayGoOn(_ wait: Wait) -> Bool { wait.mustEnd || owners.admits(wait.owner) }

  /// The lock is held.
  private func goOn(_ ready: [Wait]) {
    guard !ready.isEmpty else { return }
    for wait in ready { queue.append(Entry(goingOn: wait)) }
    idling.ends()
  }
}
