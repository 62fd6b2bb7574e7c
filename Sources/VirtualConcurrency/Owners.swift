/// Owners whose work is held, and owners that were dropped. An owner is any object; it is retained
/// until the capture ends.
struct Owners {
  private var held: [ObjectIdentifier: (owner: AnyObject, entries: [Scheduler.Entry])] = [:]
  private var dropped: [ObjectIdentifier: AnyObject] = [:]
  /// Turns of actors in which only work of held or dropped owners waits, in order.
  private(set) var turns: [Scheduler.Entry] = []

  mutating func hold(_ owner: AnyObject) {
    if held[ObjectIdentifier(owner)] == nil { held[ObjectIdentifier(owner)] = (owner, []) }
  }

  /// - Returns: The owner's jobs that were waiting, in order.
  mutating func release(_ owner: AnyObject) -> [Scheduler.Entry] {
    held.removeValue(forKey: ObjectIdentifier(owner))?.entries ?? []
  }

  /// - Returns: The owner's jobs that were waiting, in order.
  mutating func drop(_ owner: AnyObject) -> [Scheduler.Entry] {
    dropped[ObjectIdentifier(owner)] = owner
    return release(owner)
  }

  func isHeld(_ owner: AnyObject) -> Bool { held[ObjectIdentifier(owner)] != nil }
  func isDropped(_ owner: AnyObject) -> Bool { dropped[ObjectIdentifier(owner)] != nil }

  /// Whether an owner's jobs may run.
  func admits(_ owner: AnyObject?) -> Bool {
    guard let owner else { return true }
    return !isHeld(owner) && !isDropped(owner)
  }

  /// Keeps the job of a held owner. A dropped owner's job and its task are forgotten.
  mutating func keep(_ entry: Scheduler.Entry, of owner: AnyObject) {
    held[ObjectIdentifier(owner)]?.entries.append(entry)
  }

  /// Takes the matching jobs of held owners.
  mutating func take(where isMeant: (Scheduler.Entry) -> Bool) -> [Scheduler.Entry] {
    var taken: [Scheduler.Entry] = []
    for key in held.keys where held[key]!.entries.contains(where: isMeant) {
      taken += held[key]!.entries.filter(isMeant)
      held[key]!.entries.removeAll(where: isMeant)
    }
    return taken
  }

  mutating func keep(turn: Scheduler.Entry) { turns.append(turn) }

  /// Takes the first turn with a waiting task that may run now.
  mutating func takeTurn(where mayRun: (Scheduler.Entry) -> Bool) -> Scheduler.Entry? {
    turns.firstIndex(where: mayRun).map { turns.remove(at: $0) }
  }
}
