package import CurfewEngine

/// The figures of runs, counted from the engines' actions: of one scenario, or of all devices
/// of a fleet.
///
/// All values are whole numbers. Adding the figures of a fleet's parts, in any order, gives
/// the figures of the whole fleet.
public struct Figures: Hashable, Sendable {
  /// The names of the rows in `apps`: the workload's sorts of app, or a scenario's apps.
  public let names: [String]
  /// The names of each sort's work.
  public let works: [[String]]
  /// The figures of each sort.
  public internal(set) var apps: [AppFigures]
  private var counts = Sums<Count, Int>()
  private var times = Sums<Time, TotalTime>()
  private var distributions = Sums<Distribution, Tally>()
  /// The times for which a number of tasks was open on a device: `openTasks[n]` is the time for n
  /// tasks. The last element also counts the times for all greater numbers.
  public internal(set) var openTasks = [TotalTime](repeating: TotalTime(), count: 33)
  /// The fewest cold launches that other choices of purges could give; nil if the run did not
  /// record the uses of memory.
  package var hindsight: Hindsight?

  /// The fewest cold launches that other choices of purges could give. They are computed at the end
  /// of a run, when it is known which apps were opened and which ran in the background.
  package struct Hindsight: Hashable, Sendable {
    /// A lower bound: no choice of purges has fewer cold launches, so purges cost at most the
    /// difference to the actual number. It holds as long as the running apps fit into memory.
    package internal(set) var bound: Int
    /// The cold launches under a rule that purges the app with the largest product of its footprint
    /// and the number of uses until its next use. The fewest possible number lies between `bound`
    /// and this number.
    package internal(set) var foreseen: Int

    package init(bound: Int, foreseen: Int) { (self.bound, self.foreseen) = (bound, foreseen) }
  }

  /// The counts, by name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Devices.
    case devices
    /// Events that entered the engines, and steps that the engines took by themselves.
    case events
    /// Illegal events, which changed nothing: a force quit of an app that is not there, or a wrong
    /// event from a closure.
    case illegalEvents
  }

  /// The times, by name.
  public enum Time: UInt8, CaseIterable, Sendable {
    /// The length of the simulation, summed over all devices.
    case simulated
    /// The time with the radio on: while a wake ran, and for the length of the tail after it.
    case radioTime
    /// The time with a task open, summed over all tasks.
    case openTaskTime
  }

  /// The distributions over devices, by name. A mean says little if devices differ.
  public enum Distribution: UInt8, CaseIterable, Sendable {
    /// Wakes.
    case wakesPerDevice
    /// Cold launches.
    case coldLaunchesPerDevice
    /// Pieces of work that were lost.
    case lostWorkPerDevice
    /// Nanoseconds for which apps ran in the background.
    case backgroundTimePerDevice
    /// Nanoseconds for which the radio was on.
    case radioTimePerDevice
  }

  /// The count with this name.
  public internal(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }
  /// The time with this name.
  public internal(set) subscript(time: Time) -> TotalTime {
    get { times[time] }
    _modify { yield &times[time] }
  }
  /// The distribution with this name.
  public internal(set) subscript(distribution: Distribution) -> Tally {
    get { distributions[distribution] }
    _modify { yield &distributions[distribution] }
  }

  /// Creates empty figures.
  ///
  /// - Parameters:
  /// - names: The names of the rows.
  /// - works: The names of each row's work.
  public init(names: [String], works: [[String]]) {
    (self.names, self.works) = (names, works)
    apps = works.map { works in
      var figures = AppFigures()
      figures.works = works.map { _ in WorkFigures() }
      return figures
    }
  }

  /// The sum over all apps, with all work as a single entry.
  public var total: AppFigures {
    var total = AppFigures()
    for app in apps {
      var app = app
      app.works = [app.work]
      total.merge(app)
    }
    return total
  }

  /// The energy proxy: a weighted sum of seconds and launches. It is not measured in joules.
  public func energy(_ weights: EnergyWeights) -> Double {
    let total = total
    return weights.backgroundSecond * total.backgroundTime.seconds + weights.processorSecond
      * total.processorTime.seconds
      + weights.radioSecond * self[.radioTime].seconds + weights.coldLaunch
      * Double(total[.coldLaunches] + total[.backgroundLaunches])
  }

  /// Adds the figures of other runs.
  /// - Precondition: Both figures have the same apps and the same work.
  public mutating func merge(_ other: Figures) {
    precondition(names == other.names && works == other.works, "The figures differ in apps or work")
    for index in apps.indices { apps[index].merge(other.apps[index]) }
    counts += other.counts
    times += other.times
    distributions += other.distributions
    for index in openTasks.indices { openTasks[index] += other.openTasks[index] }
    if let other = other.hindsight {
      hindsight = Hindsight(
        bound: (hindsight?.bound ?? 0) + other.bound,
        foreseen: (hindsight?.foreseen ?? 0) + other.foreseen)
    }
  }
}

extension Figures {
  /// Returns the figures of one device with its sums added to the distributions over devices.
  package func withPerDevice(_ names: PolicyNames) -> Figures {
    var figures = self
    var (wakes, coldLaunches, lostWork, backgroundTime) = (0, 0, 0, TotalTime())
    for app in apps {
      wakes += app.wakes(names)
      coldLaunches += app[.coldLaunches]
      backgroundTime += app.backgroundTime
      for work in app.works { lostWork += work[.lost] }
    }
    figures[.wakesPerDevice].record(Int64(wakes))
    figures[.coldLaunchesPerDevice].record(Int64(coldLaunches))
    figures[.lostWorkPerDevice].record(Int64(lostWork))
    figures[.backgroundTimePerDevice].record(backgroundTime.nanoseconds)
    figures[.radioTimePerDevice].record(self[.radioTime].nanoseconds)
    return figures
  }
}

/// The weights of the energy proxy, a weighted sum. The proxy ranks policies by typical energy
/// costs; it does not measure energy.
public struct EnergyWeights: Hashable, Sendable {
  /// A second for which an app ran in the background.
  public var backgroundSecond = 1.0
  /// A second of a processor core that apps used in the background.
  public var processorSecond = 0.0
  /// A second for which the radio was on.
  public var radioSecond = 1.0
  /// A new process.
  public var coldLaunch = 1.0

  /// Creates weights of 1 for everything except the processor, which has 0.
  public init() {}
}
