import CurfewEngine
package import CurfewPolicy
import CurfewText
package import CurfewTrace

/// Writes a run as a trace for Perfetto, line by line: https://ui.perfetto.dev shows it, its trace
/// processor queries it.
///
///     var perfetto = PerfettoTrace(header: trace.header, policy: policy)
///     for line in trace.lines { file.write(perfetto.bytes(for: line)) }
///
/// Each app is a group of tracks: its states, decisions, tasks, sessions, wakes, requests,
/// callbacks and calls. What is open at the line `end` is closed there; in a trace that was cut it
/// stays open, for nobody has seen its end.
///
/// It holds what is open, never what has been: its memory is that of the apps, whatever the length
/// of the run.
package struct PerfettoTrace: Sendable {
  var packets = PerfettoPackets()
  var device: DeviceTracks
  var apps: [String: AppTracks] = [:]
  var lives: AppLives
  let policy: PolicyFile
  private var explanations: TraceExplanations
  private let names: CallbackNames
  /// How many events and advances there were: what follows one before the next is what it led to.
  var step = 0
  /// What entered last, where it is not known yet what it led to first.
  var cause: Cause?

  /// What something follows from.
  struct Cause: Sendable {
    /// nil where it is about the whole device.
    let app: String?
    let flow: UInt64
  }

  /// Before the first line of the trace with this header.
  ///
  /// - Parameters:
  ///   - policy: What the trace was recorded under. It has the rules that annotations name.
  ///   - names: What callbacks are called.
  package init(header: TraceHeader, policy: PolicyFile, names: CallbackNames = .uikit) {
    self.init(
      header: header, policy: policy, names: names,
      explanations: TraceExplanations(policy: policy, header: header))
  }

  /// The same, with explanations that know which files say what.
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

  /// The next line, as bytes to be added to the file. Where it adds nothing there are none.
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

  /// A line, with what all events that are made of it have.
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

  /// Does something with an app's tracks, which the first line that names it makes.
  mutating func with<Result>(
    _ app: String, _ body: (inout AppTracks, inout PerfettoPackets) -> Result
  ) -> Result {
    var tracks = apps.removeValue(forKey: app) ?? AppTracks(app, into: &packets)
    defer { apps[app] = tracks }
    return body(&tracks, &packets)
  }

  /// The flow from what entered, where this is the first that it led to.
  mutating func takeCause(of app: String) -> UInt64? {
    guard let cause, cause.app == nil || cause.app == app else { return nil }
    self.cause = nil
    return cause.flow
  }
}
