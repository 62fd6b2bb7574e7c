/// A wake that its app has completed.
struct CompletedWake: Linked {
  var next = Place<CompletedWake>.nowhere
  /// The number of wakes that the process had completed before it, modulo 2³².
  let number: UInt32
  let wake: AdmittedWake
  /// The instant of the completion.
  let at: Instant
}

/// The wakes that the current process of each app has completed, so that a second completion
/// is distinguished from a mistaken one (rule W2).
///
/// Invariants: a wake is in its app's chain, in order of completion; the numbers in a chain follow
/// each other; a chain has at most `limit` wakes, and none if the app is not running.
struct CompletedWakes: ~Copyable {
  /// The number of wakes that are kept for an app. A second completion soon follows the first: it
  /// comes from the other of two callbacks.
  static let limit = 16

  private(set) var records = Slab<CompletedWake>()

  init() {}

  private init(copying other: borrowing CompletedWakes) { records = other.records.copy() }

  func copy() -> CompletedWakes { CompletedWakes(copying: self) }

  /// Keeps a wake. If there are too many, it replaces the oldest.
  /// - Complexity: O(1).
  mutating func add(_ wake: AdmittedWake, at now: Instant, to chain: inout Chain<CompletedWake>) {
    var number: UInt32 = 0
    if !chain.isEmpty {
      number = records[chain.last].number &+ 1
      if number &- records[records.first(of: chain)].number == CompletedWakes.limit {
        _ = records.removeFirst(of: &chain)
      }
    }
    _ = records.append(CompletedWake(number: number, wake: wake, at: now), to: &chain)
  }

  /// The wake that a choice with a number refers to.
  func first(meantBy choice: WakeChoice, in chain: Chain<CompletedWake>) -> CompletedWake? {
    guard choice.id != nil else { return nil }
    return records.first(in: chain) { choice.means($0.wake) }.map { records[$0] }
  }

  mutating func removeAll(of chain: inout Chain<CompletedWake>) { records.removeAll(of: &chain) }

  func checkInvariants(_ apps: borrowing AppTable) {
    var count = 0
    for app in apps.ids {
      let chain = apps[extras: app].completed
      var own = 0
      records.forEach(in: chain) { wake in
        precondition(
          wake.number == records[records.first(of: chain)].number &+ UInt32(own),
          "the completed wakes of app \(app.rawValue) do not follow each other")
        own += 1
      }
      precondition(own <= CompletedWakes.limit, "app \(app.rawValue) keeps \(own) completed wakes")
      precondition(
        own == 0 || apps[app].state != .notRunning,
        "app \(app.rawValue) keeps wakes of a process that has ended")
      count += own
    }
    precondition(count == records.count, "completed wakes belong to no app")
  }
}
