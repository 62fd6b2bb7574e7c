/// A trace for Perfetto as its readers understand it, with the faults that they would find. Field
/// numbers are written out here, independently of the writer.
struct ReadTrace {
  struct Event {
    var category: String
    var name: String
    var track: UInt64
    /// The app, or `device`.
    var group: String
    var start: Int64
    /// nil for an instant, and for a slice that is still open at the end of the file.
    var end: Int64?
    var isSlice: Bool
    /// Annotations of the beginning and of the end.
    var notes: [String: String]
    var flows: [UInt64]
  }

  private(set) var events: [Event] = []
  /// The name and the parent of each track.
  private(set) var tracks: [UInt64: (name: String, parent: UInt64?)] = [:]
  private(set) var counters: [(time: Int64, value: Int64)] = []
  /// Faults that no trace may have.
  private(set) var problems: [String] = []
  private var words: [UInt64: String] = [:]
  private var names: [UInt64: String] = [:]
  /// The open slices of each track, outermost first.
  private(set) var open: [UInt64: [Int]] = [:]
  private var time: Int64 = 0
  private var ended: Set<UInt64> = []

  init(_ bytes: [UInt8]) {
    guard let trace = WireMessage(bytes) else {
      problems.append("it is not a message")
      return
    }
    for (index, packet) in trace.messages(1).enumerated() {
      // The first packet has SEQ_INCREMENTAL_STATE_CLEARED, all have SEQ_NEEDS_INCREMENTAL_STATE.
      if packet.number(13) != (index == 0 ? 3 : 2) || packet.number(10) != 1 {
        problems.append("packet \(index) has no sequence")
      }
      for words in packet.messages(12) {
        for word in words.messages(1) { self.words[word.number(1) ?? 0] = word.text(2) }
        for word in words.messages(3) { names[word.number(1) ?? 0] = word.text(2) }
      }
      for track in packet.messages(60) { describe(track) }
      for event in packet.messages(11) { take(event, packet.number(8).map(Int64.init)) }
    }
  }

  /// The slices and instants of a category.
  func all(_ category: String) -> [Event] { events.filter { $0.category == category } }

  private mutating func describe(_ track: WireMessage) {
    guard let uuid = track.number(1), tracks[uuid] == nil else {
      return problems.append("a track without a number of its own")
    }
    let parent = track.number(5)
    if let parent, tracks[parent] == nil {
      problems.append("track \(uuid) is under \(parent), which is not known")
    }
    tracks[uuid] = (track.text(2) ?? "", parent)
  }

  private mutating func take(_ event: WireMessage, _ time: Int64?) {
    guard let time, time >= self.time else {
      return problems.append("time goes back from \(self.time) to \(time ?? -1)")
    }
    self.time = time
    guard let track = event.number(11), let (name, parent) = tracks[track] else {
      return problems.append("an event on no track")
    }
    var notes: [String: String] = [:]
    for note in event.messages(4) { notes[names[note.number(1) ?? 0] ?? "?"] = text(note) }
    if notes.keys.contains("?") { problems.append("an annotation whose name was never defined") }
    switch event.number(9) {
    case 4: counters.append((time, Int64(bitPattern: event.number(30) ?? 0)))
    case 2:
      guard let index = open[track]?.popLast() else {
        return problems.append("an end on '\(name)' where nothing is open")
      }
      events[index].end = time
      events[index].notes.merge(notes) { $1 }
    case 1, 3:
      let category = event.number(3).flatMap { words[$0] }
      guard let category, let title = event.text(23) else {
        return problems.append("an event without a name or a category")
      }
      let flows = event.fixed(47) + event.fixed(48)
      for flow in flows where ended.contains(flow) {
        problems.append("flow \(flow) continues after its end")
      }
      for flow in event.fixed(48) {
        ended.insert(flow)
        if !events.contains(where: { $0.flows.contains(flow) }) {
          problems.append("flow \(flow) ends but never began")
        }
      }
      let isSlice = event.number(9) == 1
      if isSlice, open[track]?.isEmpty == false { problems.append("slices overlap on '\(name)'") }
      if isSlice { open[track, default: []].append(events.count) }
      events.append(
        Event(
          category: category, name: title, track: track,
          group: parent.flatMap { tracks[$0]?.name } ?? name, start: time, end: nil,
          isSlice: isSlice, notes: notes, flows: flows))
    default: problems.append("an event of an unknown type")
    }
  }

  /// An annotation's value as text: a record's entries, a list's elements.
  private func text(_ note: WireMessage) -> String {
    if let text = note.text(6) { return text }
    if let number = note.number(4) { return "\(Int64(bitPattern: number))" }
    if let flag = note.number(2) { return "\(flag == 1)" }
    let entries = note.messages(11).map { "\(names[$0.number(1) ?? 0] ?? "?"): \(text($0))" }
    return "[\((entries + note.messages(12).map(text)).joined(separator: ", "))]"
  }
}
