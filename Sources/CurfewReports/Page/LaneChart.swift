import CurfewText

/// Lanes of events over a common time axis. Each lane has spans of states, bars below them
/// and signs above. A lane with events unfolds into a list of them.
package struct LaneChart: Sendable {
  /// The title.
  package var title: String
  /// The sentence that sums up the drawing.
  package var text: String
  /// The states, by `Span.state`, the liveliest first. If several spans are too short to draw, they
  /// are merged into the liveliest.
  package var states: [State]
  /// The names of the tracks, by `Bar.track`.
  package var tracks: [String]
  /// The signs, by `Mark.sign`.
  package var signs: [Sign]
  /// The lanes, from top to bottom. If there are more than `mostLanes`, put the important
  /// ones first.
  package var lanes: [Lane]
  /// The length of the time axis, in seconds.
  package var duration: Double
  /// The notes below the drawing.
  package var notes: [String]

  /// The maximum number of lanes that are drawn; the table may have more.
  package static let mostLanes = 60
  /// The maximum number of spans, bars and signs that are drawn, so that a phone can open
  /// the page.
  static let mostMarks = 6_000
  /// The maximum number of listed events in one lane.
  static let mostEvents = 100

  /// A state that a lane may be in.
  package struct State: Sendable {
    let name: String
    let look: Look

    /// The look of a state: a height and a colour. Either is enough to recognise it.
    package enum Look: String, Sendable {
      /// In the foreground: as high as the lane.
      case strong
      /// Almost in the foreground: a little lower.
      case middle
      /// At work: about half as high.
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

    /// The shape of a sign.
    package enum Shape: String, Sendable {
      /// A severe event.
      case cross
      /// A warning.
      case triangle
      /// A denial.
      case ring
    }

    /// A sign of this name.
    package init(_ name: String, _ shape: Shape) { (self.name, self.shape) = (name, shape) }
  }

  /// A lane.
  package struct Lane: Sendable {
    /// The name.
    package var name: String
    /// The states, in order, without overlaps.
    package var spans: [Span] = []
    /// The bars, in the order of their beginnings.
    package var bars: [Bar] = []
    /// The signs, in order.
    package var marks: [Mark] = []
    /// The events in the list, in order: an instant and a sentence for each.
    package var events: [(time: Double, text: String, isGrave: Bool)] = []
    /// The number of events that `events` leaves out.
    package var eventsLeftOut = 0

    /// An empty lane.
    package init(_ name: String) { self.name = name }
  }

  /// A period in one state, in seconds from the beginning.
  package struct Span: Sendable {
    let state: Int
    let start: Double
    let end: Double

    /// A span of this state.
    package init(_ state: Int, _ start: Double, _ end: Double) {
      (self.state, self.start, self.end) = (state, start, end)
    }
  }

  /// Something with a duration. Its text appears when the pointer is over it.
  package struct Bar: Sendable {
    let track: Int
    let start: Double
    let end: Double
    let text: String

    /// A bar on this track.
    package init(_ track: Int, _ start: Double, _ end: Double, _ text: String) {
      (self.track, self.start, self.end, self.text) = (track, start, end, text)
    }
  }

  /// Something that happens at an instant. Its text appears when the pointer is over it.
  package struct Mark: Sendable {
    let sign: Int
    let time: Double
    let text: String

    /// A mark with this sign.
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

  // MARK: Words

  /// The time in each drawn state, and the numbers of bars and
  /// signs: `active 12s, background 30s; 1 task; 1 expiration`.
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

  static let time = AxisMeasure("time", .seconds)

  /// An instant or a duration, to the microsecond.
  static func exactly(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 9e9 else { return time.text(seconds) }
    return HumanTime.text(ofNanoseconds: Int64((seconds * 1e6).rounded()) * 1_000)
  }
}
