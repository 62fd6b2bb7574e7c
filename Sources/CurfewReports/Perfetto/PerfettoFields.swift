/// The numbers of fields and enums in Perfetto's schema that a trace of Curfew uses. Each group
/// names its file in https://github.com/google/perfetto; changing a number there would break every
/// existing trace.
enum PerfettoField {
  /// `message Trace`, protos/perfetto/trace/trace.proto
  enum Trace {
    static let packet = 1
  }

  /// `message TracePacket`, protos/perfetto/trace/trace_packet.proto
  enum Packet {
    static let timestamp = 8
    static let trustedPacketSequenceID = 10
    static let trackEvent = 11
    static let internedData = 12
    static let sequenceFlags = 13
    static let tracePacketDefaults = 59
    static let trackDescriptor = 60
  }

  /// `enum SequenceFlags`, protos/perfetto/trace/trace_packet.proto
  enum SequenceFlags {
    static let incrementalStateCleared: UInt64 = 1
    static let needsIncrementalState: UInt64 = 2
  }

  /// `message TracePacketDefaults`, protos/perfetto/trace/trace_packet_defaults.proto
  enum Defaults {
    static let timestampClockID = 58
  }

  /// `enum BuiltinClock`, protos/perfetto/common/builtin_clock.proto
  enum Clock {
    /// The default clock of a trace, so no snapshot of clocks is needed.
    static let boottime: UInt64 = 6
  }

  /// `message InternedData`, protos/perfetto/trace/interned_data/interned_data.proto, and the `iid`
  /// and `name` of its entries
  enum Interned {
    static let eventCategories = 1
    static let debugAnnotationNames = 3
    static let iid = 1
    static let name = 2
  }

  /// `message TrackDescriptor`, protos/perfetto/trace/track_event/track_descriptor.proto
  enum Track {
    static let uuid = 1
    static let name = 2
    static let parentUUID = 5
    static let counter = 8
    static let childOrdering = 11
    static let siblingOrderRank = 12
    /// `enum ChildTracksOrdering`
    static let explicitly: UInt64 = 3
  }

  /// `message CounterDescriptor`, protos/perfetto/trace/track_event/counter_descriptor.proto
  enum Counter {
    static let unitName = 6
  }

  /// `message TrackEvent`, protos/perfetto/trace/track_event/track_event.proto
  enum Event {
    static let categoryIIDs = 3
    static let debugAnnotations = 4
    static let type = 9
    static let trackUUID = 11
    static let name = 23
    static let counterValue = 30
    static let flowIDs = 47
    static let terminatingFlowIDs = 48
  }

  /// `enum Type` of `TrackEvent`
  enum EventType {
    static let sliceBegin: UInt64 = 1
    static let sliceEnd: UInt64 = 2
    static let instant: UInt64 = 3
    static let counter: UInt64 = 4
  }

  /// `message DebugAnnotation`, protos/perfetto/trace/track_event/debug_annotation.proto
  enum Annotation {
    static let nameIID = 1
    static let flag = 2
    static let number = 4
    static let text = 6
    static let entries = 11
    static let elements = 12
  }
}
