/// Who sleeps and until when: in the order of deadlines, among equals in the order in which they
/// went to sleep.
struct Sleeps {
  struct Sleep {
    let deadline: Nanoseconds
    let timer: UnownedJob
    /// The task that sleeps.
    let sleeper: TaskID?
    /// How many owners had been held or dropped when it began.
    let departures: Int
    /// The first that went to sleep has the lowest.
    fileprivate let number: UInt64

    fileprivate var key: Key { Key(deadline: deadline, number: number) }
  }

  fileprivate struct Key: Equatable {
    let deadline: Nanoseconds
    let number: UInt64

    func precedes(_ other: Key) -> Bool { (deadline, number) < (other.deadline, other.number) }
  }

  /// The next one last.
  private var sleeps: [Sleep] = []
  private var sleepers: [TaskID: Key] = [:]
  private var count: UInt64 = 0

  var next: Nanoseconds? { sleeps.last?.deadline }

  /// - Complexity: O(log *n*) comparisons in the number of sleeps, and one move of those that
  ///   end sooner.
  mutating func insert(
    _ timer: UnownedJob, of sleeper: TaskID?, until deadline: Nanoseconds, after departures: Int
  ) {
    count += 1
    let sleep = Sleep(
      deadline: deadline, timer: timer, sleeper: sleeper, departures: departures, number: count)
    sleeps.insert(sleep, at: place(of: sleep.key))
    if let sleeper { sleepers[sleeper] = sleep.key }
  }

  mutating func popDue(at instant: Nanoseconds) -> Sleep? {
    guard let next, next <= instant else { return nil }
    let sleep = sleeps.removeLast()
    if let sleeper = sleep.sleeper, sleepers[sleeper] == sleep.key { sleepers[sleeper] = nil }
    return sleep
  }

  /// Takes out the sleep of a task that something else has woken.
  /// - Complexity: As `insert`.
  mutating func remove(_ sleeper: TaskID) -> Sleep? {
    sleepers.removeValue(forKey: sleeper).map { sleeps.remove(at: place(of: $0)) }
  }

  /// Where that one is, or belongs.
  private func place(of key: Key) -> Int {
    var (low, high) = (0, sleeps.count)
    while low < high {
      let middle = (low + high) / 2
      if key.precedes(sleeps[middle].key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
