import CurfewEngine

/// One sequence of Perfetto's packets: tracks, events on them, and interned words.
///
/// Only names of annotations and categories are interned, because the trace format fixes their
/// number. The number of names of tasks and requests may grow with the run, so these names are
/// written out.
struct PerfettoPackets: Sendable {
  typealias Field = PerfettoField

  /// The sequence's number: with one sequence, any number except 0.
  private static let sequence: UInt64 = 1

  private var bytes: [UInt8] = []
  private var hasBegun = false
  private var trackCount: UInt64 = 0
  private var flowCount: UInt64 = 0
  private var categories: [String: UInt64] = [:]
  private var names: [String: UInt64] = [:]
  /// The interned words that the next packet must define.
  private var newWords = ProtobufMessage()

  /// Returns the packets since the last call.
  mutating func drain() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Returns the number of a new flow.
  mutating func newFlow() -> UInt64 {
    flowCount += 1
    return flowCount
  }

  // MARK: Tracks

  /// The sorts of tracks.
  enum TrackSort {
    /// A track that only holds other tracks, in the order of their ranks.
    case group
    case events
    case counter(unit: String)
  }

  /// Adds a track and returns its number. Perfetto shows tracks with the same parent and name as
  /// one track with several rows.
  mutating func addTrack(
    _ name: String, under parent: UInt64? = nil, rank: Int = 0, _ sort: TrackSort
  ) -> UInt64 {
    trackCount += 1
    let descriptor = ProtobufMessage {
      $0.add(Field.Track.uuid, trackCount)
      $0.add(Field.Track.name, name)
      if let parent {
        $0.add(Field.Track.parentUUID, parent)
        $0.add(Field.Track.siblingOrderRank, UInt64(rank))
      }
      switch sort {
      case .group: $0.add(Field.Track.childOrdering, Field.Track.explicitly)
      case .events: break
      case .counter(let unit):
        $0.add(Field.Track.counter, ProtobufMessage { $0.add(Field.Counter.unitName, unit) })
      }
    }
    addPacket { $0.add(Field.Packet.trackDescriptor, descriptor) }
    return trackCount
  }

  // MARK: Events

  /// Begins a slice. It must end before any slice that is already open on its track.
  mutating func begin(
    _ name: String, _ category: String, on track: UInt64, at time: Instant,
    _ annotations: [NamedAnnotation], _ flows: Flows = .none
  ) {
    event(Field.EventType.sliceBegin, name, category, on: track, at: time, annotations, flows)
  }

  /// Ends the slice that began last on this track. The annotations are added to those of the slice.
  mutating func end(on track: UInt64, at time: Instant, _ annotations: [NamedAnnotation] = []) {
    event(Field.EventType.sliceEnd, nil, nil, on: track, at: time, annotations, .none)
  }

  /// Adds an event without a duration.
  mutating func instant(
    _ name: String, _ category: String, on track: UInt64, at time: Instant,
    _ annotations: [NamedAnnotation], _ flows: Flows = .none
  ) {
    event(Field.EventType.instant, name, category, on: track, at: time, annotations, flows)
  }

  /// Sets a counter from `time` on.
  mutating func count(_ value: Int64, on track: UInt64, at time: Instant) {
    let event = ProtobufMessage {
      $0.add(Field.Event.type, Field.EventType.counter)
      $0.add(Field.Event.trackUUID, track)
      $0.add(Field.Event.counterValue, signed: value)
    }
    addPacket(at: time) { $0.add(Field.Packet.trackEvent, event) }
  }

  private mutating func event(
    _ type: UInt64, _ name: String?, _ category: String?, on track: UInt64, at time: Instant,
    _ annotations: [NamedAnnotation],
    _ flows: Flows
  ) {
    var event = ProtobufMessage()
    event.add(Field.Event.type, type)
    event.add(Field.Event.trackUUID, track)
    if let category { event.add(Field.Event.categoryIIDs, number(ofCategory: category)) }
    if let name { event.add(Field.Event.name, name) }
    for annotation in annotations { event.add(Field.Event.debugAnnotations, message(annotation)) }
    for flow in flows.through { event.add(Field.Event.flowIDs, fixed: flow) }
    for flow in flows.ending { event.add(Field.Event.terminatingFlowIDs, fixed: flow) }
    addPacket(at: time) { $0.add(Field.Packet.trackEvent, event) }
  }

  private mutating func message(_ annotation: NamedAnnotation) -> ProtobufMessage {
    var message = ProtobufMessage()
    message.add(Field.Annotation.nameIID, number(ofName: annotation.name))
    fill(&message, annotation.value)
    return message
  }

  private mutating func fill(_ message: inout ProtobufMessage, _ value: Annotation) {
    switch value {
    case .text(let text): message.add(Field.Annotation.text, text)
    case .number(let number): message.add(Field.Annotation.number, signed: number)
    case .flag(let flag): message.add(Field.Annotation.flag, flag: flag)
    case .record(let entries):
      for entry in entries { message.add(Field.Annotation.entries, self.message(entry)) }
    case .list(let values):
      for value in values {
        var element = ProtobufMessage()
        fill(&element, value)
        message.add(Field.Annotation.elements, element)
      }
    }
  }

  // MARK: Words and packets

  private mutating func number(ofCategory word: String) -> UInt64 {
    PerfettoPackets.number(of: word, in: &categories, Field.Interned.eventCategories, &newWords)
  }

  private mutating func number(ofName word: String) -> UInt64 {
    PerfettoPackets.number(of: word, in: &names, Field.Interned.debugAnnotationNames, &newWords)
  }

  private static func number(
    of word: String, in words: inout [String: UInt64], _ field: Int,
    _ newWords: inout ProtobufMessage
  ) -> UInt64 {
    if let number = words[word] { return number }
    let number = UInt64(words.count + 1)
    words[word] = number
    let entry = ProtobufMessage {
      $0.add(Field.Interned.iid, number)
      $0.add(Field.Interned.name, word)
    }
    newWords.add(field, entry)
    return number
  }

  /// Every packet is one field of the trace, so a file may be written and read packet by packet.
  private mutating func addPacket(at time: Instant? = nil, _ fill: (inout ProtobufMessage) -> Void)
  {
    var packet = ProtobufMessage()
    if let time { packet.add(Field.Packet.timestamp, UInt64(time.nanoseconds)) }
    packet.add(Field.Packet.trustedPacketSequenceID, PerfettoPackets.sequence)
    if hasBegun {
      packet.add(Field.Packet.sequenceFlags, Field.SequenceFlags.needsIncrementalState)
    } else {
      hasBegun = true
      packet.add(
        Field.Packet.sequenceFlags,
        Field.SequenceFlags.incrementalStateCleared | Field.SequenceFlags.needsIncrementalState)
      packet.add(
        Field.Packet.tracePacketDefaults,
        ProtobufMessage { $0.add(Field.Defaults.timestampClockID, Field.Clock.boottime) })
    }
    if !newWords.bytes.isEmpty {
      packet.add(Field.Packet.internedData, newWords)
      newWords = ProtobufMessage()
    }
    fill(&packet)
    bytes.append(contentsOf: ProtobufMessage { $0.add(Field.Trace.packet, packet) }.bytes)
  }
}
