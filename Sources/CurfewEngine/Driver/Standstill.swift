extension Driver {
  /// A standstill: apps answer their calls by causing them again at the same instant, so that time
  /// does not advance (rule C4).
  public struct Standstill: Hashable, Sendable {
    /// The call that starts an answer.
    public enum Cause: Hashable, Sendable {
      /// A callback, a handler or an event is delivered.
      case called(AppID, AppCall)
      /// The host's plan with this number is due.
      case due(UInt32)
    }

    /// An app's answer to one call.
    public struct Answer: Hashable, Sendable {
      /// The call.
      public let cause: Cause
      /// The first 16 events of the answer, without its return.
      public internal(set) var events: [Event] = []
      /// Whether the host planned something for the same instant during the answer.
      public internal(set) var plansAgain = false
      /// Whether the app has returned.
      var hasReturned = false
    }

    /// The instant at which time stands still.
    public let instant: Instant
    /// The answers that cause one another, in order; empty if the engine's own steps keep the
    /// instant going.
    public let answers: [Answer]
  }

  /// Lets a stopped run continue after something outside has changed. Steps are counted from zero
  /// again, and the app whose turn was skipped gets its turn.
  public mutating func resume() {
    standstill = nil
    finishInstant()
  }

  /// Ends the count of steps at the current instant: everything that apps caused is done, and later
  /// events at this instant come from outside. `step` and `next` do this themselves, but not while
  /// the host runs an app's code outside a turn.
  @inline(__always)
  package mutating func finishInstant() {
    (count.taken, count.atStep) = (0, 0)
    if count.limit != StepCount.firstLook { forgetWatch() }
  }

  @inline(never)
  private mutating func forgetWatch() {
    count = StepCount()
    heedsEvents = resting > 0
  }

  /// Examines an instant that has had many steps.
  ///
  /// Many steps are not a mistake in themselves: a thousand handlers of one app may be due at once,
  /// and each may cause further steps. A copy in which every app returns at once counts the steps
  /// that come without any act of an app; these are allowed. The steps that apps have caused
  /// meanwhile are allowed once. From then on each examination must find at least a tenth fewer
  /// steps to come than the previous one. Otherwise only answers to answers keep the instant going.
  /// - Parameter inStep: Whether deliveries of the current step caused this examination.
  ///   The step is finished first, so that the run ends with a whole step, unless the step itself
  ///   is endless.
  /// - Returns: Whether time stands still.
  /// - Complexity: O(apps + assertions + deadlines + steps to come) per examination; O(log(steps
  ///   to come)) examinations per instant.
  @inline(never)
  mutating func standsStill(inStep: Bool = false) -> Bool {
    if standstill != nil { return true }
    let apps = max(1, engine.appCount)
    guard pace == .punctual, count.taken >= StepCount.firstLook * apps else {
      count.limit = pace == .punctual ? StepCount.firstLook * apps : .max
      return false
    }
    let toCome = stepsWithoutApps()
    guard let watch = count.watch else {
      count.watch = StepWatch(toCome: toCome)
      heedsEvents = true
      count.limit = count.taken + toCome
      return false
    }
    if watch.looks == 0 {
      count.limit = max(StepCount.most * apps - StepCount.mostOfStep, count.taken + toCome)
    } else if toCome * 10 <= watch.toCome * 9 {
      count.limit = count.taken + toCome
    } else if watch.hasExpirations, !watch.hasGrace {
      // Rule F9 ends a process that keeps beginning tasks after its warning. That end explains more
      // than a standstill.
      count.watch?.hasGrace = true
      count.limit = count.taken + StepCount.most * apps
    } else {
      if inStep, count.taken - count.atStep < StepCount.mostOfStep { return false }
      standstill = Standstill(instant: now, answers: watch.cycle)
      return true
    }
    count.watch?.looks += 1
    count.watch?.toCome = toCome
    return false
  }

  /// The number of steps that come at this instant if apps only return; at least 1.
  private func stepsWithoutApps() -> Int {
    var copy = copy()
    copy.count = StepCount(limit: .max)
    var steps = 0
    repeat {
      copy.settle()
      // Moving past the end of the instant would reset the count.
      steps = copy.count.taken
    } while steps < StepCount.mostWithoutApps && copy.takeStep(until: now)
    return max(1, steps)
  }
}

/// The number of steps at the current instant: the engine's steps, due plans, and deliveries
/// to apps.
struct StepCount {
  /// The limit on steps per app. The most eventful instant of the rules' scenarios has 13 steps.
  static let most = 1_000
  /// The number of steps per app from which answers are watched, so that the cycle is known when
  /// the limit is reached.
  static let firstLook = 900
  /// The number of deliveries after which a step counts as endless.
  static let mostOfStep = 16
  /// The number of steps after which a copy is stopped, in case the engine itself does not finish.
  static let mostWithoutApps = 1_000_000

  var taken = 0
  /// The value of `taken` when the last step was taken. Deliveries since then belong to that step.
  var atStep = 0
  /// The value of `taken` at which the driver examines the instant.
  var limit = StepCount.firstLook
  /// The watched answers; nil while there are few steps.
  var watch: StepWatch?
}

/// The calls and answers of a watched instant.
struct StepWatch {
  typealias Answer = Driver.Standstill.Answer

  /// The latest answers.
  private(set) var answers: [Answer] = []
  /// Whether an expiration handler of a task was called.
  private(set) var hasExpirations = false
  /// The number of examinations since the first.
  var looks = 0
  /// The number of steps to come without any act of an app, as found by the last examination.
  var toCome: Int
  /// Whether steps have been allowed once more for rule F9.
  var hasGrace = false

  /// The maximum number of answers in a cycle, and of events in an answer.
  private static let mostAnswers = 128
  private static let mostEvents = 16

  init(toCome: Int) { self.toCome = toCome }

  mutating func noteCall(of app: AppID, _ moment: AppCall?) {
    guard let moment else { return }
    if moment == .expirationHandler { hasExpirations = true }
    append(Answer(cause: .called(app, moment)))
  }

  mutating func noteDue(_ number: UInt32) { append(Answer(cause: .due(number))) }

  mutating func notePlan() {
    if !answers.isEmpty { answers[answers.count - 1].plansAgain = true }
  }

  /// - Parameter app: The app that has the turn; nil if the host runs an app's code outside a turn.
  mutating func note(_ event: Event, by app: AppID?) {
    if case .began = event { return }
    if case .returned(let app) = event {
      if let place = answers.lastIndex(where: { $0.isCall(of: app) && !$0.hasReturned }) {
        answers[place].hasReturned = true
      }
      return
    }
    let place =
      answers.lastIndex { $0.isCall(of: app ?? event.app) && !$0.hasReturned } ?? answers.lastIndex
    { !$0.hasReturned }
      ?? answers.indices.last
    guard let place, answers[place].events.count < StepWatch.mostEvents else { return }
    answers[place].events.append(event)
  }

  private mutating func append(_ answer: Answer) {
    if answers.count == 2 * StepWatch.mostAnswers { answers.removeFirst(StepWatch.mostAnswers) }
    answers.append(answer)
  }

  /// The shortest sequence of answers that occurs twice in a row at the end. Answers in which
  /// the app did nothing are left out.
  var cycle: [Answer] {
    // The app called last may not have had its turn.
    let whole = answers.last.map { !$0.isDone } ?? false ? answers.dropLast() : answers[...]
    let causes = whole.map(\.cause)
    let length = (1...max(1, causes.count / 2)).first {
      causes.suffix($0) == causes.dropLast($0).suffix($0)
    }
    return whole.suffix(length ?? StepWatch.mostAnswers).filter {
      !$0.events.isEmpty || $0.plansAgain
    }
  }
}

extension Driver.Standstill.Answer {
  fileprivate func isCall(of app: AppID?) -> Bool {
    if case .called(app, _) = cause { true } else { false }
  }

  fileprivate var isDone: Bool {
    if case .due = cause { true } else { hasReturned }
  }
}
