extension Driver {
  /// Apps answer what they are called with by causing it again at the same instant, so that time
  /// does not go on (rule C4).
  public struct Standstill: Hashable, Sendable {
    /// The call that starts an answer.
    public enum Cause: Hashable, Sendable {
      /// A callback, a handler or an event is delivered.
      case called(AppID, Moment)
      /// A plan of the host under this number is due.
      case due(UInt32)
    }

    /// An app's answer to one call.
    public struct Answer: Hashable, Sendable {
      /// The call.
      public let cause: Cause
      /// The first 16 events of the answer, without its return.
      public internal(set) var events: [Event] = []
      /// Whether the host planned something for the same instant in it.
      public internal(set) var plansAgain = false
      /// Whether the app has returned.
      var hasReturned = false
    }

    /// Where time stands still.
    public let instant: Instant
    /// The answers that cause one another, in order; none if the engine's own steps do.
    public let answers: [Answer]
  }

  /// Lets a run that stands still go on, after something has changed outside: steps are counted
  /// anew, and the app whose turn was left out has it.
  public mutating func resume() {
    standstill = nil
    finishInstant()
  }

  /// All is done that apps have caused at this instant: anything more at it comes from outside.
  /// `step` and `next` find that out by themselves, but not while the host runs an app's code
  /// outside of a turn.
  @inline(__always)
  package mutating func finishInstant() {
    (count.taken, count.atStep) = (0, 0)
    if count.limit != StepCount.firstLook { forgetWatch() }
  }

  @inline(never)
  private mutating func forgetWatch() {
    count = StepCount()
    heedsEvents = rests.count > 0
  }

  /// Looks closer at an instant that has had many steps.
  ///
  /// Many steps alone are sound: a thousand handlers of one app may be due at once, and may each
  /// set off something. So a copy, in which every app returns at once, finds the steps that come
  /// without the apps' doing, and they are allowed; so are, once, those that apps have caused
  /// meanwhile. From then on each look must find at least a tenth less to do than the one before.
  /// Otherwise only answers to answers keep the instant going.
  /// - Parameter inStep: Whether deliveries of the present step have brought it here. A step comes
  ///   to its end, so that the run ends with a whole one, unless it has no end itself.
  /// - Returns: Whether time stands still.
  /// - Complexity: O(apps + assertions + deadlines + steps to come) for a look; O(log(steps to
  ///   come)) looks in an instant.
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
      // Rule F9 ends a process that goes on beginning tasks after its warning, and tells more.
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

  /// How many steps come at this instant if no app does anything but return; 1 at least.
  private func stepsWithoutApps() -> Int {
    var copy = copy()
    copy.count = StepCount(limit: .max)
    var steps = 0
    repeat {
      copy.settle()
      // A look past the instant's end sets the count to zero.
      steps = copy.count.taken
    } while steps < StepCount.mostWithoutApps && copy.takeStep(until: now)
    return max(1, steps)
  }
}

/// The steps at the present instant: the engine's, what is due of plans, and deliveries to apps.
struct StepCount {
  /// The limit of steps for each app. The most eventful instant of the rules' scenarios has 13.
  static let most = 1_000
  /// The steps for each app from which they are watched, so that what repeats itself is known when
  /// they are too many.
  static let firstLook = 900
  /// The deliveries after which a step counts as endless.
  static let mostOfStep = 16
  /// The steps after which a copy is stopped, should the engine itself not come to an end.
  static let mostWithoutApps = 1_000_000

  var taken = 0
  /// How many there were when the last step was taken: the deliveries since are that step's.
  var atStep = 0
  /// At how many the driver looks closer.
  var limit = StepCount.firstLook
  /// nil while there are few.
  var watch: StepWatch?
}

/// The calls and answers of a watched instant.
struct StepWatch {
  typealias Answer = Driver.Standstill.Answer

  /// The last of them.
  private(set) var answers: [Answer] = []
  /// Whether an expiration handler of a task is among them.
  private(set) var hasExpirations = false
  /// How often the driver has looked closer since.
  var looks = 0
  /// How many steps the last look found to come without the apps' doing.
  var toCome: Int
  /// Whether steps were allowed once more for rule F9.
  var hasGrace = false

  /// The limits of a cycle's answers and of an answer's events.
  private static let mostAnswers = 128
  private static let mostEvents = 16

  init(toCome: Int) { self.toCome = toCome }

  mutating func noteCall(of app: AppID, _ moment: Moment?) {
    guard let moment else { return }
    if moment == .expirationHandler { hasExpirations = true }
    append(Answer(cause: .called(app, moment)))
  }

  mutating func noteDue(_ number: UInt32) { append(Answer(cause: .due(number))) }

  mutating func notePlan() {
    if !answers.isEmpty { answers[answers.count - 1].plansAgain = true }
  }

  /// - Parameter app: The app that has the turn; nil where its host runs its code outside of turns.
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

  /// The shortest end of the answers that came twice, one after the other, without those in which
  /// nothing was done.
  var cycle: [Answer] {
    // The last call may have had no turn.
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
