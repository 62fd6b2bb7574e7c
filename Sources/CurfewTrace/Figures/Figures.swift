package import CurfewEngine

/// What runs amount to, counted from what came out of their engines: of one scenario, or of all devices of a fleet.
///
/// All of it is whole numbers. Figures of parts of a fleet can be added in any order, and are the same as those of the whole.
public struct Figures: Hashable, Sendable {
  /// What the rows of `apps` are called: the workload's sorts of app, or a scenario's apps.
  public let names: [String]
  /// What each sort's work is called.
  public let works: [[String]]
  /// By sort.
  public internal(set) var apps: [AppFigures]
  /// How many devices.
  public internal(set) var devices = 0
  /// How long was simulated, of all devices together.
  public internal(set) var time = TotalTime()
  /// What entered the engines, and steps that they took of themselves.
  public internal(set) var events = 0
  /// What made no sense where it stood, and changed nothing: a force quit of an app that is not there, or what a closure should not have said.
  public internal(set) var illegalEvents = 0
  /// How long a radio was on: while a wake ran and so long after it as the tail is.
  public internal(set) var radioTime = TotalTime()
  /// How long so many tasks were open on a device; the last place stands for all greater numbers.
  public internal(set) var openTasks = [TotalTime](repeating: TotalTime(), count: 33)
  /// How long tasks were open, all together.
  public internal(set) var openTaskTime = TotalTime()
  /// What there was of some things on each device.
  public internal(set) var perDevice = PerDevice()
  /// How few cold launches other purges could have left; nil where nobody looked back.
  public package(set) var hindsight: Hindsight?

  /// How few cold launches other purges could have left, seen from the end, when it is known what was opened and what ran in the background.
  public struct Hindsight: Hashable, Sendable {
    /// No choice of whom to purge has fewer: what is lost to purges lies above it. It holds while what runs has room.
    public internal(set) var bound: Int
    /// So many has a rule that purges whoever takes most room until it is used again. The fewest that are possible lie between.
    public internal(set) var foreseen: Int

    package init(bound: Int, foreseen: Int) { (self.bound, self.foreseen) = (bound, foreseen) }
  }

  /// What there was of some things on each device: a mean tells little where devices differ.
  public struct PerDevice: Hashable, Sendable {
    /// Wakes.
    public internal(set) var wakes = Tally()
    /// Cold launches.
    public internal(set) var coldLaunches = Tally()
    /// Nanoseconds that apps ran in the background.
    public internal(set) var backgroundTime = Tally()
    /// Nanoseconds that the radio was on.
    public internal(set) var radioTime = Tally()
    /// Work that was lost.
    public internal(set) var lostWork = Tally()

    mutating func merge(_ other: PerDevice) {
      wakes.merge(other.wakes)
      coldLaunches.merge(other.coldLaunches)
      backgroundTime.merge(other.backgroundTime)
      radioTime.merge(other.radioTime)
      lostWork.merge(other.lostWork)
    }
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
    return weights.backgroundSecond * total.backgroundTime.seconds + weights.processorSecond * total.processorTime.seconds
      + weights.radioSecond * radioTime.seconds + weights.coldLaunch * Double(total[.coldLaunches] + total[.backgroundLaunches])
  }

  /// Adds what other runs have counted.
  /// - Precondition: They are of the same apps.
  public mutating func merge(_ other: Figures) {
    precondition(names == other.names && works == other.works, "Figures of other apps")
    for index in apps.indices { apps[index].merge(other.apps[index]) }
    devices += other.devices
    time += other.time
    events += other.events
    illegalEvents += other.illegalEvents
    radioTime += other.radioTime
    openTaskTime += other.openTaskTime
    for index in openTasks.indices { openTasks[index] += other.openTasks[index] }
    perDevice.merge(other.perDevice)
    if let other = other.hindsight {
      hindsight = Hindsight(bound: (hindsight?.bound ?? 0) + other.bound, foreseen: (hindsight?.foreseen ?? 0) + other.foreseen)
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
    figures.perDevice.wakes.record(Int64(wakes))
    figures.perDevice.coldLaunches.record(Int64(coldLaunches))
    figures.perDevice.backgroundTime.record(backgroundTime.nanoseconds)
    figures.perDevice.radioTime.record(radioTime.nanoseconds)
    figures.perDevice.lostWork.record(Int64(lostWork))
    return figures
  }
}

/// What the energy proxy counts, and how much. The proxy is a weighted sum, named as what it is: it orders policies by what usually costs energy, and measures none.
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
