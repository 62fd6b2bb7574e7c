/// Deliveries that wait for their processes. On a virtual clock the outbox holds the deliveries,
/// in the order in which they were caused. In real time each delivery waits in its process's own
/// inbox, and the outbox holds the processes that are to be passed to the executor.
///
/// Invariants: places before `first` are empty, and `taken` counts all empty places. On a virtual
/// clock no process is ready. In real time no delivery is in the outbox; a ready process
/// is scheduled and appears once.
struct Outbox {
  private let isRealTime: Bool
  private var line: [(process: AppProcess, delivery: Delivery)?] = []
  private var first = 0
  private var taken = 0
  private var ready: [AppProcess] = []

  init(isRealTime: Bool) { self.isRealTime = isRealTime }

  /// Whether nothing has been posted since `nextPlace` last found nothing.
  var isEmpty: Bool { first == line.count }
  var hasReady: Bool { !ready.isEmpty }
  /// The number of places, which determines the cost of `checkInvariants`.
  var count: Int { line.count + ready.count }

  mutating func post(_ delivery: Delivery, to process: AppProcess) {
    guard isRealTime else { return line.append((process, delivery)) }
    process.post(delivery)
    guard !process.isScheduled, !process.isHeldBack else { return }
    schedule(process, onLane: delivery.onlyCancels)
  }

  /// Lets the deliveries of a process begin that was held back.
  mutating func release(_ process: AppProcess) {
    process.isHeldBack = false
    guard isRealTime, process.hasNext else { return }
    schedule(process, onLane: process.nextOnlyCancels)
  }

  private mutating func schedule(_ process: AppProcess, onLane: Bool) {
    process.isScheduled = true
    process.startsOnLane = onLane
    ready.append(process)
  }

  /// The place of the first delivery whose process is not in a callback (rule A2) and not
  /// held back.
  mutating func nextPlace() -> Int? {
    while first < line.count, line[first] == nil { first += 1 }
    guard first < line.count else {
      line.removeAll(keepingCapacity: true)
      (first, taken) = (0, 0)
      return nil
    }
    // The first delivery may wait a long time, for a process that is in a callback.
    if taken > 64, taken > line.count / 2 {
      line.removeAll { $0 == nil }
      (first, taken) = (0, 0)
    }
    return line[first...].firstIndex { $0.map { $0.process.isReady } ?? false }
  }

  /// Whether the next call is an expiration handler of this process.
  mutating func isExpirationNext(of process: AppProcess) -> Bool {
    guard let place = nextPlace(), let next = line[place] else { return false }
    return next.process === process && next.delivery.handler != nil
  }

  /// - Precondition: `nextPlace` has just returned `place`.
  mutating func take(_ place: Int) -> (process: AppProcess, delivery: Delivery) {
    guard let next = line[place].take() else {
      preconditionFailure("Place \(place) of the outbox is empty")
    }
    taken += 1
    return next
  }

  /// Takes the processes to be passed to the executor.
  mutating func takeReady() -> [AppProcess] {
    guard !ready.isEmpty else { return [] }
    defer { ready.removeAll(keepingCapacity: true) }
    return ready
  }

  /// Takes everything, in order.
  mutating func takeAll() -> (
    deliveries: [(process: AppProcess, delivery: Delivery)], ready: [AppProcess]
  ) {
    defer { self = Outbox(isRealTime: isRealTime) }
    return (line[first...].compactMap(\.self), ready)
  }

  /// - Complexity: O(places).
  func checkInvariants() {
    precondition(
      first <= line.count && line[..<first].allSatisfy { $0 == nil }, "a delivery was passed over")
    let empty = line.count { $0 == nil }
    precondition(
      empty == taken, "\(taken) deliveries are counted as taken, but \(empty) places are empty")
    precondition(
      isRealTime ? line.isEmpty : ready.isEmpty, "a delivery waits in the wrong place")
    precondition(ready.allSatisfy(\.isScheduled), "a process is ready but not scheduled")
    precondition(
      Set(ready.map(ObjectIdentifier.init)).count == ready.count, "a process is ready twice")
  }
}
