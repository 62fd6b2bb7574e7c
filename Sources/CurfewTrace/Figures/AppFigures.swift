public import CurfewEngine

/// Counts about the apps of one sort. In a fleet they cover all devices, in a scenario one app.
///
/// All values are whole numbers, so figures can be added in any order with the same result.
public struct AppFigures: Hashable, Sendable {
  /// The counts, by name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Apps.
    case apps
    /// Processes begun because the user opened the app.
    case coldLaunches
    /// Suspended processes that the user brought back to the front.
    case warmLaunches
    /// Processes that were still running in the background when the user opened the app.
    case liveLaunches
    /// Processes begun in the background.
    case backgroundLaunches
    /// Visits to the background.
    case visits
    /// Suspensions.
    case suspensions
    /// Tasks begun.
    case tasksBegun
    /// Tasks denied.
    case tasksDenied
    /// Tasks that their apps ended before they expired.
    case tasksEnded
    /// Tasks whose time ran out, with or without a handler that was called.
    case tasksExpired
  }

  /// The distributions, by name, in nanoseconds.
  public enum Length: UInt8, CaseIterable, Sendable {
    /// The age of the content that the user saw on opening the app: the time since it was last
    /// in front, or since a wake brought new data.
    case age
    /// The time for which a task was open.
    case taskLength
  }

  private var counts = Sums<Count, Int>()
  private var lengths = Sums<Length, Tally>()
  private var ends = Sums<TerminationReason, Int>()
  private var states = Sums<AppState, TotalTime>()
  /// The processor time that the apps used in the background, according to the shares they report.
  public package(set) var processorTime = TotalTime()
  /// Sessions and wakes, by the kind's number.
  public var kinds: [KindFigures] = []
  /// Work, in the workload's order.
  public var works: [WorkFigures] = []

  /// Creates empty figures.
  package init() {}

  /// The count with this name.
  public package(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }
  /// The distribution with this name.
  public package(set) subscript(length: Length) -> Tally {
    get { lengths[length] }
    _modify { yield &lengths[length] }
  }
  /// The number of processes that ended for this reason.
  public package(set) subscript(reason: TerminationReason) -> Int {
    get { ends[reason] }
    _modify { yield &ends[reason] }
  }
  /// The time that the apps were in this state.
  public package(set) subscript(state: AppState) -> TotalTime {
    get { states[state] }
    _modify { yield &states[state] }
  }

  /// The number of times that the user opened the apps.
  public var opens: Int { self[.coldLaunches] + self[.warmLaunches] + self[.liveLaunches] }
  /// The number of processes that were purged.
  public var purges: Int { self[.memoryPressure] }
  /// The number of wakes that were delivered in the background.
  public func wakes(_ names: PolicyNames) -> Int { sum(over: .wake, names, .begun) }
  /// The number of processes that ended, for any reason.
  public var terminations: Int { TerminationReason.allCases.reduce(0) { $0 + ends[$1] } }

  /// The time that the apps ran in the background.
  public var backgroundTime: TotalTime { self[.background] }

  package func sum(over what: AssertionClass, _ names: PolicyNames, _ count: KindFigures.Count)
    -> Int
  {
    names.kinds.indices.reduce(0) { sum, number in
      guard number < kinds.count, names.class(of: AssertionKind(rawValue: UInt8(number))) == what
      else { return sum }
      return sum + kinds[number][count]
    }
  }

  /// The sum of all work.
  public var work: WorkFigures {
    works.reduce(into: WorkFigures()) { $0.merge($1) }
  }

  /// Changes the figures of a kind.
  mutating func note(_ kind: KindNumber, _ change: (inout KindFigures) -> Void) {
    let place = Int(kind.rawValue)
    while kinds.count <= place { kinds.append(KindFigures()) }
    change(&kinds[place])
  }

  mutating func note(work index: Int, _ change: (inout WorkFigures) -> Void) {
    while works.count <= index { works.append(WorkFigures()) }
    change(&works[index])
  }

  /// Adds the counts of another run.
  public mutating func merge(_ other: AppFigures) {
    counts += other.counts
    lengths += other.lengths
    ends += other.ends
    states += other.states
    processorTime += other.processorTime
    for (index, kind) in other.kinds.enumerated() where !kind.isEmpty {
      note(KindNumber(rawValue: UInt32(index))) { $0.merge(kind) }
    }
    for (index, work) in other.works.enumerated() { note(work: index) { $0.merge(work) } }
  }
}
