internal import CVirtualTime
internal import Foundation

/// The number of a task, which no other task of the process ever has.
typealias TaskID = UInt64

/// What is captured, and what waits to run. One in the process: the runtime has one place to ask.
/// Under its lock, which any thread takes.
final class Scheduler: @unchecked Sendable {
  static let shared = Scheduler()

  struct Entry {
    let job: UnownedJob
    let lane: Lane
    let task: TaskID?
    /// Whose work it is; looked up where it runs, if it is an actor's turn.
    let owner: AnyObject?
  }

  let condition = NSCondition()
  var queue = Queue<Entry>()
  /// The captured body's own next job, where it had to wait while others ran.
  var body: Entry?
  var tasks: [TaskID: TaskRecord] = [:]
  /// Those of them that can be looked at, until they have been seen to be over.
  var visible: [TaskRecord] = []
  /// Tasks of others that were begun during the capture.
  private var foreign: Set<TaskID> = []
  /// The capture's own first task. Older ones are not its.
  private var first = TaskID.max
  var sleeps = Sleeps()
  /// The first task that sleeps on a thread whose clocks are real.
  var realSleeper: TaskID?
  var owners = Owners()
  var mainThread = MainThreadUse()
  /// How often an owner has been held or dropped.
  var departures = 0
  /// An unowned task that has slept past one of those.
  var overslept: UnownedWork?
  /// The task that a synchronous capture was begun in, which is not captured itself.
  var caller: TaskID?
  /// The owner in whose name the host calls.
  var scope: AnyObject?
  /// Counts what came from outside, and ends the wait for it.
  var arrivals = 0

  /// How many steps have been made: jobs that were taken, and instants that were gone to.
  var steps: UInt64 = 0
  /// How long everything that can run has done nothing but yield.
  var idling = Idling()
  /// In whose name the thread is called that drives virtual time, in lines.
  var whereabouts: () -> [String] = { [] }
  /// The task whose job runs, where it is a task's.
  var running: UnsafeRawPointer?

  /// Virtual time as the clocks read it.
  let now = UnsafeMutablePointer<Nanoseconds>.allocate(capacity: 1)

  private init() { now.initialize(to: 0) }

  // MARK: What the executors ask

  /// Whether a job is captured; then it is in the queue.
  static func takes(_ job: UnownedJob, _ lane: Lane) -> Bool {
    guard cvt_is_capturing() else { return false }
    return shared.takes(job, lane)
  }

  /// Whether a timer is captured; then it waits for virtual time.
  /// - Parameter delay: Asked for on the thread that wants to sleep, so that it reads that
  ///   thread's clock.
  static func takes(_ timer: UnownedJob, after delay: () -> Nanoseconds) -> Bool {
    guard cvt_is_capturing() else { return false }
    return shared.takes(timer, after: delay)
  }

  /// A task has been begun on a captured thread. It may have been enqueued already, and be known.
  static func began(_ task: UnsafeRawPointer) {
    guard cvt_is_capturing() else { return }
    shared.condition.lock()
    _ = shared.owns(task, cvt_task_id(task))
    shared.condition.unlock()
  }

  private func takes(_ job: UnownedJob, _ lane: Lane) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard cvt_is_capturing() else { return false }
    let object = job.object
    var task: TaskID?
    var isOurs = false
    var waiting = [object]
    if cvt_is_task(object) {
      task = cvt_task_id(object)
      isOurs = owns(object, task!)
    } else {
      waiting = waitingTasks(object)
      for waiting in waiting where owns(waiting, cvt_task_id(waiting)) { isOurs = true }
      if waiting.isEmpty { isOurs = isByUs }
    }
    guard isOurs else { return false }
    if let task, let stale = sleeps.remove(task) {
      // Something else has woken the sleeper: its timer has nothing left to do but to end.
      queue.append(Entry(job: stale.timer, lane: .global, task: nil, owner: nil))
    }
    queue.append(Entry(job: job, lane: lane, task: task, owner: owner(task)))
    if cvt_clock() == nil {
      arrivals += 1
      idling.ends()
      Escapes.shared.resumedCapturedTask()
    } else {
      idling.enqueued(object, of: waiting)
    }
    condition.broadcast()
    return true
  }

  private func takes(_ timer: UnownedJob, after delay: () -> Nanoseconds) -> Bool {
    condition.lock()
    let isOurs = cvt_is_capturing() && isByUs
    condition.unlock()
    guard isOurs else { return false }
    let span = delay()
    condition.lock()
    defer { condition.unlock() }
    let sleeper = cvt_current_task().map(cvt_task_id)
    let deadline = now.pointee.later(by: span)
    if realSleeper == nil, cvt_clock() == nil || isReal(deadline, of: sleeper) {
      realSleeper = sleeper
    }
    if let sleeper { tasks[sleeper]?.realClock = nil }
    idling.ends()
    sleeps.insert(timer, of: sleeper, until: deadline, after: departures)
    return true
  }

  /// Whether a task has made a deadline of the real clock: whether it is nearer to what the task
  /// has read of that than to now. The lock is held.
  private func isReal(_ deadline: Nanoseconds, of task: TaskID?) -> Bool {
    guard let read = task.flatMap({ tasks[$0]?.realClock }) else { return false }
    return abs(Double(deadline) - Double(read)) < abs(Double(deadline) - Double(now.pointee))
  }

  /// The current task has read a clock on a thread outside virtual time.
  func readRealClock(_ instant: Nanoseconds) {
    guard let task = cvt_current_task().map(cvt_task_id) else { return }
    condition.lock()
    tasks[task]?.realClock = instant
    condition.unlock()
  }

  /// Whether a task is captured.
  func isCaptured(_ task: UnsafeRawPointer?) -> Bool {
    guard let task else { return false }
    condition.lock()
    defer { condition.unlock() }
    return tasks[cvt_task_id(task)] != nil
  }

  // MARK: Whose a job is. The lock is held.

  /// Whether captured work is at it on this thread. A task of others may run here as well, on
  /// an actor that they share.
  private var isByUs: Bool {
    guard let current = cvt_current_task() else { return cvt_clock() != nil }
    let task = cvt_task_id(current)
    if tasks[task] != nil || task == caller { return true }
    // A task that was never enqueued is one that was begun at once, by `Task.immediate` or on
    // an actor that was at work.
    guard cvt_clock() != nil, task >= first, !foreign.contains(task) else { return false }
    record(current, task)
    return true
  }

  private func owns(_ object: UnsafeRawPointer, _ task: TaskID) -> Bool {
    if tasks[task] != nil { return true }
    if first == .max, cvt_clock() != nil {
      first = task
      record(object, task)
      return true
    }
    if task < first || foreign.contains(task) { return false }
    guard isByUs else {
      foreign.insert(task)
      return false
    }
    record(object, task)
    return true
  }

  private func record(_ object: UnsafeRawPointer, _ task: TaskID) {
    idling.ends()
    let parent = cvt_current_task().map(cvt_task_id)
    let owner = (cvt_clock() == nil ? nil : scope) ?? parent.flatMap { tasks[$0]?.owner }
    let record = TaskRecord(object, task, parent: parent, owner: owner)
    tasks[task] = record
    if !record.isChild { visible.append(record) }
    if tasks.count > 2 * survivors {
      let all = tasks
      tasks = all.filter { !whole($0.value, in: all).isOver }
      // An owner that ends with its last task may call anything: not under the lock.
      outdated += all.values
      survivors = max(tasks.count, 512)
    }
  }
  private var survivors = 512

  /// The task that this one is, or is a part of: a part ends before it, and cannot be looked at.
  private func whole(_ task: TaskRecord, in tasks: [TaskID: TaskRecord]) -> TaskRecord {
    var task = task
    while task.isChild, let parent = task.parent.flatMap({ tasks[$0] }) { task = parent }
    return task
  }

  /// To be let go of outside the lock.
  var outdated: [TaskRecord] = []

  /// Whether a task is the one that an asynchronous capture began with.
  func isBody(_ task: TaskRecord) -> Bool {
    caller == nil && task.id == first && task.parent.map { $0 < first } ?? false
  }

  func owner(_ task: TaskID?) -> AnyObject? { task.flatMap { tasks[$0]?.owner } }

  /// The tasks that wait for an actor whose turn the job is.
  func waitingTasks(_ job: UnsafeRawPointer) -> [UnsafeRawPointer] {
    var capacity = 64
    while true {
      let tasks = withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: capacity) {
        buffer in
        let count = cvt_waiting_tasks(job, buffer.baseAddress!, Int32(buffer.count))
        return (0..<Int(count)).map { buffer[$0]! }
      }
      if tasks.count < capacity { return tasks }
      capacity *= 4
    }
  }

  // MARK: Begin and end

  /// From here on a job is captured: first the next task that a captured thread begins, then what
  /// comes of it.
  func begin(at instant: Nanoseconds, whereabouts: @escaping () -> [String]) {
    condition.lock()
    self.whereabouts = whereabouts
    now.pointee = instant
    cvt_set_capturing(true)
    condition.unlock()
  }

  /// Changes, under the lock, what whoever waits for others is to look at.
  func interrupt(_ change: () -> Void) {
    condition.lock()
    change()
    arrivals += 1
    condition.broadcast()
    condition.unlock()
  }

  /// From here on everything runs as ever. What has not come to its end goes on so, if something
  /// outside resumes it; but what is dropped never does, and with a body that stalled nothing.
  func end(isStalled: Bool = false) {
    condition.lock()
    for task in tasks.values where isStalled || task.owner.map(owners.isDropped) == true {
      task.giveUp()
    }
    // An actor whose turn never came would stand still for all.
    let turns = queue.rest.filter { cvt_is_turn($0.job.object) } + owners.turns
    for turn in turns { giveUpTasks(in: turn) { !owners.admits($0) } }
    cvt_set_capturing(false)
    let rest = (queue, body, tasks, visible, sleeps, owners, outdated, mainThread)
    (queue, body, tasks, visible, foreign, first, sleeps, owners) = (
      Queue(), nil, [:], [], [], .max, Sleeps(), Owners()
    )
    (scope, caller, survivors, outdated, mainThread) = (nil, nil, 512, [], MainThreadUse())
    (departures, overslept, realSleeper, whereabouts) = (0, nil, nil, { [] })
    condition.unlock()
    for turn in turns { turn.job.enqueueElsewhere() }
    // What ends with these may call anything: not under the lock.
    withExtendedLifetime(rest) {}
  }

  /// Of the tasks that wait in an actor's turn those of certain owners never go on. The lock
  /// is held.
  func giveUpTasks(in turn: Entry, of isMeant: (AnyObject?) -> Bool) {
    for task in waitingTasks(turn.job.object) where isMeant(owner(cvt_task_id(task))) {
      cvt_give_up(task)
    }
  }
}
