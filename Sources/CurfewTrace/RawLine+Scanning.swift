import CurfewText

extension RawLine {
  /// A line of plain values; nil for any other, which a JSON library has to look at.
  ///
  /// - Parameter isCutOff: Whether the line just stops.
  init?(scanning bytes: [UInt8], isCutOff: inout Bool) {
    self.init()
    guard var scan = FlatObjectScan(bytes) else { return nil }
    while true {
      switch scan.next() {
      case .end: return
      case .member(let key, let value): guard take(key, value) else { return nil }
      case .other:
        isCutOff = scan.reached == bytes.count
        return nil
      }
    }
  }

  /// false for a known key that stands there twice or has a value of another type. The keys that nearly every line has come first.
  private mutating func take(_ key: String, _ value: FlatObjectScan.Value) -> Bool {
    switch key {
    case "t": value.put(into: &t)
    case "app": value.put(into: &app)
    case "type": value.put(into: &type)
    case "do": value.put(into: &`do`)
    case "from": value.put(into: &from)
    case "to": value.put(into: &to)
    case "name": value.put(into: &name)
    case "task": value.put(into: &task)
    case "event": value.put(into: &event)
    case "callback": value.put(into: &callback)
    case "reason": value.put(into: &reason)
    case "kind": value.put(into: &kind)
    case "mode": value.put(into: &mode)
    case "allowed": value.put(into: &allowed)
    case "reasons": value.put(into: &reasons)
    case "due": value.put(into: &due)
    case "next": value.put(into: &next)
    case "value": value.put(into: &self.value)
    case "identifier": value.put(into: &identifier)
    case "id": value.put(into: &id)
    case "result": value.put(into: &result)
    case "after": value.put(into: &after)
    case "handler": value.put(into: &handler)
    case "state": value.put(into: &state)
    case "backgroundTimeRemaining": value.put(into: &backgroundTimeRemaining)
    case "code": value.put(into: &code)
    case "tasks": value.put(into: &tasks)
    case "error": value.put(into: &error)
    default: takeOfEvent(key, value)
    }
  }

  private mutating func takeOfEvent(_ key: String, _ value: FlatObjectScan.Value) -> Bool {
    switch key {
    case "status": value.put(into: &status)
    case "backgroundRefresh": value.put(into: &backgroundRefresh)
    case "lowPowerMode": value.put(into: &lowPowerMode)
    case "battery": value.put(into: &battery)
    case "charging": value.put(into: &charging)
    case "network": value.put(into: &network)
    case "memory": value.put(into: &memory)
    case "thermal": value.put(into: &thermal)
    case "footprint": value.put(into: &footprint)
    case "share": value.put(into: &share)
    case "for": value.put(into: &`for`)
    case "in": value.put(into: &`in`)
    case "interval": value.put(into: &interval)
    case "earliest": value.put(into: &earliest)
    case "requiresNetwork": value.put(into: &requiresNetwork)
    case "requiresPower": value.put(into: &requiresPower)
    default: true
    }
  }
}

extension FlatObjectScan.Value {
  fileprivate func put(into field: inout String?) -> Bool {
    guard field == nil, case .text(let text) = self else { return false }
    field = text
    return true
  }

  fileprivate func put(into field: inout Int64?) -> Bool {
    guard field == nil, case .number(let number) = self else { return false }
    field = number
    return true
  }

  fileprivate func put(into field: inout Bool?) -> Bool {
    guard field == nil, case .flag(let flag) = self else { return false }
    field = flag
    return true
  }

  fileprivate func put(into field: inout [String]?) -> Bool {
    guard field == nil, case .texts(let texts) = self else { return false }
    field = texts
    return true
  }

  fileprivate func put(into field: inout RawLine.LabelOrNumber?) -> Bool {
    guard field == nil else { return false }
    switch self {
    case .text(let text): field = .label(text)
    case .number(let number):
      guard let number = UInt32(exactly: number) else { return false }
      field = .number(number)
    case .flag, .texts: return false
    }
    return true
  }

  fileprivate func put(into field: inout RawDevice.Switch?) -> Bool {
    guard field == nil else { return false }
    switch self {
    case .text(let word): field = .word(word)
    case .flag(let flag): field = .flag(flag)
    case .number, .texts: return false
    }
    return true
  }
}
