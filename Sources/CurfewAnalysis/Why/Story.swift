import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The lines of a trace that led to a state, in order and without duplicates.
struct Story {
  /// A line and its explanations.
  struct Mark {
    /// The number of the line in the trace, from 1.
    let number: Int
    let line: TraceLine
    var explanations: [Explanation] = []
    /// The times that the delivery of the line's wake named (rule W7).
    var times: DeliveredTimes.Times?
  }

  private(set) var marks: [Mark] = []

  init(_ marks: [Mark] = []) { self.marks = marks }

  init(_ mark: Mark?) { self.init(mark.map { [$0] } ?? []) }

  /// Merges two stories in line order.
  static func + (a: Story, b: Story) -> Story {
    if a.marks.isEmpty || b.marks.isEmpty { return a.marks.isEmpty ? b : a }
    var (merged, rest) = ([Mark](), b.marks[...])
    for mark in a.marks {
      while let next = rest.first, next.number <= mark.number {
        if next.number < mark.number { merged.append(next) }
        rest.removeFirst()
      }
      merged.append(mark)
    }
    return Story(merged + rest)
  }

  /// Appends a line to a story.
  static func + (a: Story, b: Mark) -> Story { a + Story([b]) }
}

/// The state of a reading, apart from its stories.
extension WhyReading {
  /// The newest events that may have caused a later line.
  struct Doings {
    /// The newest event that made the app leave the foreground, and the newest event that brought
    /// it to the foreground.
    var leaving: Story.Mark?
    var coming: Story.Mark?
    /// The user's force quit of the app.
    var quit: Story.Mark?
    /// The newest launch of an app or unlock of the device, which ends wakes that need an
    /// idle device.
    var arrival: Story.Mark?
    /// The lines behind the newest growth in memory use.
    var growth = Story()
    var own = OwnDoings()
    /// The app's newest request for an interval of wakes, by kind.
    var intervals: [KindName: Story.Mark] = [:]
  }

  /// The app's newest own actions that may end its process.
  struct OwnDoings {
    var callback: Story.Mark?
    var footprint: Story.Mark?
    var processor: Story.Mark?
    var lockedFile: Story.Mark?
    var crash: Story.Mark?
  }

  /// An assertion that keeps the app running, and the lines that led to it.
  struct Hold: Sendable {
    let what: Why.Holding
    var story: Story
  }
}
