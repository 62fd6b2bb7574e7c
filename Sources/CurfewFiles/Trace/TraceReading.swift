internal import CurfewEngine
internal import Foundation

extension Trace {
  /// Reads a trace file: a header, then a line for each event and action. Keys that this version does not know are ignored.
  ///
  /// - Throws: Every line that could not be read, with its place.
  public static func decode(_ source: SourceFile) throws(FileErrors) -> Trace {
    let decoder = JSONDecoder()
    var header: TraceHeader?
    var lines: [TraceLine] = []
    var problems: [FileDiagnostic] = []
    for (index, text) in source.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where !text.isEmpty {
      let place = SourcePlace(file: source.name, line: index + 1, column: 1)
      do {
        let raw = try decoder.decode(RawLine.self, from: Data(text.utf8))
        if header == nil {
          header = try raw.header()
        } else {
          lines.append(try raw.line())
        }
      } catch let refusal as TraceRefusal {
        problems.append(FileDiagnostic(at: place, refusal.message))
      } catch {
        problems.append(FileDiagnostic(at: place, "not a trace's line: \(text.prefix(60))"))
      }
      if header == nil { break }  // whatever else the file is, it is no trace
      guard problems.count < 20 else { break }
    }
    if header == nil, problems.isEmpty {
      problems.append(FileDiagnostic(file: source.name, "a trace begins with a header line; this file is empty"))
    }
    guard let header, problems.isEmpty else { throw FileErrors(problems) }
    return Trace(header: header, lines: lines)
  }
}

private struct TraceRefusal: Error { var message: String }

/// Any line, all keys optional: which are needed depends on the type.
private struct RawLine: Decodable {
  var curfew: String?
  var policy: String?
  var policyDigest: String?
  var seed: UInt64?
  var apps: [String]?
  var exitsOnSuspend: [String]?

  var t: Int64?
  var app: String?
  var type: String?
  var `do`: String?
  var name: String?
  var from: String?
  var to: String?
  var event: String?
  var task: LabelOrNumber?
  var reason: String?
  var due: Int64?
  var mode: String?
  var kind: String?
  var allowed: Bool?
  var reasons: [String]?
  var result: String?
  var callback: String?
  var handler: String?
  var state: String?
  var backgroundTimeRemaining: Int64?
  var code: String?
  var tasks: [String]?

  enum LabelOrNumber: Decodable {
    case label(String)
    case number(UInt32)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(UInt32.self) {
        self = .number(number)
      } else {
        self = .label(try container.decode(String.self))
      }
    }
  }

  func header() throws -> TraceHeader {
    guard let version = curfew else { throw TraceRefusal(message: "a trace begins with a header: {\"curfew\":\"trace/1\",…}") }
    guard version == "trace/1" else { throw TraceRefusal(message: "this reads trace/1, found '\(version)'") }
    let apps = apps ?? []
    if let twice = Dictionary(grouping: apps, by: \.self).first(where: { $1.count > 1 })?.key {
      throw TraceRefusal(message: "the app '\(twice)' stands twice in 'apps'")
    }
    return TraceHeader(
      name: try need(name, "name"), policy: try need(policy, "policy"), policyDigest: try need(policyDigest, "policyDigest"),
      seed: seed ?? 0, apps: apps, exitsOnSuspend: exitsOnSuspend ?? [])
  }

  func line() throws -> TraceLine {
    let t = try need(t, "t")
    guard t >= 0 else { throw TraceRefusal(message: "'t' counts nanoseconds from the start, found \(t)") }
    return TraceLine(time: Instant(nanoseconds: t), app: app, try body())
  }

  private func body() throws -> TraceLine.Body {
    switch try need(type, "type") {
    case "event": return .event(try traceEvent())
    case "state": return .state(from: try named(from, "from"), to: try named(to, "to"))
    case "callback":
      let name = try need(name, "name")
      guard let callback = CallbackNames.callback(named: name) else { throw TraceRefusal(message: "no callback is called '\(name)'") }
      return .callback(callback)
    case "task":
      guard let change = TraceLine.TaskChange(rawValue: try need(event, "event")) else { throw unknown(event, "event") }
      return .task(change, try taskID(), name: try need(name, "name"))
    case "expiration":
      return .expiration(try taskID(), name: try need(name, "name"), try named(reason, "reason"), due: due.map(Instant.init(nanoseconds:)))
    case "session":
      guard let change = SessionChange(traceName: try need(event, "event")) else { throw unknown(event, "event") }
      return .session(try named(mode, "mode"), change)
    case "decision":
      return .decision(try named(kind, "kind"), denied: try denied())
    case "wake":
      guard let change = TraceLine.WakeChange(rawValue: try need(event, "event")) else { throw unknown(event, "event") }
      return .wake(try named(kind, "kind"), change)
    case "probe":
      return .probe(try named(state, "state"), remaining: backgroundTimeRemaining.map(Interval.init(nanoseconds:)))
    case "terminated":
      return .terminated(TerminatedProcess(reason: try named(reason, "reason"), code: try terminationCode(), tasks: tasks))
    case "diagnostic":
      return .diagnostic(try named(name, "name"), try `do`.map { .step($0) } ?? (task == nil ? .none : .task(taskID())))
    default: throw unknown(type, "type")
    }
  }

  private func traceEvent() throws -> TraceEvent {
    switch try need(`do`, "do") {
    case "launch": return .launch
    case "home": return .home
    case "lock": return .lock
    case "unlock": return .unlock
    case "interrupt": return .interrupt
    case "acceptInterruption": return .acceptInterruption
    case "ignoreInterruption": return .ignoreInterruption
    case "forceQuit": return .forceQuit
    case "reboot": return .reboot
    case "expireTasks": return .expireTasks(try reason.map { try named($0, "reason") })
    case "deliver": return .deliver(try named(kind, "kind"))
    case "return": return .returned(try named(callback, "callback"))
    case "beginTask":
      guard case .label(let label) = try need(task, "task") else { throw TraceRefusal(message: "a begun task is named by its label") }
      return .beginTask(label, handler == "none" ? .absent : .present)
    case "endTask":
      switch try need(task, "task") {
      case .label(let label): return .endTask(.label(label))
      case .number(let id): return .endTask(.id(TaskID(rawValue: id)))
      }
    case "startSession": return .startSession(try named(mode, "mode"))
    case "stopSession": return .stopSession(try named(mode, "mode"))
    case "completeWake": return .completeWake(try kind.map { try named($0, "kind") }, try result.map { try named($0, "result") })
    case "crash": return .crash(try reason.map { try named($0, "reason") })
    case "probe": return .probe
    default: throw unknown(`do`, "do")
    }
  }

  // MARK: Values

  private func need<Value>(_ value: Value?, _ key: String) throws -> Value {
    guard let value else { throw TraceRefusal(message: "the key '\(key)' is missing") }
    return value
  }

  private func named<Value: FileNamed>(_ text: String?, _ key: String) throws -> Value {
    guard let value = Value(fileName: try need(text, key)) else { throw unknown(text, key) }
    return value
  }

  private func unknown(_ text: String?, _ key: String) -> TraceRefusal {
    TraceRefusal(message: "'\(key)' has the unknown value '\(text ?? "")'")
  }

  private func taskID() throws -> TaskID {
    guard case .number(let id) = try need(task, "task") else { throw TraceRefusal(message: "'task' is a number here") }
    return TaskID(rawValue: id)
  }

  private func denied() throws -> DenialReasons {
    var denied: DenialReasons = []
    for name in reasons ?? [] { denied.formUnion(try named(name, "reasons")) }
    guard denied.isEmpty == (try need(allowed, "allowed")) else {
      throw TraceRefusal(message: "'allowed' and 'reasons' contradict each other")
    }
    return denied
  }

  private func terminationCode() throws -> TerminationCode? {
    guard let code else { return nil }
    guard code.hasPrefix("0x"), let value = UInt32(code.dropFirst(2), radix: 16) else { throw unknown(code, "code") }
    return TerminationCode(rawValue: value)
  }
}
