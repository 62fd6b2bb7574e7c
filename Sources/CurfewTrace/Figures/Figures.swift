package import CurfewEngine

/// What runs amount to, counted from what came out of their engines: of one scenario, or of all
/// devices of a fleet.
///
/// All of it is whole numbers. Figures of parts of a fleet can be added in any order, and are
/// the same as those of the whole.
public struct Figures: Hashable, Sendable {
  /// What the rows of `apps` are called: the workload's sorts of app, or a scenario's apps.
  public let names: [String]
  /// What each sort's work is called.
  public let works: [[String]]
  /// By sort.
  public internal(set) var apps: [AppFigures]
  private var counts = Sums<Count, Int>()
  private var times = Sums<Time, TotalTime>()
  private var distributions = Sums<Distribution, Tally>()
  /// How long so many tasks were open on a device; the last place stands for all greater numbers.
  public internal(set) var openTasks = [TotalTime](repeating: TotalTime(), count: 33)
  /// How few cold launches other purges could have left; nil where nobody looked back.
  public package(set) var hindsight: Hindsight?

  /// How few cold launches other purges could have left, seen from the end, when it is known what
  /// was opened and what ran in the background.
  public struct Hindsight: Hashable, Sendable {
    /// No choice of whom to purge has fewer: what is lost to purges lies above it. It holds while
    /// what runs has room.
    public internal(set) var bound: Int
    /// So many has a rule that purges whoever takes most room until it is used again. The fewest
    /// that are possible lie between.
    public internal(set) var foreseen: Int

    package init(bound: Int, foreseen: Int) { (self.bound, self.foreseen) = (bound, foreseen) }
  }

  /// The counts, each under its name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Devices.
    case devices
    /// Events that entered the engines, and steps that they took of themselves.
    case events
    /// Events that made no sense where they stood, and changed nothing: a force quit of an app that
    /// is not there, or what a closure should not have said.
    case illegalEvents
  }

  /// The times, each under its name.
  public enum Time: UInt8, CaseIterable, Sendable {
    /// The length of the simulation, of all devices together.
    case simulated
    /// The time with a radio on: while a wake ran and so long after it as the tail is.
    case radioTime
    /// The time with a task open, of all tasks together.
    case openTaskTime
  }

  /// The distributions over devices, each under its name: a mean tells little where devices differ.
  public enum Distribution: UInt8, CaseIterable, Sendable {
    /// Wakes.
    case wakesPerDevice
    /// Cold launches.
    case coldLaunchesPerDevice
    /// Pieces of work that were lost.
    case lostWorkPerDevice
    /// Nanoseconds that apps ran in the background.
    case backgroundTimePerDevice
    /// Nanoseconds that the radio was on.
    case radioTimePerDevice
  }

  /// The count of this name.
  public internal(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }
  /// The time of this name.
  public internal(set) subscript(time: Time) -> TotalTime {
    get { times[time] }
    _modify { yield &times[time] }
  }
  /// The distribution of this name.
  public internal(set) subscript(distribution: Distribution) -> Tally {
    get { distributions[distribution] }
    _modify { yield &distributions[distribution] }
  }

  /// Of no run yet.
  ///
  /// - Parameters:
  ///   - names: What the rows are called.
  ///   - works: For each row what its work is called.
  public init(names: [String], works: [[String]]) {
    (self.names, self.works) = (names, works)
    apps = works.map { works in
      var figures = AppFigures()
      figures.works = works.map { _ in WorkFigures() }
      return figures
    }
  }

  /// All apps together. Its only work is all that there is.
  public var total: AppFigures {
    var total = AppFigures()
    for app in apps {
      var app = app
      app.works = [app.work]
      total.merge(app)
    }
    return total
  }

  /// The energy proxy: seconds and launches, weighted. No joule has been measured.
  public func energy(_ weights: EnergyWeights) -> Double {
    let total = total
    return weights.backgroundSecond * total.backgroundTime.seconds + weights.processorSecond
      * total.processorTime.seconds
      + weights.radioSecond * self[.radioTime].seconds + weights.coldLaunch
      * Double(total[.coldLaunches] + total[.backgroundLaunches])
  }

  /// Adds what other runs have counted.
  /// - Precondition: They are of the same apps.
  public mutating func merge(_ other: Figures) {
    precondition(names == other.names && works == other.works, "Figures of other apps")
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
  /// Of one device: its sums are entered where devices are told apart.
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

/// What the energy proxy counts, and how much. The proxy is a weighted sum, named as what it is: it
/// orders policies by what usually costs energy, and measures none.
public struct EnergyWeights: Hashable, Sendable {
  /// A second that an app ran in the background.
  public var backgroundSecond = 1.0
  /// A second of a processor core that apps used in the background.
  public var processorSecond = 0.0
  /// A second that the radio was on.
  public var radioSecond = 1.0
  /// A process that was begun.
  public var coldLaunch = 1.0

  /// One for each, but nothing for the processor.
  public init() {}
}
