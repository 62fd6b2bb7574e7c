internal import CVirtualTime
internal import Foundation

/// The number of a task; unique in the process.
typealias TaskID = UInt64

/// The captured tasks, and the jobs that wait to run. There is one scheduler per process, because
/// the runtime's hooks are global. Its lock, which any thread may take, guards all properties.
final class Scheduler: @unchecked Sendable {
  static let shared = Scheduler()

  struct Entry {
    /// Nil if a thread goes on after a wait, and for a call and a claim.
    let job: UnownedJob?
    let lane: VirtualLane
    let task: TaskID?
    /// The owner of the work. For an actor's turn, the owner is looked up when the turn runs.
    let owner: AnyObject?
    /// The block that the task runs.
    var block: Block?
    /// The wait after which a thread goes on.
    var wait: Wait?
    /// The `sync` to the main thread, if that is the job.
    var call: MainCall?
    /// The `sync` of an owner that was held; it goes back to its place among the blocks that wait.
    var claim: QueueClaim?

    init(
      job: UnownedJob, lane: VirtualLane, task: TaskID?, owner: AnyObject?
    ) {
      (self.job, self.lane, self.task, self.owner) = (job, lane, task, owner)
    }

    init(goingOn wait: Wait) {
      // The thread has its queue: its block is none that waits for a turn.
      (job, lane, task, owner) = (
        nil, wait.isOnMainThread ? .main : .global, nil,
        wait.mustEnd ? nil : wait.owner
      )
      self.wait = wait
    }

    init(claiming claim: QueueClaim) {
      (job, lane, task, owner, self.claim) = (nil, .global, nil, claim.owner, claim)
    }

    init(calling call: MainCall) {
      (job, lane, task, owner, self.call) = (nil, .main, nil, call.owner, call)
    }

    /// Whether the job is an actor's turn.
    var isActorTurn: Bool { task == nil && job.map { cvt_is_turn($0.object) } ?? false }
  }

  let condition = NSCondition()
  var queue = Queue<Entry>()
  /// The captured body's own next job, if it had to wait for other jobs.
  var body: Entry?
  var tasks: [TaskID: TaskRecord] = [:]
  /// The captured tasks whose objects can be read; removed when they are known to be over.
  var visible: [TaskRecord] = []
  /// Uncaptured tasks that were begun during the capture.
  private var foreign: Set<TaskID> = []
  /// The number of the capture's own first task. Tasks with lower numbers are not captured.
  private var first = TaskID.max
  var sleeps = Sleeps()
  /// The first task that sleeps on a thread whose clocks are real.
  var realSleeper: TaskID?
  var owners = Owners()
  var mainThread = MainThreadUse()
  var queueUse = QueueUse()
  var waits = Waits()
  /// The waits of threads that nobody has called, innermost last.
  var waitsInPlace: [(owner: AnyObject?, thread: BlockedThread)] = []
  /// The block whose task is about to be created.
  var prepared: Block?
  private(set) var capture: Capture?
  /// The number of times an owner has been held or dropped.
  var departures = 0
  /// An unowned task that was asleep while an owner was held or dropped.
  var overslept: UnownedWork?
  /// The task that began a synchronous capture; not captured itself.
  var caller: TaskID?
  /// The owner whose code the host is calling.
  var scope: AnyObject?
  /// The count of events from outside; a change ends `waitForOutside`.
  var arrivals = 0

  /// The number of steps: jobs that were taken, and instants to which time has moved.
  var steps: UInt64 = 0
  /// The count of the latest jobs in a row that have only yielded.
  var idling = Idling()
  /// The calls in progress on the driving thread, one per line.
  var whereabouts: () -> [String] = { [] }
  /// The task whose job runs; nil if the job is not a task.
  var running: UnsafeRawPointer?

  /// Virtual time, which the clocks read.
  let now = UnsafeMutablePointer<Nanoseconds>.allocate(capacity: 1)

  private init() { now.initialize(to: 0) }

  // MARK: Calls of the executors

  /// Adds a job to the queue if it belongs to the capture. Returns whether it does.
  static func takes(_ job: UnownedJob, _ lane: VirtualLane) -> Bool {
    guard cvt_is_capturing() else { return false }
    return shared.takes(job, lane)
  }

  /// Captures a timer if it belongs to the capture; it then waits for virtual time. Returns whether
  /// it does.
  /// - Parameter delay: Called on the thread that is about to sleep, so that it reads that
  ///   thread's clock.
  static func takes(_ timer: UnownedJob, after delay: () -> Nanoseconds) -> Bool {
    guard cvt_is_capturing() else { return false }
    return shared.takes(timer, after: delay)
  }

  /// Notes that a task has been begun on a captured thread. The task is already known if it has
  /// been enqueued.
  static func began(_ task: UnsafeRawPointer) {
    guard cvt_is_capturing() else { return }
    shared.condition.lock()
    _ = shared.owns(task, cvt_task_id(task))
    shared.condition.unlock()
  }

  private func takes(_ job: UnownedJob, _ lane: VirtualLane) -> Bool {
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
      // The sleeper was woken in another way, so its timer only has to end.
      if let job = stale.entry.job {
        queue.append(Entry(job: job, lane: .global, task: nil, owner: nil))
      }
    }
    var entry = Entry(job: job, lane: lane, task: task, owner: owner(task))
    if task != nil, cvt_clock() != nil, let block = prepared.take() {
      entry.block = block
      enqueue(entry, of: block)
    } else {
      queue.append(entry)
    }
    if cvt_clock() == nil {
      arrivals += 1
      idling.ends()
      EscapeLedger.shared.resumedCapturedTask()
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
    let entry = Entry(job: timer, lane: .global, task: nil, owner: owner(sleeper))
    sleeps.insert(entry, of: sleeper, until: deadline, after: departures)
    return true
  }

  /// Whether a task has computed a deadline from the real clock, that is, whether the deadline
  /// is nearer to the task's last reading of the real clock than to `now`. The lock is held.
  private func isReal(_ deadline: Nanoseconds, of task: TaskID?) -> Bool {
    guard let read = task.flatMap({ tasks[$0]?.realClock }) else { return false }
    return abs(Double(deadline) - Double(read)) < abs(Double(deadline) - Double(now.pointee))
  }

  /// Notes that the current task has read a clock on a thread outside virtual time.
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

  /// The capture in progress.
  var currentCapture: Capture? {
    condition.lock()
    defer { condition.unlock() }
    return capture
  }

  /// The owner of the calling code.
  var currentOwner: AnyObject? {
    condition.lock()
    defer { condition.unlock() }
    return scope ?? owner(cvt_current_task().map(cvt_task_id))
  }

  // MARK: Ownership of jobs. The lock is held.

  /// Whether captured work runs on this thread. An uncaptured task may run on this thread too, on
  /// an actor that both share.
  var isByUs: Bool {
    guard let current = cvt_current_task() else { return cvt_clock() != nil }
    let task = cvt_task_id(current)
    if tasks[task] != nil || task == caller { return true }
    // A task that was never enqueued was begun directly, by `Task.immediate` or on an actor that
    // was running.
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
    let record = TaskRecord(
      object, task, parent: parent, owner: owner, block: cvt_clock() == nil ? nil : prepared)
    tasks[task] = record
    if !record.isChild { visible.append(record) }
    if tasks.count > 2 * survivors {
      let all = tasks
      tasks = all.filter { !whole($0.value, in: all).isOver }
      // Released outside the lock, because the deinitializer of an owner that is released with its
      // last task may call any code.
      outdated += all.values
      visible.removeAll { tasks[$0.id] == nil }
      survivors = max(tasks.count, 512)
    }
  }
  private var survivors = 512

  /// The outermost task that contains this task. A child task ends before the outermost task,
  /// and the object of a child cannot be read.
  private func whole(_ task: TaskRecord, in tasks: [TaskID: TaskRecord]) -> TaskRecord {
    var task = task
    while task.isChild, let parent = task.parent.flatMap({ tasks[$0] }) { task = parent }
    return task
  }

  /// Records to be released outside the lock.
  var outdated: [TaskRecord] = []

  /// Whether a task is the first task of an asynchronous capture.
  func isBody(_ task: TaskRecord) -> Bool {
    caller == nil && task.id == first && task.parent.map { $0 < first } ?? false
  }

  func owner(_ task: TaskID?) -> AnyObject? { task.flatMap { tasks[$0]?.owner } }

  func waitingTasks(of entry: Entry) -> [UnsafeRawPointer] {
    entry.job.map { waitingTasks($0.object) } ?? []
  }

  /// The tasks that wait for the actor, if the job is an actor's turn.
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

  /// Begins a capture of the next task that a captured thread begins, and of all work that follows
  /// from this task.
  func begin(
    _ capture: Capture, at instant: Nanoseconds, whereabouts: @escaping () -> [String]
  ) {
    condition.lock()
    self.capture = capture
    self.whereabouts = whereabouts
    now.pointee = instant
    cvt_set_capturing(true)
    condition.unlock()
  }

  /// Changes, under the lock, a state that `waitForOutside` must notice.
  func interrupt(_ change: () -> Void) {
    condition.lock()
    change()
    arrivals += 1
    condition.broadcast()
    condition.unlock()
  }

  /// Ends the capture: from now on all work runs as usual. Unfinished tasks continue outside
  /// the capture, if they are resumed. Tasks of dropped owners never continue; if the body stalled,
  /// no task does.
  func end(isStalled: Bool = false) {
    condition.lock()
    for task in tasks.values where isStalled || task.owner.map(owners.isDropped) == true {
      task.giveUp()
    }
    // An actor whose turn never runs would block all its users.
    let turns = queue.rest.filter(\.isActorTurn) + owners.turns
    for turn in turns { giveUpTasks(in: turn) { !owners.admits($0) } }
    cvt_set_capturing(false)
    let rest = (
      queue, body, tasks, visible, sleeps, owners, outdated, mainThread, queueUse, capture, waits
    )
    (queue, body, tasks, visible, foreign, first, sleeps, owners) = (
      Queue(), nil, [:], [], [], .max, Sleeps(), Owners()
    )
    (scope, caller, survivors, outdated, mainThread) = (nil, nil, 512, [], MainThreadUse())
    (queueUse, waits, prepared, capture) = (queueUse.left, Waits(), nil, nil)
    (departures, overslept, realSleeper, whereabouts) = (0, nil, nil, { [] })
    condition.unlock()
    for notification in rest.8.notifications { cvt_release_dispatch_object(notification.group) }
    for turn in turns { turn.job?.enqueueElsewhere() }
    // Released outside the lock, because deinitializers may call any code.
    withExtendedLifetime(rest) {}
  }

  /// Makes the tasks that wait in an actor's turn wait forever, if their owner matches. The lock
  /// is held.
  func giveUpTasks(in turn: Entry, of isMeant: (AnyObject?) -> Bool) {
    for task in waitingTasks(of: turn) where isMeant(owner(cvt_task_id(task))) {
      cvt_give_up(task)
    }
  }
}
