internal import CurfewEngine
internal import CurfewText

extension TraceLine {
  /// Whether both lines have the same text. Such lines may be unequal: several kinds of event share
  /// a callback's name, and the engine knows more about a process's end than the line contains.
  package func isWritten(like other: TraceLine) -> Bool {
    self == other && budgets == other.budgets || json() == other.json()
  }

  /// The budgets that deny, which equality of denials ignores.
  private var budgets: [String] {
    if case .decision(_, _, let denied, _) = body { denied.budgets } else { [] }
  }

  /// The line as the format writes it, without a line end.
  public func json(_ names: CallbackNames = .uikit) -> String {
    var line = JSONLine()
    line.add("t", time.nanoseconds)
    line.add("app", app)
    var values = LineValues()
    if case .event(let deed) = body {
      line.add("type", "event")
      line.add("do", deed.verb.name)
      deed.verb.row.values.write(deed, to: &line)
      deed.verb.row.traced.write(deed, to: &line)
    } else if let type = LineType.of(body, &values) {
      line.add("type", type.name)
      if case .callback(let callback) = body {
        line.add("name", names.name(of: callback))
      } else {
        type.values.write(values, to: &line)
      }
    }
    return line.closed
  }
}

extension TraceLine: CustomStringConvertible {
  /// The line as the format writes it.
  public var description: String { json() }
}

extension PlainObject {
  private static let types = Dictionary(
    uniqueKeysWithValues: LineType.all.map { ($0.name, (row: $0, reader: LineReader($0.values))) })
  private static let deeds = InputVerb.rows.map { LineReader($0.values + $0.traced) }

  /// Returns the line that this object contains.
  func line() throws(Refusal) -> TraceLine {
    let t = try need(try number(.t), .t)
    guard t >= 0 else { throw Refusal("'t' counts nanoseconds from the start, found \(t)") }
    return TraceLine(time: Instant(nanoseconds: t), app: try text(.app), try body())
  }

  private func body() throws(Refusal) -> TraceLine.Body {
    let name = try need(try text(.type), .type)
    if name == "event" { return .event(try deed()) }
    guard let type = PlainObject.types[name] else {
      throw Refusal("'type' has the unknown value '\(name)'")
    }
    var values = LineValues()
    try type.reader.read(self, into: &values)
    return try type.row.body(values)
  }

  /// The deed in an event's line.
  private func deed() throws(Refusal) -> EngineInput {
    let name = try need(try text(.do), .do)
    guard let verb = InputVerb.named(name) else {
      throw Refusal("'do' has the unknown value '\(name)'")
    }
    var deed = EngineInput(verb)
    try PlainObject.deeds[Int(verb.rawValue)].read(self, into: &deed)
    if verb == .crash, let problem = deed.crashProblem { throw Refusal(problem) }
    if verb == .setDevice, deed.device == nil { throw Refusal("'setDevice' names no fact") }
    return deed
  }
}
