public import CurfewEngine

/// What apps of one sort did and what was done to them, counted: in a fleet over all devices, in a scenario one app.
///
/// All of it is whole numbers, so that figures can be added in any order and come out the same.
public struct AppFigures: Hashable, Sendable {
  /// How many apps it is.
  public var apps = 0
  /// Processes begun because the user opened the app.
  public var coldLaunches = 0
  /// Suspended processes that the user brought back to the front.
  public var warmLaunches = 0
  /// Processes that were still running in the background when the user opened the app.
  public var liveLaunches = 0
  /// Processes begun in the background.
  public var backgroundLaunches = 0
  /// Visits to the background.
  public var visits = 0
  /// Tasks begun.
  public var tasksBegun = 0
  /// Tasks denied.
  public var tasksDenied = 0
  /// Tasks that their apps ended before they expired.
  public var tasksEnded = 0
  /// Tasks whose time ran out, with or without a handler that was called.
  public var tasksExpired = 0
  /// How long tasks were open, in nanoseconds each.
  public var taskLength = Tally()
  /// Times suspended.
  public var suspensions = 0
  /// Ends of processes, by reason.
  public internal(set) var ends = [Int](repeating: 0, count: TerminationReason.allCases.count)
  /// How long they were in each state.
  public internal(set) var states = [TotalTime](repeating: TotalTime(), count: AppState.allCases.count)
  /// How much of a processor core they used in the background, by the shares that the apps say they use.
  public var processorTime = TotalTime()
  /// How old the content was that the user saw on opening the app, in nanoseconds each: since it was last in front, or a wake brought new data.
  public var age = Tally()
  /// Sessions and wakes, by the kind's number.
  public var kinds: [KindFigures] = []
  /// Work, in the order in which the workload names it.
  public var works: [WorkFigures] = []

  /// Nothing yet.
  public init() {}

  /// How often the user opened the apps.
  public var opens: Int { coldLaunches + warmLaunches + liveLaunches }
  /// Processes ended to make room for others.
  public var purges: Int { self[.memoryPressure] }
  /// Wakes delivered to the background.
  public func wakes(_ names: PolicyNames) -> Int { sum(over: .wake, names, \.begun) }
  /// Processes ended, whatever the reason.
  public var terminations: Int { ends.reduce(0, +) }

  /// Processes ended for one reason.
  public subscript(reason: TerminationReason) -> Int { ends[Int(reason.rawValue)] }
  /// How long they were in one state.
  public subscript(state: AppState) -> TotalTime { states[Int(state.rawValue)] }

  /// How long they ran in the background.
  public var backgroundTime: TotalTime { self[.background] }

  func sum(over what: AssertionClass, _ names: PolicyNames, _ path: KeyPath<KindFigures, Int>) -> Int {
    names.kinds.indices.reduce(0) { sum, number in
      guard number < kinds.count, names.class(of: AssertionKind(rawValue: UInt8(number))) == what else { return sum }
      return sum + kinds[number][keyPath: path]
    }
  }

  /// All work together.
  public var work: WorkFigures {
    works.reduce(into: WorkFigures()) { $0.merge($1) }
  }

  mutating func note(_ kind: AssertionKind, _ change: (inout KindFigures) -> Void) {
    let place = Int(kind.rawValue)
    while kinds.count <= place { kinds.append(KindFigures()) }
    change(&kinds[place])
  }

  mutating func note(work index: Int, _ change: (inout WorkFigures) -> Void) {
    while works.count <= index { works.append(WorkFigures()) }
    change(&works[index])
  }

  /// Adds what another run has counted.
  public mutating func merge(_ other: AppFigures) {
    apps += other.apps
    coldLaunches += other.coldLaunches
    warmLaunches += other.warmLaunches
    liveLaunches += other.liveLaunches
    backgroundLaunches += other.backgroundLaunches
    visits += other.visits
    tasksBegun += other.tasksBegun
    tasksDenied += other.tasksDenied
    tasksEnded += other.tasksEnded
    tasksExpired += other.tasksExpired
    suspensions += other.suspensions
    taskLength.merge(other.taskLength)
    age.merge(other.age)
    processorTime += other.processorTime
    for index in ends.indices { ends[index] += other.ends[index] }
    for index in states.indices { states[index] += other.states[index] }
    for (index, kind) in other.kinds.enumerated() where !kind.isEmpty { note(AssertionKind(rawValue: UInt8(index))) { $0.merge(kind) } }
    for (index, work) in other.works.enumerated() { note(work: index) { $0.merge(work) } }
  }
}
