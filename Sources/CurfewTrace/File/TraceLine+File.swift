internal import CurfewEngine
internal import CurfewText

extension TraceLine {
  /// Whether both are written alike. They need not be equal: kinds of event share a callback's name, and of a process's end the engine
  /// knows more than its line says.
  func isWritten(like other: TraceLine) -> Bool { self == other || json() == other.json() }

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

  /// The line that an object is.
  init(_ object: PlainObject) throws(Refusal) {
    let t = try object.need(try object.number("t"), "t")
    guard t >= 0 else { throw Refusal("'t' counts nanoseconds from the start, found \(t)") }
    let app = try object.text("app")
    let type = try object.need(try object.text("type"), "type")
    let body: Body
    if type == "event" {
      body = .event(try Deed(object))
    } else {
      guard let row = LineType.named(type) else { throw Refusal("'type' has the unknown value '\(type)'") }
      var values = LineValues()
      try object.read(row.values, into: &values)
      body = try row.body(values)
    }
    self.init(time: Instant(nanoseconds: t), app: app, body)
  }
}

extension TraceLine: CustomStringConvertible {
  /// The line as the format writes it.
  public var description: String { json() }
}

extension Deed {
  /// What an event's line says.
  fileprivate init(_ object: PlainObject) throws(Refusal) {
    let name = try object.need(try object.text("do"), "do")
    guard let verb = Verb.named(name) else { throw Refusal("'do' has the unknown value '\(name)'") }
    self.init(verb)
    try object.read(verb.row.values, into: &self)
    try object.read(verb.row.traced, into: &self)
    if verb == .setDevice, device == nil { throw Refusal("'setDevice' names no fact") }
  }
}
