/// Who sleeps and until when: in the order of deadlines, among equals in the order in which they went to sleep.
struct Sleeps {
  struct Sleep {
    let deadline: Nanoseconds
    let timer: UnownedJob
    /// The task that sleeps.
    let sleeper: TaskID?
  }

  /// The next one last.
  private var sleeps: [Sleep] = []
  private var sleepers: Set<TaskID> = []

  var next: Nanoseconds? { sleeps.last?.deadline }

  /// - Complexity: O(*n*) in the number of sleeps.
  mutating func insert(_ sleep: Sleep) {
    var (low, high) = (0, sleeps.count)
    while low < high {
      let middle = (low + high) / 2
      if sleeps[middle].deadline < sleep.deadline { high = middle } else { low = middle + 1 }
    }
    // Before those of the same deadline, which come off the end first.
    while low > 0, sleeps[low - 1].deadline == sleep.deadline { low -= 1 }
    sleeps.insert(sleep, at: low)
    if let sleeper = sleep.sleeper { sleepers.insert(sleeper) }
  }

  mutating func popDue(at instant: Nanoseconds) -> Sleep? {
    guard let next, next <= instant else { return nil }
    let sleep = sleeps.removeLast()
    if let sleeper = sleep.sleeper { sleepers.remove(sleeper) }
    return sleep
  }

  /// Takes out the sleep of a task that something else has woken.
  mutating func remove(_ sleeper: TaskID) -> Sleep? {
    guard sleepers.remove(sleeper) != nil, let index = sleeps.lastIndex(where: { $0.sleeper == sleeper }) else { return nil }
    return sleeps.remove(at: index)
  }
}
