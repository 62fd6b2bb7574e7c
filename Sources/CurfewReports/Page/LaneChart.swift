import CurfewText

/// What went on beside each other over time: a lane each, with spans of states, bars below them
/// and signs above. A lane that has events unfolds to the list of them.
package struct LaneChart: Sendable {
  /// What it shows.
  package var title: String
  /// What is to be seen, one sentence.
  package var text: String
  /// What the numbers of `Span.state` mean, the liveliest first: of much that is too short to be
  /// drawn, the liveliest is.
  package var states: [State]
  /// What the numbers of `Bar.track` mean.
  package var tracks: [String]
  /// What the numbers of `Mark.sign` mean.
  package var signs: [Sign]
  /// The lanes, from top to bottom. Those that matter most come first where there are more
  /// than `mostLanes`.
  package var lanes: [Lane]
  /// How long the whole is, in seconds.
  package var duration: Double
  /// What qualifies it.
  package var notes: [String]

  /// No more lanes are drawn; the table has more.
  package static let mostLanes = 60
  /// No more spans, bars and signs are drawn, so that a page stays one that a phone can open.
  static let mostMarks = 6_000
  /// No more events of one lane are listed.
  static let mostEvents = 100

  /// A state that a lane may be in.
  package struct State: Sendable {
    let name: String
    let look: Look

    /// How a state is drawn: by its height and its colour, so that neither is needed to tell it.
    package enum Look: String, Sendable {
      /// In front: as high as the lane.
      case strong
      /// Nearly so.
      case middle
      /// At work, half as high.
      case warm
      /// At rest: a line.
      case quiet
      /// Nothing is drawn.
      case none
    }

    /// A state of this name.
    package init(_ name: String, _ look: Look) { (self.name, self.look) = (name, look) }
  }

  /// Something that happens at an instant.
  package struct Sign: Sendable {
    let name: String
    let shape: Shape

    /// How it is drawn.
    package enum Shape: String, Sendable {
      /// The worst.
      case cross
      /// A warning.
      case triangle
      /// A refusal.
      case ring
    }

    /// A sign of this name.
    package init(_ name: String, _ shape: Shape) { (self.name, self.shape) = (name, shape) }
  }

  /// What is drawn of one.
  package struct Lane: Sendable {
    /// What it is called.
    package var name: String
    /// The states that it was in, in order, none beside another.
    package var spans: [Span] = []
    /// What went on, in order of their beginnings.
    package var bars: [Bar] = []
    /// What happened, in order.
    package var marks: [Mark] = []
    /// What is told of it, in order; the instant and a sentence each.
    package var events: [(time: Double, text: String, isGrave: Bool)] = []
    /// How many more events there are than `events` has.
    package var eventsLeftOut = 0

    /// An empty lane.
    package init(_ name: String) { self.name = name }
  }

  /// A state for a time, in seconds from the beginning.
  package struct Span: Sendable {
    let state: Int
    let start: Double
    let end: Double

    /// A span of these parts.
    package init(_ state: Int, _ start: Double, _ end: Double) {
      (self.state, self.start, self.end) = (state, start, end)
    }
  }

  /// Something that went on for a time, and what is told where it is pointed at.
  package struct Bar: Sendable {
    let track: Int
    let start: Double
    let end: Double
    let text: String

    /// A bar of these parts.
    package init(_ track: Int, _ start: Double, _ end: Double, _ text: String) {
      (self.track, self.start, self.end, self.text) = (track, start, end, text)
    }
  }

  /// Something that happened, and what is told where it is pointed at.
  package struct Mark: Sendable {
    let sign: Int
    let time: Double
    let text: String

    /// A mark of these parts.
    package init(_ sign: Int, _ time: Double, _ text: String) {
      (self.sign, self.time, self.text) = (sign, time, text)
    }
  }

  /// A chart of these lanes.
  package init(
    _ title: String, text: String, states: [State], tracks: [String], signs: [Sign], lanes: [Lane],
    duration: Double, notes: [String] = []
  ) {
    (self.title, self.text, self.states, self.tracks, self.signs) = (
      title, text, states, tracks, signs
    )
    (self.lanes, self.duration, self.notes) = (lanes, duration, notes)
  }

  // MARK: What it says in words

  /// The time in each state that is drawn, and how often what else
  /// happened: `active 12s, background 30s; 1 task; 1 expiration`.
  func summary(of lane: Lane) -> String {
    let times = timeByState(lane).enumerated().filter {
      states[$0.offset].look != .none && $0.element > 0
    }
    let parts = [
      times.map { "\(states[$0.offset].name) \(LaneChart.time.text($0.element))" }.joined(
        separator: ", "),
      tracks.indices.map { track in (tracks[track], lane.bars.count { $0.track == track }) }.filter
      { $0.1 > 0 }
      .map { "\($0.0): \($0.1)" }.joined(separator: ", "),
      signs.indices.map { sign in (signs[sign].name, lane.marks.count { $0.sign == sign }) }.filter
      { $0.1 > 0 }
      .map { "\($0.0): \($0.1)" }.joined(separator: ", "),
    ]
    let words = parts.filter { !$0.isEmpty }.joined(separator: "; ")
    return words.isEmpty ? "nothing happened" : words
  }

  private func timeByState(_ lane: Lane) -> [Double] {
    lane.spans.reduce(into: [Double](repeating: 0, count: states.count)) {
      $0[$1.state] += max(0, $1.end - $1.start)
    }
  }

  var table: Table {
    let shown = states.indices.filter { states[$0].look != .none }
    let columns =
      [Table.Column.words("")] + shown.map { .numbers(states[$0].name) }
      + tracks.map { .numbers($0) } + signs.map { .numbers($0.name) }
    return Table(
      title, columns,
      lanes.map { lane in
        let times = timeByState(lane)
        let bars = tracks.indices.map { track in
          HumanCount.text(lane.bars.count { $0.track == track })
        }
        let marks = signs.indices.map { sign in
          HumanCount.text(lane.marks.count { $0.sign == sign })
        }
        return [lane.name] + shown.map { LaneChart.time.text(times[$0]) } + bars + marks
      })
  }

  static let time = Measure("time", .seconds)

  /// An instant or a length, to the microsecond.
  static func exactly(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 9e9 else { return time.text(seconds) }
    return HumanTime.text(ofNanoseconds: Int64((seconds * 1e6).rounded()) * 1_000)
  }
}
