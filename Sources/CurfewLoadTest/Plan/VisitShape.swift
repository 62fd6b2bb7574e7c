import CurfewEngine
import CurfewUV

/// The lengths that a plan is made of, in wall nanoseconds, as the policy and the scale give them.
struct PlanLengths {
  let grant: Int64
  /// From the start of the task clock to the warning.
  let warning: Int64
  let suspendDelay: Int64
  let policy: Policy
  let scale: TimeScale

  /// How long apps stay in the foreground, if no other takes their place before. Long enough for
  /// a launch's callbacks to be on their way, short enough that thousands of apps a second can pass
  /// through a foreground for one.
  static let shortestStay: Int64 = 200_000
  static let longestStay: Int64 = 3_000_000
  /// What is left between the planned end of one thing and the start of the next of the same app,
  /// for hosts that are a little late.
  static let settling: Int64 = 20_000_000

  init(_ policy: Policy, _ scale: TimeScale) {
    self.policy = policy
    self.scale = scale
    grant = scale.length(policy.tasks.grant)
    warning = scale.length(
      Interval(nanoseconds: policy.tasks.grant.nanoseconds - policy.tasks.warning.nanoseconds))
    suspendDelay = scale.length(policy.suspendDelay)
  }

  func linger(_ kind: AssertionKind) -> Int64 {
    scale.length(policy.sessions[kind]?.linger ?? .zero)
  }

  /// A session's length is a part of the grant, between these.
  var sessionLengths: (shortest: Int64, longest: Int64) { (grant / 20, grant / 5) }

  /// How long after a wake's delivery its app may say that it is done.
  func wakeRuns(_ kind: AssertionKind) -> (shortest: Int64, longest: Int64) {
    let longest = min(scale.length(policy.wakes[kind]?.length ?? .zero), grant) / 2
    return (longest / 10, longest)
  }

  /// What a visit of an app with this role takes at most, from the launch to the start of the next.
  func longestVisit(_ role: LoadApp.Role) -> Int64 {
    let plain = PlanLengths.longestStay + grant + suspendDelay + PlanLengths.settling
    switch role {
    case .plain: return plain
    case .session(let kind): return plain + sessionLengths.longest + linger(kind)
    case .wake(let kind):
      return plain + wakeRuns(kind).longest + suspendDelay + PlanLengths.settling
    }
  }
}

extension TimeScale {
  /// Longer than any run, and short enough that a few such lengths can be added up.
  private static let longestLength: Int64 = 1 << 58

  /// The wall time that a length of engine time takes, in nanoseconds, rounded up.
  func length(_ interval: Interval) -> Int64 {
    min(wall(for: .zero + interval), TimeScale.longestLength)
  }
}

/// What happens in one visit, relative to the departure from the foreground, before it is known
/// when that is.
struct VisitShape {
  var stay: Int64
  var tasks: [LoadTask] = []
  var session: (kind: AssertionKind, start: Int64, stop: Int64)?
  var wake: (kind: AssertionKind, delivery: Int64, completion: Int64)?
  /// From the launch to where everything has come to rest.
  var span: Int64 = 0

  /// How a visit is meant to go.
  private enum Fate { case finishes, finishesLate, expires, overruns }

  /// Draws a visit. Of a hundred, 60 end their tasks in the handler, 30 before the warning, 8
  /// between the warning and the end, and 2 never.
  init(_ role: LoadApp.Role, _ lengths: PlanLengths, wakes: Bool, _ random: inout PlanRandom) {
    stay = random.between(PlanLengths.shortestStay, PlanLengths.longestStay)
    var fate: Fate =
      switch random.below(100) {
      case 0..<60: .expires
      case 60..<90: .finishes
      case 90..<98: .finishesLate
      default: .overruns
      }
    if case .session(let kind) = role, random.percent(50) {
      let start = random.between(lengths.warning / 50, lengths.warning / 12)
      session = (
        kind, start,
        start + random.between(lengths.sessionLengths.shortest, lengths.sessionLengths.longest)
      )
      // What is planned for after the warning would have to know how long the clock stood still.
      if fate != .finishes { fate = .expires }
    }
    for number in 0..<random.between(1, 4) {
      // The first task decides how the visit goes; the others go along or are done in time.
      let own = number == 0 || random.percent(50) ? fate : .finishes
      let ending = VisitShape.ending(own, lengths, &random)
      tasks.append(LoadTask(label: UInt32(number), ending: ending))
    }
    let rest = restOfVisit(fate, lengths) + lengths.suspendDelay + PlanLengths.settling
    span = stay + rest
    if case .wake(let kind) = role, wakes {
      let run = random.between(lengths.wakeRuns(kind).shortest, lengths.wakeRuns(kind).longest)
      wake = (kind, rest, rest + run)
      span += run + lengths.suspendDelay + PlanLengths.settling
    }
  }

  /// When the visit's last deadline or doing is, at the latest.
  private func restOfVisit(_ fate: Fate, _ lengths: PlanLengths) -> Int64 {
    let sessionEnd = session.map { $0.stop + lengths.linger($0.kind) } ?? 0
    guard fate == .finishes else {
      return lengths.grant + (session.map { $0.stop - $0.start + lengths.linger($0.kind) } ?? 0)
    }
    let work = tasks.map { if case .planned(let work) = $0.ending { work } else { lengths.grant } }
    return max(work.max() ?? 0, sessionEnd)
  }

  private static func ending(_ fate: Fate, _ lengths: PlanLengths, _ random: inout PlanRandom)
    -> LoadTask.Ending
  {
    switch fate {
    case .finishes: .planned(work(lengths, &random))
    case .finishesLate: .planned(random.between(lengths.warning, lengths.grant))
    case .expires: .inHandler
    case .overruns: .never
    }
  }

  /// Up to the warning itself: what ends close to it is part of life.
  private static func work(_ lengths: PlanLengths, _ random: inout PlanRandom) -> Int64 {
    random.between(lengths.warning / 10, lengths.warning)
  }
}
