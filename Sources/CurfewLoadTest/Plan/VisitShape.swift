import CurfewEngine
import CurfewUV

/// The lengths that a plan is made of, in wall nanoseconds, from the policy and the scale.
struct PlanLengths {
  let grant: Int64
  /// The time from the start of the task clock to the warning.
  let warning: Int64
  let suspendDelay: Int64
  let policy: Policy
  let scale: TimeScale

  /// The bounds of a stay in the foreground, if no other app takes its place before. The shortest
  /// stay is long enough for a launch's callbacks to be under way, and short enough that thousands
  /// of apps per second can pass through a foreground for one app.
  static let shortestStay: Int64 = 200_000
  static let longestStay: Int64 = 3_000_000
  /// The time between the planned end of one activity and the start of the next of the same app,
  /// for hosts that are slightly late.
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

  /// The bounds of a session's length, as parts of the grant.
  var sessionLengths: (shortest: Int64, longest: Int64) { (grant / 20, grant / 5) }

  /// The bounds of the time from a wake's delivery to its completion by the app.
  func wakeRuns(_ kind: AssertionKind) -> (shortest: Int64, longest: Int64) {
    let longest = min(scale.length(policy.wakes[kind]?.length ?? .zero), grant) / 2
    return (longest / 10, longest)
  }

  /// The maximum length of a visit of an app with this role, from the launch to the start
  /// of the next.
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
  /// A length longer than any run, yet short enough that a few can be added without overflow.
  private static let longestLength: Int64 = 1 << 58

  /// The wall time that a length of engine time takes, in nanoseconds, rounded up.
  func length(_ interval: Interval) -> Int64 {
    min(wall(for: .zero + interval), TimeScale.longestLength)
  }
}

/// The activities of one visit, relative to its departure from the foreground, whose instant
/// is not known yet.
struct VisitShape {
  var stay: Int64
  var tasks: [LoadTask] = []
  var session: (kind: AssertionKind, start: Int64, stop: Int64)?
  var wake: (kind: AssertionKind, delivery: Int64, completion: Int64)?
  /// The time from the launch until everything is at rest.
  var span: Int64 = 0

  /// The planned course of a visit.
  private enum Fate { case finishes, finishesLate, expires, overruns }

  /// Draws a visit: 60 % end their tasks in the handler, 30 % before the warning, 8 % between
  /// the warning and the end, and 2 % never.
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
      // A step planned after the warning would depend on how long the grant's clock stands still.
      if fate != .finishes { fate = .expires }
    }
    for number in 0..<random.between(1, 4) {
      // The first task decides the course of the visit. Each other task takes the same course
      // or ends before the warning.
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

  /// The latest time of the visit's last deadline or activity.
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

  /// Draws a time up to the warning itself, because real tasks also end close to their warning.
  private static func work(_ lengths: PlanLengths, _ random: inout PlanRandom) -> Int64 {
    random.between(lengths.warning / 10, lengths.warning)
  }
}
