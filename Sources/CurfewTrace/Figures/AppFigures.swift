public import CurfewEngine

/// What apps of one sort did and what was done to them, counted: in a fleet over all devices,
/// in a scenario one app.
///
/// All of it is whole numbers, so that figures can be added in any order and come out the same.
public struct AppFigures: Hashable, Sendable {
  /// The counts, each under its name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// How many apps it is.
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
    /// Times suspended.
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

  /// The distributions, each under its name, in nanoseconds.
  public enum Length: UInt8, CaseIterable, Sendable {
    /// How old the content was that the user saw on opening the app: since it was last in front, or
    /// a wake brought new data.
    case age
    /// How long tasks were open.
    case taskLength
  }

  private var counts = Sums<Count, Int>()
  private var lengths = Sums<Length, Tally>()
  private var ends = Sums<TerminationReason, Int>()
  private var states = Sums<AppState, TotalTime>()
  /// How much of a processor core they used in the background, by the shares that the apps say
  /// they use.
  public package(set) var processorTime = TotalTime()
  /// Sessions and wakes, by the kind's number.
  public var kinds: [KindFigures] = []
  /// Work, in the order in which the workload names it.
  public var works: [WorkFigures] = []

  /// Nothing yet.
  public init() {}

  /// The count of this name.
  public package(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }
  /// The distribution of this name.
  public package(set) subscript(length: Length) -> Tally {
    get { lengths[length] }
    _modify { yield &lengths[length] }
  }
  /// Processes ended for one reason.
  public package(set) subscript(reason: TerminationReason) -> Int {
    get { ends[reason] }
    _modify { yield &ends[reason] }
  }
  /// How long they were in one state.
  public package(set) subscript(state: AppState) -> TotalTime {
    get { states[state] }
    _modify { yield &states[state] }
  }

  /// How often the user opened the apps.
  public var opens: Int { self[.coldLaunches] + self[.warmLaunches] + self[.liveLaunches] }
  /// Processes ended to make room for others.
  public var purges: Int { self[.memoryPressure] }
  /// Wakes delivered to the background.
  public func wakes(_ names: PolicyNames) -> Int { sum(over: .wake, names, .begun) }
  /// Processes ended, whatever the reason.
  public var terminations: Int { TerminationReason.allCases.reduce(0) { $0 + ends[$1] } }

  /// How long they ran in the background.
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

  /// All work together.
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

  /// Adds what another run has counted.
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
