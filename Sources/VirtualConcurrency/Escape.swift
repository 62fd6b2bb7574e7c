internal import CVirtualTime

/// Work outside virtual time that captured work, or other such work, has begun: a Dispatch block, a
/// thread, a `URLSession` task, or a Swift task in one of those.
final class Escape: @unchecked Sendable {
  /// Kinds of work, with the numbers that CVirtualTime has for them.
  enum Kind: Int32 {
    case block, delayedBlock, thread, session, task

    /// `Dispatch block`, and `Dispatch blocks` for any count but one.
    func name(isPlural: Bool) -> String {
      let name =
        switch self {
        case .block: "Dispatch block"
        case .delayedBlock: "delayed Dispatch block"
        case .thread: "thread"
        case .session: "URLSession task"
        case .task: "Swift task outside virtual time"
        }
      guard isPlural else { return name }
      return self == .task ? "Swift tasks outside virtual time" : name + "s"
    }
  }

  let kind: Kind
  let origin: Frames
  /// The work that began it, if that had left virtual time already.
  let parent: Escape?
  /// The number of the capture that it belongs to.
  let capture: Int
  /// The queue and the group of a block, both retained, and the block itself if the program can
  /// wait for it. Compared only, never used.
  let queue: UnsafeRawPointer?, group: UnsafeRawPointer?, item: UnsafeRawPointer?
  /// The group that is empty before a notification begins, retained.
  let notifier: UnsafeRawPointer?
  let isBarrier: Bool
  /// The object that knows when a `URLSession` task or a Swift task is over.
  private(set) weak var object: AnyObject?
  /// Whether its function has begun. Under the lock of `Escapes`, as those below.
  var hasBegun = false
  /// Whether its function has returned.
  var hasReturned = false
  /// Whether captured work has waited for it, so that it is done here in every run: it has resumed
  /// a captured task, or a wait has returned after it.
  var isAwaited = false
  /// Whether it does not matter when it is done: captured work has waited for it or for the work
  /// that began it, or it was cancelled.
  var isSettled: Bool {
    isCancelled || sequence(first: self, next: \.parent).contains(where: \.isAwaited)
  }
  /// Whether it is an item that was cancelled before it began, and does nothing any more.
  private(set) var isCancelled = false
  /// Whether it may have resumed a captured task, which its end will show.
  var mayBeAwaited = false
  /// Whether it has been waited for in vain, and is not waited for again.
  var isLong = false
  /// The semaphores that it has signalled, and the groups that it has left, each with how often.
  var signals: [UnsafeRawPointer: Int] = [:]

  init(_ work: cvt_work, _ kind: Kind, parent: Escape?, capture: Int) {
    (self.kind, self.parent, self.capture) = (kind, parent, capture)
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

  /// Whether real time decided that it is done: captured work has not waited for it, or in vain.
  var isByChance: Bool { isDone && (isLong && !isCancelled || !isSettled) }

  /// Whether it has begun at the request of other work, itself or further back.
  func descends(from other: Escape) -> Bool {
    sequence(first: self, next: \.parent).contains { $0 === other }
  }

  /// Whether it may last as long as the test without doing anything: a thread that waits for more
  /// to do, or a block whose time is far away.
  var mayBeIdle: Bool { kind == .thread || kind == .delayedBlock }

  /// Whether it is done. An object that is gone is done.
  var isDone: Bool {
    switch kind {
    case .block, .delayedBlock, .thread: hasReturned || hasBeenCancelled
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
    Escapes.shared.releases.append(object)
    return withExtendedLifetime(object) { question(Unmanaged.passUnretained(object).toOpaque()) }
  }
}

/// Work outside virtual time, as a test is told of it.
package struct EscapedWork: Sendable, CustomStringConvertible {
  let kind: Escape.Kind
  private let origin: Frames

  init(_ escape: Escape) { (kind, origin) = (escape.kind, escape.origin) }

  /// The function, the file and the line that began it, as far as the program's symbols tell.
  /// - Complexity: Reads the program's debug information: up to a second.
  package var place: String { origin.place ?? Frames.noPlace }

  /// `Dispatch block that closure #1 in upload() at Client.swift:12 began`.
  package var description: String { "\(kind.name(isPlural: false)) that \(place) began" }
}

extension [EscapedWork] {
  /// `1 Dispatch block that f() at Client.swift:12 began`; several are counted by kind, and the
  /// places follow.
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

/// A step of virtual time beside work outside it.
package struct TimeJump: Sendable, CustomStringConvertible {
  /// The instant that was left, and the one that was gone to.
  package let from: Nanoseconds, to: Nanoseconds
  /// The work that was not done.
  package let unfinished: [EscapedWork]
  /// The work for which nothing waited, and that was done all the same.
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

/// A sleep of a captured task whose deadline was made by the real clock: it ends at another instant
/// in each run.
package struct RealSleep: Sendable, CustomStringConvertible {
  let origin: Frames

  /// The function, the file and the line that sleeps.
  package var place: String { origin.place ?? Frames.noPlace }

  /// A sentence.
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
