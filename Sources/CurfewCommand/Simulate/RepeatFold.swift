import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// Everything that a timeline prints for one instant.
struct Paragraph {
  struct Entry {
    let line: TraceLine
    let explanations: [Explanation]
  }

  let time: Instant
  var entries: [Entry] = []

  /// Equal for two paragraphs whose differences do not matter to a person.
  fileprivate var key: [Key] {
    entries.map { Key(app: $0.line.app, body: $0.line.body.withoutNumbers) }
  }

  fileprivate struct Key: Hashable {
    let app: String?
    let body: TraceLine.Body
  }
}

/// Folds repetitions of one paragraph, or of several in the same order, whatever the time
/// between them.
///
/// Paragraphs that may be a repetition are held back until the repetition is complete or broken. A
/// single repetition is printed; two or more are counted.
struct RepeatFold {
  /// A piece of output.
  enum Piece {
    case paragraph(Paragraph)
    /// Repetitions of the preceding paragraphs.
    case again(Again)
  }

  struct Again {
    let paragraphs: [Paragraph]
    var count = 0
    var from: Instant
    var until: Instant
  }

  /// The maximum number of paragraphs in a repetition.
  private static let longestPeriod = 16

  private let isOn: Bool
  /// The keys of the last paragraphs, printed or held back.
  private var history: [[Paragraph.Key]] = []
  /// The paragraphs since the last complete repetition, and the periods that they fit.
  private var held: [Paragraph] = []
  private var periods: [Int] = []
  /// The first repetition; it is printed if it stays the only one.
  private var first: [Paragraph] = []
  private var again: Again?

  init(isOn: Bool) { self.isOn = isOn }

  mutating func add(_ paragraph: Paragraph) -> [Piece] {
    guard isOn else { return [.paragraph(paragraph)] }
    let key = paragraph.key
    let candidates = held.isEmpty && again == nil ? Array(1...RepeatFold.longestPeriod) : periods
    periods = candidates.filter { $0 <= history.count && history[history.count - $0] == key }
    if periods.isEmpty, !held.isEmpty || again != nil { return startAnew() + add(paragraph) }
    note(key)
    guard !periods.isEmpty else { return [.paragraph(paragraph)] }
    held.append(paragraph)
    guard periods.contains(held.count) else { return [] }
    periods = [held.count]
    count(held)
    held = []
    return []
  }

  /// Handles held paragraphs that are not a repetition: prints the first; the others may begin
  /// a repetition.
  private mutating func startAnew() -> [Piece] {
    let rest = held
    history.removeLast(rest.count)
    held = []
    var pieces = finish()
    for (index, paragraph) in rest.enumerated() {
      if index == 0 {
        note(paragraph.key)
        pieces.append(.paragraph(paragraph))
      } else {
        pieces += add(paragraph)
      }
    }
    return pieces
  }

  private mutating func note(_ key: [Paragraph.Key]) {
    history.append(key)
    if history.count > 3 * RepeatFold.longestPeriod { history.removeFirst() }
  }

  private mutating func count(_ repetition: [Paragraph]) {
    if again == nil {
      (first, again) = (
        repetition,
        Again(paragraphs: repetition, from: repetition[0].time, until: repetition[0].time)
      )
    }
    again?.count += 1
    again?.until = repetition[repetition.count - 1].time
  }

  /// Returns the remaining output after the last paragraph.
  mutating func finish() -> [Piece] {
    defer { (held, periods, first, again) = ([], [], [], nil) }
    let rest = held.map(Piece.paragraph)
    guard let again else { return rest }
    return (again.count == 1 ? first.map(Piece.paragraph) : [.again(again)]) + rest
  }
}

extension TraceLine.Body {
  /// The body without the numbers that differ in each repetition: task and wake numbers, instants
  /// and ages.
  fileprivate var withoutNumbers: TraceLine.Body {
    switch self {
    case .event(var deed):
      if deed.task != nil { deed.task = .invalid }
      deed.wake = nil
      return .event(deed)
    case .task(let change, let id, let name):
      return .task(change, id == .invalid ? id : TaskID(rawValue: 1), name: name)
    case .expiration(_, let name, let reason, _):
      return .expiration(.invalid, name: name, reason, due: nil)
    case .decision(let kind, _, let denied, _): return .decision(kind, denied: denied, next: nil)
    case .wake(let kind, _, let identifier, let change, _):
      return .wake(kind, WakeID(rawValue: 1), identifier: identifier, change)
    case .terminated(var process):
      process.details?.ages = []
      return .terminated(process)
    case .diagnostic(let name, .task): return .diagnostic(name, .task(.invalid))
    case .diagnostic(let name, .tasks(let tasks, _)):
      return .diagnostic(name, .tasks(tasks, ages: []))
    default: return self
    }
  }
}
