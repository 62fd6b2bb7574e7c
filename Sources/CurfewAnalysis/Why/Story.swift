import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// Lines of a trace that led to something, in their order, each once.
struct Story {
  /// A line, and why what it tells is so.
  struct Mark {
    /// Its place among the trace's lines, from 1.
    let number: Int
    let line: TraceLine
    var explanations: [Explanation] = []
  }

  private(set) var marks: [Mark] = []

  init(_ marks: [Mark] = []) { self.marks = marks }

  init(_ mark: Mark?) { self.init(mark.map { [$0] } ?? []) }

  /// Both, in order.
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

  /// And then that.
  static func + (a: Story, b: Mark) -> Story { a + Story([b]) }
}

/// What a reading keeps beside stories.
extension WhyReading {
  /// What entered last of what may be behind what happens later.
  struct Doings {
    /// What had an app leave the front, and what had it come there.
    var leaving: Story.Mark?
    var coming: Story.Mark?
    /// The user's quitting it.
    var quit: Story.Mark?
    /// When the user came to the device: processing ends then.
    var arrival: Story.Mark?
    /// Of the last that took up memory.
    var growth = Story()
    var own = OwnDoings()
    /// How often it asked to be woken, by kind.
    var intervals: [KindName: Story.Mark] = [:]
  }

  /// What the app did last of what may end it.
  struct OwnDoings {
    var callback: Story.Mark?
    var footprint: Story.Mark?
    var processor: Story.Mark?
    var lockedFile: Story.Mark?
    var crash: Story.Mark?
  }

  /// Something that keeps the app running, and how it came to that.
  struct Hold: Sendable {
    let what: Why.Holding
    var story: Story
  }
}
