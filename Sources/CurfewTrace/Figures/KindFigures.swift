public import CurfewEngine

/// What became of one kind of session or wake, counted.
public struct KindFigures: Hashable, Sendable {
  /// The counts, each under its name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Admissions allowed.
    case allowed
    /// Requests that were accepted, those that replaced another included.
    case requested
    /// Wakes that were delivered, and sessions that began or were renewed.
    case begun
    /// Completed by their apps, or stopped, before they had run out.
    case completed
    /// Completed wakes of which the app said that they failed.
    case failed
    /// Warned of their end.
    case warned
    /// Ran out of their length or their budget.
    case overran
  }

  private var counts = Sums<Count, Int>()
  /// Admissions denied, by everything that denied each.
  public package(set) var denials: [DenialReasons: Int] = [:]
  /// How long what has ended was on, in nanoseconds each.
  public var length = Tally()

  /// Nothing yet.
  public init() {}

  /// The count of this name.
  public package(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }

  /// Admissions denied.
  public var denied: Int { denials.values.reduce(0, +) }

  /// Whether there is nothing to tell.
  public var isEmpty: Bool { denials.isEmpty && counts == Sums() }

  /// Adds what another run has counted.
  public mutating func merge(_ other: KindFigures) {
    counts += other.counts
    denials.merge(other.denials, uniquingKeysWith: +)
    length.merge(other.length)
  }
}

/// What became of work that apps do in the background, counted: of one name.
public struct WorkFigures: Hashable, Sendable {
  /// The counts, each under its name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Pieces of work that came up.
    case begun
    /// Pieces that were done, however late.
    case completed
    /// Pieces that were given up: cut off by an expiration, a kill or a denial, and not taken
    /// up again.
    case lost
    /// Times that work was cut off, also of work that was taken up again.
    case cutOff
  }

  private var counts = Sums<Count, Int>()
  /// What was done in vain: the work of pieces that were lost or had to begin anew.
  public var wasted = TotalTime()
  /// From when a piece came up until it was done, in nanoseconds each.
  public var delay = Tally()

  /// Nothing yet.
  public init() {}

  /// The count of this name.
  public package(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }

  /// The share of what came up that was done; nil where nothing came up.
  public var completionRatio: Double? {
    self[.begun] == 0 ? nil : Double(self[.completed]) / Double(self[.begun])
  }

  /// Neither done nor lost when the run ended.
  public var unfinished: Int { self[.begun] - self[.completed] - self[.lost] }

  /// Adds what another run has counted.
  public mutating func merge(_ other: WorkFigures) {
    counts += other.counts
    wasted += other.wasted
    delay.merge(other.delay)
  }
}
