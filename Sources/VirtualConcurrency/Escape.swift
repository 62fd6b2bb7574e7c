internal import CVirtualTime

/// A piece of work outside virtual time: a thread, a `URLSession` task, a Dispatch source, a timer
/// of a run loop, a suspended queue, or a block or a Swift task that such work begins. It was begun
/// by captured work or by another escape.
final class Escape: @unchecked Sendable {
  /// The kinds of work, with the numbers that CVirtualTime uses.
  enum Kind: Int32 {
    case block, delayedBlock, thread, session, task, source, suspendedQueue, timer

    /// `Dispatch block`, or `Dispatch blocks` for any count but one.
    func name(isPlural: Bool) -> String {
      let name =
        switch self {
        case .block: "Dispatch block"
        case .delayedBlock: "delayed Dispatch block"
        case .thread: "thread"
        case .session: "URLSession task"
        case .task: "Swift task outside virtual time"
        case .source: "Dispatch source"
        case .suspendedQueue: "suspended queue"
        case .timer: "run-loop timer"
        }
      guard isPlural else { return name }
      return self == .task ? "Swift tasks outside virtual time" : name + "s"
    }
  }

  let kind: Kind
  let origin: Frames
  /// The work that began this work, if it was also outside virtual time.
  let parent: Escape?
  /// The owner of the captured code that resumed a `URLSession` task.
  let owner: AnyObject?
  /// The number of the capture to which the work belongs.
  let capture: Int
  /// The queue and the group of a block, both retained, and the block itself if the program can
  /// wait for it. Only compared, never used.
  let queue: UnsafeRawPointer?, group: UnsafeRawPointer?, item: UnsafeRawPointer?
  /// The group whose emptiness a notification waits for, retained.
  let notifier: UnsafeRawPointer?
  let isBarrier: Bool
  /// The object that says whether a `URLSession` task or a Swift task is over.
  private(set) weak var object: AnyObject?
  /// Whether the work's function has begun. Guarded by the lock of `EscapeLedger`, like the
  /// properties below.
  var hasBegun = false
  /// Whether the work's function has returned.
  var hasReturned = false
  /// Whether captured work has waited for this work, so that it is done by now in every run: it has
  /// resumed a captured task, or a wait that covers it has returned.
  var isAwaited = false
  /// Whether the time of its end does not matter: captured work has waited for this work or for
  /// the work that began it, or this work was cancelled.
  var isSettled: Bool {
    isCancelled || sequence(first: self, next: \.parent).contains(where: \.isAwaited)
  }
  /// Whether the work is an item that was cancelled before it began, and so does nothing.
  private(set) var isCancelled = false
  /// Whether the work may have resumed a captured task, which becomes known at its end.
  var mayBeAwaited = false
  /// Whether a wait for this work has timed out; only the report at the end waits for it again.
  var isLong = false
  /// The real time since which a `URLSession` task holds virtual time back.
  private var heldSince: RealTime?
  /// The semaphores that the work has signalled and the groups that it has left, each with a count.
  var signals: [UnsafeRawPointer: Int] = [:]

  init(_ work: cvt_work, _ kind: Kind, parent: Escape?, owner: AnyObject?, capture: Int) {
    (self.kind, self.parent, self.owner, self.capture) = (kind, parent, owner, capture)
    (queue, group, item, notifier, isBarrier) = (
      work.queue, work.group, work.item, work.notifier, work.is_barrier
    )
    origin = .ofThread
    for object in [queue, group, notifier] { if let object { cvt_retain_dispatch_object(object) } }
    if let object = work.object {
      self.object = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    }
  }

  deinit {
    for object in [queue, group, notifier] { if let object { cvt_release_dispatch_object(object) } }
  }

  /// Whether virtual time must not pass yet, because this is a `URLSession` task in flight that
  /// captured work has resumed, and that has not exceeded the patience, in seconds.
  func holdsTimeBack(for patience: Double) -> Bool {
    guard kind == .session, parent == nil, !isDone else { return false }
    let since = heldSince ?? .now
    heldSince = since
    return since.age < patience
  }

  /// Whether the work is done only by chance: captured work has not waited for it, or the wait has
  /// timed out.
  var isByChance: Bool { isDone && (isLong && !isCancelled || !isSettled) }

  /// Whether this work is `other`, or was begun by `other`, directly or indirectly.
  func descends(from other: Escape) -> Bool {
    sequence(first: self, next: \.parent).contains { $0 === other }
  }

  /// Whether the work may last as long as the test without doing anything: a thread that waits for
  /// work, or a block that is due much later.
  var mayBeIdle: Bool {
    switch kind {
    case .thread, .delayedBlock, .source, .suspendedQueue, .timer: true
    case .block, .session, .task: false
    }
  }

  /// Whether the work is done. A released object counts as done.
  var isDone: Bool {
    switch kind {
    case .block, .delayedBlock, .thread, .source, .suspendedQueue, .timer:
      hasReturned || hasBeenCancelled
    case .session: look(cvt_is_session_over)
    case .task: look(cvt_is_complete)
    }
  }

  private var hasBeenCancelled: Bool {
    if let item, !hasBegun, !isCancelled { isCancelled = cvt_is_item_cancelled(item) }
    return isCancelled
  }

  private func look(_ question: (UnsafeRawPointer) -> Bool) -> Bool {
    guard let object else { return true }
    EscapeLedger.shared.releases.append(object)
    return withExtendedLifetime(object) { question(Unmanaged.passUnretained(object).toOpaque()) }
  }
}

/// Work outside virtual time, in the form reported to a test.
package struct EscapedWork: Sendable, CustomStringConvertible {
  let kind: Escape.Kind
  private let origin: Frames

  init(_ escape: Escape) { (kind, origin) = (escape.kind, escape.origin) }

  /// The function, the file and the line that began the work, as far as the program's symbols
  /// contain them.
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  package var place: String { origin.place ?? Frames.noPlace }

  /// `Dispatch block that closure #1 in upload() at Client.swift:12 began`.
  package var description: String { "\(kind.name(isPlural: false)) that \(place) began" }
}

extension [EscapedWork] {
  /// `1 Dispatch block that f() at Client.swift:12 began`. Several pieces of work are counted by
  /// kind, and the places follow.
  var sentence: (subject: String, isPlural: Bool, places: String) {
    if count == 1 { return ("1 \(self[0])", false, "") }
    var counts: [(kind: Escape.Kind, count: Int)] = []
    for work in self {
      if let index = counts.firstIndex(where: { $0.kind == work.kind }) {
        counts[index].count += 1
      } else {
        counts.append((work.kind, 1))
      }
    }
    let subject = counts.map { "\($0.count) \($0.kind.name(isPlural: $0.count > 1))" }.joined(
      separator: " and ")
    var places: [String] = []
    for work in self where !places.contains(work.place) { places.append(work.place) }
    return (subject, true, "; begun by " + places.joined(separator: ", by "))
  }
}

/// A step of virtual time that was taken while work outside virtual time was unfinished.
package struct TimeJump: Sendable, CustomStringConvertible {
  /// The instants before and after the step.
  package let from: Nanoseconds, to: Nanoseconds
  /// The work that was not done.
  package let unfinished: [EscapedWork]
  /// The work that was done, although no captured work had waited for it.
  package let finishedByChance: [EscapedWork]

  /// `time passed from 0 s to 30 s while 1 Dispatch block that f() at Client.swift:12 began was not done`.
  package var description: String {
    let passed = "time passed from \(from.inSeconds) to \(to.inSeconds)"
    if unfinished.isEmpty {
      let (subject, isPlural, places) = finishedByChance.sentence
      return
        "\(passed) and did not wait for \(subject), which \(isPlural ? "were" : "was") done in time by chance\(places)"
    }
    let (subject, isPlural, places) = unfinished.sentence
    return "\(passed) while \(subject) \(isPlural ? "were" : "was") not done\(places)"
  }
}

/// A sleep of a captured task whose deadline comes from the real clock, so that it ends at
/// a different instant in each run.
package struct RealSleep: Sendable, CustomStringConvertible {
  let origin: Frames

  /// The function, the file and the line of the sleep.
  package var place: String { origin.place ?? Frames.noPlace }

  /// The text of a report.
  package var description: String {
    "a sleep has its deadline from the real clock: \(place) sleeps, or has read the clock, on a thread outside virtual time "
      + "(an executor of the program's own, or an actor that other tests use at the same time)"
  }
}

extension Nanoseconds {
  /// `25.5 s`.
  fileprivate var inSeconds: String {
    let (seconds, rest) = quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = rest == 0 ? "" : String(String(1_000_000_000 + rest).dropFirst())
    while digits.hasSuffix("0") { digits.removeLast() }
    return digits.isEmpty ? "\(seconds) s" : "\(seconds).\(digits) s"
  }
}
