import CurfewEngine
package import CurfewPolicy
import CurfewText
package import CurfewTrace

/// Converts a trace to a trace for Perfetto, line by line. https://ui.perfetto.dev shows it,
/// and Perfetto's trace processor queries it.
///
///     var perfetto = PerfettoTrace(header: trace.header, policy: policy)
///     for line in trace.lines { file.write(perfetto.bytes(for: line)) }
///
/// Each app is a group of tracks: its states, decisions, tasks, sessions, wakes, requests,
/// callbacks and calls. The line `end` closes all open slices. In a trace that was cut they stay
/// open, because their ends are unknown.
///
/// The converter keeps only open slices, so its memory depends on the number of apps, not on
/// the length of the run.
package struct PerfettoTrace: Sendable {
  var packets = PerfettoPackets()
  var device: DeviceTracks
  var apps: [String: AppTracks] = [:]
  var lives: AppLives
  let policy: PolicyFile
  private var explanations: TraceExplanations
  private let names: CallbackNames
  /// The number of events and advances so far. Lines up to the next one are its consequences.
  var step = 0
  /// The newest event, until its first consequence takes it.
  var cause: Cause?

  /// The event that caused a line.
  struct Cause: Sendable {
    /// The app; nil if the event is about the whole device.
    let app: String?
    let flow: UInt64
  }

  /// The converter for the trace with this header, before its first line.
  ///
  /// - Parameters:
  ///   - policy: The policy that the trace was recorded under. Annotations name its rules.
  ///   - names: The names of callbacks.
  package init(header: TraceHeader, policy: PolicyFile, names: CallbackNames = .uikit) {
    self.init(
      header: header, policy: policy, names: names,
      explanations: TraceExplanations(policy: policy, header: header))
  }

  /// The same converter, with the explanations of a run whose files are known.
  package init(
    header: TraceHeader, policy: PolicyFile, names: CallbackNames = .uikit,
    explanations: TraceExplanations
  ) {
    (self.policy, self.names, self.explanations) = (policy, names, explanations)
    lives = AppLives(apps: header.apps, policy: policy.policy)
    device = DeviceTracks(into: &packets)
    device.instant(
      "begin", DeviceTracks.category, at: .zero, PerfettoTrace.annotations(of: header),
      into: &packets)
    device.set(header.device.applied(to: DeviceFacts()), at: .zero, into: &packets)
    for fact in header.facts.names where header.facts[fact] == true {
      device.set(fact, fact, at: .zero, into: &packets)
    }
  }

  /// Converts the next line. Returns the bytes to append to the file, which may be none.
  package mutating func bytes(for line: TraceLine) -> [UInt8] {
    add(line)
    return packets.drain()
  }

  private static func annotations(of header: TraceHeader) -> [NamedAnnotation] {
    let settings = header.settings.map { NamedAnnotation($0.path, .text($0.text)) }
    return [
      NamedAnnotation("name", .text(header.name)), NamedAnnotation("policy", .text(header.policy)),
      NamedAnnotation("policyDigest", .text(header.policyDigest)),
      NamedAnnotation("seed", .text(String(header.seed))),
    ] + (settings.isEmpty ? [] : [NamedAnnotation("set", .record(settings))])
      + [NamedAnnotation("clock", text: header.clock)].compactMap(\.self)
  }

  // MARK: Lines

  private mutating func add(_ line: TraceLine) {
    let why = explanations.explanations(of: line)
    let told = Told(
      line, words: line.words(names).text,
      annotations: line.pairs.map { NamedAnnotation($0.key, Annotation($0.value)) })
    switch line.body {
    case .event(let deed):
      (step, cause) = (step + 1, nil)
      enter(deed, told)
    case .advance: (step, cause) = (step + 1, nil)
    case .end:
      end(at: line.time)
    default:
      guard let app = line.app else {
        return device.instant(
          told.words, line.typeName, at: line.time, told.annotations + policy.annotations(of: why),
          into: &packets)
      }
      deliver(line.body, told, to: app)
      happen(told, why, to: app)
    }
  }

  /// A line, with the words and annotations of all events that are made from it.
  struct Told {
    let line: TraceLine
    let words: String
    let annotations: [NamedAnnotation]

    var time: Instant { line.time }

    init(_ line: TraceLine, words: String, annotations: [NamedAnnotation]) {
      (self.line, self.words, self.annotations) = (line, words, annotations)
    }
  }

  private mutating func end(at time: Instant) {
    for (name, tracks) in apps.sorted(by: { $0.key < $1.key }) {
      var tracks = tracks
      tracks.lanes.endAll(at: time, because: "run", into: &packets)
      apps[name] = tracks
    }
    device.end(at: time, into: &packets)
    device.instant("end", DeviceTracks.category, at: time, [], into: &packets)
  }

  // MARK: Apps

  /// Calls `body` with an app's tracks, which are created by the first line that names it.
  mutating func with<Result>(
    _ app: String, _ body: (inout AppTracks, inout PerfettoPackets) -> Result
  ) -> Result {
    var tracks = apps.removeValue(forKey: app) ?? AppTracks(app, into: &packets)
    defer { apps[app] = tracks }
    return body(&tracks, &packets)
  }

  /// Takes the flow of the newest event, if it is about this app or the device and was not
  /// taken yet.
  mutating func takeCause(of app: String) -> UInt64? {
    guard let cause, cause.app == nil || cause.app == app else { return nil }
    self.cause = nil
    return cause.flow
  }
}
