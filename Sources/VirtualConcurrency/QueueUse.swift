internal import CVirtualTime

/// A `sync` that waits for its queue. It has its place among the blocks that wait.
final class QueueClaim {
  let queue: UnsafeRawPointer
  let isBarrier: Bool
  fileprivate let thread = cvt_this_thread()
  let owner: AnyObject?
  /// Whether libdispatch is able to give the queue to the thread; nil until the claim succeeds.
  fileprivate(set) var isFree: Bool?

  init(_ queue: UnsafeRawPointer, isBarrier: Bool, by owner: AnyObject?) {
    (self.queue, self.isBarrier, self.owner) = (queue, isBarrier, owner)
  }
}

/// The queues whose blocks have begun and not returned, and the blocks that come after them.
/// Captured work runs on one thread, but a block may call code that runs other work, or wait.
/// Guarded by the scheduler's lock.
struct QueueUse {
  /// A use of a queue by one block or one `sync`.
  private struct Kind: Hashable {
    let queue: UnsafeRawPointer, isBarrier: Bool

    func excludes(_ other: Kind) -> Bool {
      cvt_exclude_each_other(queue, isBarrier, other.queue, other.isBarrier)
    }

    /// Whether it may begin beside uses of other threads, and after earlier ones that wait.
    func mayBegin(during uses: [Use], after earlier: some Collection<Kind>) -> Bool {
      !cvt_is_suspended(queue) && !uses.contains { $0.kind.excludes(self) }
        && !earlier.contains { $0.excludes(self) && !cvt_is_suspended($0.queue) }
    }
  }

  private struct Use {
    let kind: Kind
    /// The thread that has begun the block or the `sync`.
    let thread: UnsafeMutableRawPointer?
    /// The owner whose code holds the queue.
    let owner: AnyObject?
  }

  private enum Waiting {
    case block(Scheduler.Entry, Block)
    case sync(QueueClaim)

    var kind: Kind {
      switch self {
      case .block(_, let block): Kind(queue: block.queue, isBarrier: block.isBarrier)
      case .sync(let claim): Kind(queue: claim.queue, isBarrier: claim.isBarrier)
      }
    }
    var owner: AnyObject? {
      switch self {
      case .block(let entry, _): entry.owner
      case .sync(let claim): claim.owner
      }
    }
    func isOf(_ claim: QueueClaim) -> Bool {
      if case .sync(let own) = self { own === claim } else { false }
    }
    var entry: Scheduler.Entry? { if case .block(let entry, _) = self { entry } else { nil } }
  }

  /// The queues in use, in the order in which their uses began.
  private var uses: [Use] = []
  /// The uses whose threads never go on, or go on in real time. libdispatch does not release the
  /// queue meanwhile: later blocks run without it. The queue is retained, so that no other queue
  /// gets its address.
  private var lost: [Use] = []
  private var waiting = Queue<Waiting>()
  /// The numbers of waiting blocks and claims.
  private var kinds: [Kind: Int] = [:]
  /// Whether something has changed since no waiting block was able to run.
  private var hasNews = false
  /// Blocks that wait for a group, in order.
  private(set) var notifications: [(group: UnsafeRawPointer, entry: Scheduler.Entry)] = []

  // MARK: Uses

  /// - Returns: Whether libdispatch is able to give the queue to this thread.
  mutating func begin(
    _ queue: UnsafeRawPointer, isBarrier: Bool, by owner: @autoclosure () -> AnyObject?
  ) -> Bool {
    begin(
      Use(
        kind: Kind(queue: queue, isBarrier: isBarrier), thread: cvt_this_thread(), owner: owner()))
  }

  private mutating func begin(_ use: Use) -> Bool {
    defer { uses.append(use) }
    return !(uses + lost).contains { $0.thread != use.thread && $0.kind.excludes(use.kind) }
  }

  mutating func end(_ queue: UnsafeRawPointer) { end(queue, by: cvt_this_thread()) }

  private mutating func end(_ queue: UnsafeRawPointer, by thread: UnsafeMutableRawPointer?) {
    hasNews = true
    let isMeant = { (use: Use) in use.kind.queue == queue && use.thread == thread }
    if let place = uses.lastIndex(where: isMeant) {
      uses.remove(at: place)
    } else if let place = lost.lastIndex(where: isMeant) {
      lost.remove(at: place)
      cvt_release_dispatch_object(queue)
    }
  }

  /// Notes that the code of an owner never goes on, unless it runs now and ends its uses.
  mutating func lose(usesOf owner: AnyObject) { lose { $0.owner === owner } }

  private mutating func lose(where isMeant: (Use) -> Bool) {
    hasNews = true
    for use in uses where isMeant(use) {
      cvt_retain_dispatch_object(use.kind.queue)
      lost.append(Use(kind: use.kind, thread: use.thread, owner: nil))
    }
    uses.removeAll(where: isMeant)
  }

  /// The uses that are left when a capture ends, for the next capture, which must not wait for
  /// them: the threads never go on, or go on in real time.
  var left: QueueUse {
    var left = QueueUse()
    (left.uses, left.lost) = (uses, lost)
    left.lose { _ in true }
    return left
  }

  // MARK: Claims

  /// Adds a claim behind the blocks that wait.
  mutating func add(_ claim: QueueClaim) {
    append(.sync(claim))
    hasNews = true
  }

  /// Begins the use of a claim if its queue is free and no earlier block waits for it.
  /// - Returns: Whether the claim has succeeded, now or before.
  mutating func begin(_ claim: QueueClaim) -> Bool {
    if claim.isFree != nil { return true }
    let kind = Kind(queue: claim.queue, isBarrier: claim.isBarrier)
    guard !cvt_is_suspended(claim.queue),
      !uses.contains(where: { $0.thread != claim.thread && $0.kind.excludes(kind) })
    else { return false }
    var isFirst = true
    let found = waiting.firstMatch { waiting in
      if waiting.isOf(claim) { return true }
      if waiting.kind.excludes(kind), !cvt_is_suspended(waiting.kind.queue) { isFirst = false }
      return !isFirst
    }
    guard isFirst, found != nil else { return false }
    remove { $0.isOf(claim) }
    claim.isFree = begin(Use(kind: kind, thread: claim.thread, owner: claim.owner))
    return true
  }

  /// Withdraws a claim whose thread does not go on.
  mutating func withdraw(_ claim: QueueClaim) {
    if claim.isFree == nil { remove { $0.isOf(claim) } } else { end(claim.queue, by: claim.thread) }
  }

  // MARK: Blocks that wait

  /// Whether a block may run now. It does not overtake a block that waits.
  func admits(_ entry: Scheduler.Entry) -> Bool {
    guard let block = entry.block else { return true }
    return Kind(queue: block.queue, isBarrier: block.isBarrier).mayBegin(
      during: uses, after: kinds.keys)
  }

  mutating func keep(_ entry: Scheduler.Entry) {
    guard let block = entry.block else { return }
    append(.block(entry, block))
  }

  private mutating func append(_ waiting: Waiting) {
    self.waiting.append(waiting)
    kinds[waiting.kind, default: 0] += 1
  }

  @discardableResult
  private mutating func remove(where isMeant: (Waiting) -> Bool) -> Waiting? {
    guard let found = waiting.removeFirst(where: isMeant) else { return nil }
    forget(found.kind)
    return found
  }

  private mutating func forget(_ kind: Kind) {
    hasNews = true
    let count = kinds[kind]! - 1
    kinds[kind] = count == 0 ? nil : count
  }

  /// Notes that blocks which wait may be able to run.
  mutating func changes() { hasNews = true }

  /// Takes the first waiting block that may run now.
  mutating func take(where mayRun: (Scheduler.Entry) -> Bool) -> Scheduler.Entry? {
    guard hasNews else { return nil }
    let entry = takeOutOfTurn(where: mayRun)
    if entry == nil { hasNews = false }
    return entry
  }

  /// Takes the first waiting block that matches and may run now.
  /// - Complexity: O(*n*) in the number of blocks that wait before it.
  mutating func takeOutOfTurn(where isMeant: (Scheduler.Entry) -> Bool) -> Scheduler.Entry? {
    guard !waiting.isEmpty else { return nil }
    var earlier: Set<Kind> = []
    let uses = uses
    return remove { waiting in
      let kind = waiting.kind
      if let entry = waiting.entry, isMeant(entry), kind.mayBegin(during: uses, after: earlier) {
        return true
      }
      earlier.insert(kind)
      return false
    }?.entry
  }

  /// The blocks that must end before a claim begins: of a concurrent queue, only its barriers and
  /// the blocks before them.
  /// - Parameter entries: Further jobs of blocks, which come after those that wait.
  func blocks(before claim: QueueClaim, alsoAmong entries: [Scheduler.Entry])
    -> Set<ObjectIdentifier>
  {
    var kinds: Set = [Kind(queue: claim.queue, isBarrier: claim.isBarrier)]
    var blocks: Set<ObjectIdentifier> = []
    let all = waiting.rest + entries.compactMap { entry in entry.block.map { .block(entry, $0) } }
    for waiting in all.reversed() {
      let kind = waiting.kind
      guard kinds.contains(where: kind.excludes) else { continue }
      kinds.insert(kind)
      if case .block(_, let block) = waiting { blocks.insert(ObjectIdentifier(block)) }
    }
    return blocks
  }

  /// Takes the blocks and the claims of an owner that wait, in order.
  mutating func take(of owner: AnyObject) -> [Scheduler.Entry] {
    let taken = waiting.removeAll { $0.owner === owner }
    for waiting in taken { forget(waiting.kind) }
    return taken.map { waiting in
      switch waiting {
      case .block(let entry, _): entry
      case .sync(let claim): Scheduler.Entry(claiming: claim)
      }
    }
  }

  // MARK: Groups

  mutating func keep(_ entry: Scheduler.Entry, untilEmpty group: UnsafeRawPointer) {
    cvt_retain_dispatch_object(group)
    notifications.append((group, entry))
  }

  /// Takes the blocks whose groups are empty, in the order in which they were enqueued.
  mutating func takeNotifications() -> [(group: UnsafeRawPointer, entry: Scheduler.Entry)] {
    // Each group is asked once, because other threads enter and leave it meanwhile.
    let found = notifications.map { ($0, isReady: cvt_is_group_empty($0.group)) }
    guard found.contains(where: \.isReady) else { return [] }
    notifications = found.filter { !$0.isReady }.map(\.0)
    return found.filter(\.isReady).map(\.0)
  }
}
