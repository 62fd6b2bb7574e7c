/// Apps that have been called and have not answered, each once. The last one called has the turn; it is nearly always the only one.
struct Turns: ~Copyable {
  private var last: AppID?
  private var others = Column<AppID>()
  /// Whether the last has been given the turn, and nothing has been said since.
  var isGiven = false

  @inline(__always)
  mutating func add(_ app: AppID) {
    if let last, last != app { keep(last, behind: app) }
    last = app
    isGiven = false
  }

  @inline(never)
  private mutating func keep(_ other: AppID, behind app: AppID) {
    removeOther(app)
    others.append(other)
  }

  mutating func remove(_ app: AppID) {
    if last == app { takeNext() } else { removeOther(app) }
  }

  private mutating func removeOther(_ app: AppID) {
    var kept = Column<AppID>(minimumCapacity: others.count)
    for index in 0..<others.count where others[index] != app { kept.append(others[index]) }
    others = kept
  }

  /// Who has the turn now. Who was given it before and did nothing with it has it no more.
  @inline(__always)
  mutating func give(_ engine: borrowing Engine) -> AppID? {
    while let app = last {
      if !isGiven, engine.owesReturn(app) {
        isGiven = true
        return app
      }
      takeNext()
    }
    return nil
  }

  @inline(__always)
  private mutating func takeNext() {
    last = others.count > 0 ? others.removeLast() : nil
    isGiven = false
  }

  func copy() -> Turns {
    var copy = Turns()
    copy.last = last
    copy.others = others.copy()
    copy.isGiven = isGiven
    return copy
  }
}
