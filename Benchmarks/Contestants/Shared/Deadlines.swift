/// The deadlines of a plan, in nanoseconds after the start.
struct Deadlines {
  private(set) var dues: [Int64] = []
  /// The timers that are cancelled, in the order of their instants.
  private(set) var cancels: [(instant: Int64, timer: Int)] = []

  var count: Int { dues.count }
  var last: Int64 { dues.max() ?? 0 }

  init(_ plan: inout Plan) throws {
    let count = try plan.number("timers")
    dues.reserveCapacity(count)
    for timer in 0..<count {
      var (k, due, cancel): (Int64, Int64, Int64) = (-1, -1, -1)
      try plan.readLine { key, number in
        switch key {
        case PlanKey("k"): k = number
        case PlanKey("due"): due = number
        case PlanKey("cancel"): cancel = number
        default: break
        }
      }
      guard k == timer, due >= 0 else { throw plan.wrong("expected the timer \(timer)") }
      dues.append(due)
      if cancel >= 0 { cancels.append((cancel, timer)) }
    }
    cancels.sort { $0 < $1 }
  }
}
