public import CurfewEngine

/// Counts about one kind of session or wake.
public struct KindFigures: Hashable, Sendable {
  /// The counts, by name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Admissions allowed.
    case allowed
    /// Accepted requests, including those that replaced another.
    case requested
    /// Wakes that were delivered, and sessions that began or were renewed.
    case begun
    /// Wakes that were completed and sessions that were stopped before they ran out.
    case completed
    /// Wakes that were completed with the result "failed".
    case failed
    /// Expiration handlers that were called.
    case warned
    /// Wakes and sessions that ran out of their length or their budget.
    case overran
  }

  private var counts = Sums<Count, Int>()
  /// The number of denied admissions, by their sets of reasons.
  public package(set) var denials: [DenialReasons: Int] = [:]
  /// The lengths of ended wakes and sessions, in nanoseconds.
  public var length = Tally()

  /// Creates empty figures.
  package init() {}

  /// The count with this name.
  public package(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }

  /// The number of denied admissions.
  public var denied: Int { denials.values.reduce(0, +) }

  /// Whether all counts and denials are zero.
  public var isEmpty: Bool { denials.isEmpty && counts.isZero }

  /// Adds the counts of another run.
  public mutating func merge(_ other: KindFigures) {
    counts += other.counts
    if !other.denials.isEmpty { denials.merge(other.denials, uniquingKeysWith: +) }
    length.merge(other.length)
  }
}

/// Counts about the work with one name that apps do in the background.
public struct WorkFigures: Hashable, Sendable {
  /// The counts, by name.
  public enum Count: UInt8, CaseIterable, Sendable {
    /// Pieces of work that arrived.
    case begun
    /// Pieces that were completed, however late.
    case completed
    /// Pieces that were given up: cut off by an expiration, a kill or a denial, and not resumed.
    case lost
    /// Times that work was cut off, including work that was resumed.
    case cutOff
  }

  private var counts = Sums<Count, Int>()
  /// The work that was wasted on pieces that were lost or had to start again.
  public var wasted = TotalTime()
  /// The times from the arrival of a piece to its completion, in nanoseconds.
  public var delay = Tally()

  /// Creates empty figures.
  package init() {}

  /// The count with this name.
  public package(set) subscript(count: Count) -> Int {
    get { counts[count] }
    _modify { yield &counts[count] }
  }

  /// The share of arrived pieces that were completed; nil if none arrived.
  public var completionRatio: Double? {
    self[.begun] == 0 ? nil : Double(self[.completed]) / Double(self[.begun])
  }

  /// The number of pieces neither completed nor lost at the end of the run.
  public var unfinished: Int { self[.begun] - self[.completed] - self[.lost] }

  /// Adds the counts of another run.
  public mutating func merge(_ other: WorkFigures) {
    counts += other.counts
    wasted += other.wasted
    delay.merge(other.delay)
  }
}
