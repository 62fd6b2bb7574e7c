import CurfewEngine
import CurfewText

/// Any line but the header as it is written, all keys optional: which are needed depends on the type.
struct RawLine: RawObject {
  var t: Int64?
  var app: String?
  var type: String?
  var `do`: String?
  var name: String?
  var value: String?
  var from: String?
  var to: String?
  var event: String?
  var task: LabelOrNumber?
  var identifier: String?
  var id: String?
  var reason: String?
  var error: String?
  var due: Int64?
  var mode: String?
  var kind: String?
  var allowed: Bool?
  var reasons: [String]?
  var next: Int64?
  var result: String?
  var after: Int64?
  var callback: String?
  var handler: String?
  var state: String?
  var backgroundTimeRemaining: Int64?
  var code: String?
  var tasks: [String]?
  // Of events.
  var status: String?
  var backgroundRefresh: RawDevice.Switch?
  var lowPowerMode: Bool?
  var battery: String?
  var charging: Bool?
  var network: String?
  var memory: String?
  var thermal: String?
  var footprint: String?
  var share: String?
  var `for`: String?
  var `in`: String?
  var interval: String?
  var earliest: String?
  var requiresNetwork: Bool?
  var requiresPower: Bool?

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

  func line() throws(Refusal) -> TraceLine {
    let t = try need(t, "t")
    guard t >= 0 else { throw Refusal("'t' counts nanoseconds from the start, found \(t)") }
    return TraceLine(time: Instant(nanoseconds: t), app: app, try body())
  }

  private func body() throws(Refusal) -> TraceLine.Body {
    switch try need(type, "type") {
    case "event": return .event(try traceEvent())
    case "advance": return .advance
    case "state": return .state(from: try named(from, "from"), to: try named(to, "to"))
    case "callback":
      let name = try need(name, "name")
      guard let callback = CallbackNames.callback(named: name) else { throw Refusal("no callback is called '\(name)'") }
      return .callback(callback)
    case "task":
      guard let change = TraceLine.TaskChange(rawValue: try need(event, "event")) else { throw unknown(event, "event") }
      return .task(change, try taskID(), name: try need(name, "name"))
    case "expiration":
      return .expiration(try taskID(), name: try need(name, "name"), try named(reason, "reason"), due: due.map(Instant.init(nanoseconds:)))
    case "session":
      guard let change = SessionChange(traceName: try need(event, "event")) else { throw unknown(event, "event") }
      return .session(try named(mode, "mode"), change)
    case "decision": return .decision(try named(kind, "kind"), denied: try denied(), next: next.map(Instant.init(nanoseconds:)))
    case "wake":
      guard let change = TraceLine.WakeChange(rawValue: try need(event, "event")) else { throw unknown(event, "event") }
      return .wake(try named(kind, "kind"), change)
    case "notification": return try notification()
    case "request": return .request(identifier: try need(identifier, "identifier"), try requestKind(), try requestChange())
    case "probe":
      return .probe(try named(state, "state"), remaining: backgroundTimeRemaining.map(Interval.init(nanoseconds:)))
    case "terminated":
      return .terminated(TerminatedProcess(reason: try named(reason, "reason"), code: try terminationCode(), tasks: tasks))
    case "diagnostic":
      if let `do` { return .diagnostic(try named(name, "name"), .step(`do`)) }
      return .diagnostic(try named(name, "name"), task == nil ? .none : .task(try taskID()))
    case "gap": throw Refusal("a 'gap' stands for lines that a slow reader did not get; what is left is no trace")
    default: throw unknown(type, "type")
    }
  }

  // MARK: Values

  func taskID() throws(Refusal) -> TaskID {
    guard case .number(let id) = try need(task, "task") else { throw Refusal("'task' is a number here") }
    return TaskID(rawValue: id)
  }

  /// The kind of a request, which is no other wake's.
  func requestKind() throws(Refusal) -> AssertionKind {
    let kind: AssertionKind = try named(kind, "kind")
    guard kind == .appRefresh || kind == .processing else { throw Refusal("no request is of the kind '\(kind.fileName)'") }
    return kind
  }

  private func notification() throws(Refusal) -> TraceLine.Body {
    guard let id else { return .notification(name: try need(name, "name"), value: value) }
    guard name == nil else { throw Refusal("a notification has a 'name' or an 'id', not both") }
    return .localNotification(id: id, try named(event, "event"))
  }

  private func requestChange() throws(Refusal) -> RequestChange {
    let change: RequestChange
    switch try need(event, "event") {
    case "submit": change = .submitted
    case "replace": change = .replaced
    case "start": change = .started
    case "cancel": change = .cancelled
    case "refused": return .refused(try named(error, "error"))
    default: throw unknown(event, "event")
    }
    guard error == nil else { throw Refusal("only a request that is refused has an 'error'") }
    return change
  }

  private func denied() throws(Refusal) -> DenialReasons {
    var denied: DenialReasons = []
    for name in reasons ?? [] { denied.formUnion(try named(name, "reasons")) }
    guard denied.isEmpty == (try need(allowed, "allowed")) else { throw Refusal("'allowed' and 'reasons' contradict each other") }
    guard !denied.isEmpty || next == nil else { throw Refusal("what is allowed has no 'next'") }
    return denied
  }

  private func terminationCode() throws(Refusal) -> TerminationCode? {
    guard let code else { return nil }
    guard code.hasPrefix("0x"), let value = UInt32(code.dropFirst(2), radix: 16) else { throw unknown(code, "code") }
    return TerminationCode(rawValue: value)
  }
}
