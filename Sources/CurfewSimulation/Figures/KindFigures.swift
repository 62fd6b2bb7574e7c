public import CurfewEngine

/// What became of one kind of session or wake, counted.
public struct KindFigures: Hashable, Sendable {
  /// Admissions allowed.
  public var allowed = 0
  /// Admissions denied, by everything that denied each.
  public var denials: [DenialReasons: Int] = [:]
  /// Requests that were accepted, those that replaced another included.
  public var requested = 0
  /// Wakes that were delivered, and sessions that began or were renewed.
  public var begun = 0
  /// Completed by their apps, or stopped, before they had run out.
  public var completed = 0
  /// Those of the completed wakes of which the app said that they failed.
  public var failed = 0
  /// Warned of their end.
  public var warned = 0
  /// Ran out of their length or their budget.
  public var overran = 0
  /// How long what has ended was on, in nanoseconds each.
  public var length = Tally()

  /// Nothing yet.
  public init() {}

  /// Admissions denied.
  public var denied: Int { denials.values.reduce(0, +) }

  /// Whether there is nothing to tell.
  public var isEmpty: Bool { allowed == 0 && denials.isEmpty && requested == 0 && begun == 0 && completed == 0 && overran == 0 }

  /// Adds what another run has counted.
  public mutating func merge(_ other: KindFigures) {
    allowed += other.allowed
    denials.merge(other.denials, uniquingKeysWith: +)
    requested += other.requested
    begun += other.begun
    completed += other.completed
    failed += other.failed
    warned += other.warned
    overran += other.overran
    length.merge(other.length)
  }
}

/// What became of work that apps do in the background, counted: of one name.
public struct WorkFigures: Hashable, Sendable {
  /// Pieces of work that came up.
  public var begun = 0
  /// Those that were done, however late.
  public var completed = 0
  /// Those that were given up: cut off by an expiration, a kill or a denial, and not taken up again.
  public var lost = 0
  /// Times that work was cut off, also of work that was taken up again.
  public var cutOff = 0
  /// What was done in vain: the work of pieces that were lost or had to begin anew.
  public var wasted = TotalTime()
  /// From when a piece came up until it was done, in nanoseconds each.
  public var delay = Tally()

  /// Nothing yet.
  public init() {}

  /// The share of what came up that was done; nil where nothing came up.
  public var completionRatio: Double? { begun == 0 ? nil : Double(completed) / Double(begun) }

  /// Neither done nor lost when the run ended.
  public var unfinished: Int { begun - completed - lost }

  /// Adds what another run has counted.
  public mutating func merge(_ other: WorkFigures) {
    begun += other.begun
    completed += other.completed
    lost += other.lost
    cutOff += other.cutOff
    wasted += other.wasted
    delay.merge(other.delay)
  }
}
