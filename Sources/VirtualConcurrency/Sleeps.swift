/// The sleeping tasks in the order of their deadlines; among equal deadlines, in the order in which
/// they began to sleep.
struct Sleeps {
  struct Sleep {
    let deadline: Nanoseconds
    /// The job that runs at the deadline: the timer of a sleeping task, or a block.
    let entry: Scheduler.Entry
    /// The task that sleeps; nil for a block.
    let sleeper: TaskID?
    /// The number of times an owner had been held or dropped when the sleep began.
    let departures: Int
    /// The sleep's number, in the order in which sleeps began.
    fileprivate let number: UInt64

    fileprivate var key: Key { Key(deadline: deadline, number: number) }
  }

  fileprivate struct Key: Equatable {
    let deadline: Nanoseconds
    let number: UInt64

    func precedes(_ other: Key) -> Bool { (deadline, number) < (other.deadline, other.number) }
  }

  /// The sleeps; the next one to end is last.
  private var sleeps: [Sleep] = []
  private var sleepers: [TaskID: Key] = [:]
  private var count: UInt64 = 0

  var next: Nanoseconds? { sleeps.last?.deadline }

  /// - Complexity: O(log *n*) comparisons, where *n* is the number of sleeps, and moving the sleeps
  ///   that end sooner.
  mutating func insert(
    _ entry: Scheduler.Entry, of sleeper: TaskID?, until deadline: Nanoseconds,
    after departures: Int
  ) {
    count += 1
    let sleep = Sleep(
      deadline: deadline, entry: entry, sleeper: sleeper, departures: departures, number: count)
    sleeps.insert(sleep, at: place(of: sleep.key))
    if let sleeper { sleepers[sleeper] = sleep.key }
  }

  mutating func popDue(at instant: Nanoseconds) -> Sleep? {
    guard let next, next <= instant else { return nil }
    let sleep = sleeps.removeLast()
    if let sleeper = sleep.sleeper, sleepers[sleeper] == sleep.key { sleepers[sleeper] = nil }
    return sleep
  }

  /// Removes the sleep of a task that was woken in another way. - Complexity: The same as
  /// for `insert`.
  mutating func remove(_ sleeper: TaskID) -> Sleep? {
    sleepers.removeValue(forKey: sleeper).map { sleeps.remove(at: place(of: $0)) }
  }

  /// The index of the sleep with this key, or the index at which to insert it.
  private func place(of key: Key) -> Int {
    var (low, high) = (0, sleeps.count)
    while low < high {
      let middle = (low + high) / 2
      if key.precedes(sleeps[middle].key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
