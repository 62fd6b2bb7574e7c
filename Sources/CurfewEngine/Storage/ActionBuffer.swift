/// Actions of the current steps, in order, of the kinds that the host wants. The buffer is emptied
/// but keeps its memory, so that a step does not allocate.
@usableFromInline
struct ActionBuffer: ~Copyable {
  @usableFromInline var storage: UnsafeMutablePointer<Action>
  private var capacity: Int
  /// The number of actions in the buffer.
  @usableFromInline var count = 0
  /// The kinds of actions that are kept.
  let kinds: ActionKinds

  /// Creates an empty buffer with room for `minimumCapacity` actions, at least 16. It keeps actions
  /// of these kinds, and calls.
  init(minimumCapacity: Int = 64, of kinds: ActionKinds = .all) {
    capacity = max(16, minimumCapacity)
    self.kinds = kinds.union(.calls)
    storage = .allocate(capacity: capacity)
  }

  @inlinable
  deinit { storage.deallocate() }

  /// Returns a separate buffer with the same actions, which keeps actions of all kinds.
  func copy() -> ActionBuffer {
    var copy = ActionBuffer(minimumCapacity: capacity)
    copy.storage.initialize(from: storage, count: count)
    copy.count = count
    return copy
  }

  /// The action at `index`, in order of emission.
  @inlinable
  subscript(index: Int) -> Action {
    precondition(index >= 0 && index < count, "Action \(index) of \(count)")
    return storage[index]
  }

  /// The actions, copied. For tests and tools; a host reads them one by one.
  /// - Complexity: O(`count`), and one allocation.
  var actions: [Action] { (0..<count).map { storage[$0] } }

  /// Removes the actions and keeps the memory.
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ action: Action) {
    guard kinds.contains(action.kind) else { return }
    if count == capacity { grow() }
    storage[count] = action
    count += 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Action>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: storage, count: count)
    storage.deallocate()
    storage = larger
    capacity *= 2
  }
}
