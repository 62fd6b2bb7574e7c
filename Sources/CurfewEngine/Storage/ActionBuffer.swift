/// Actions of the current steps, in order. The buffer is emptied but keeps its memory, so that
/// a step does not allocate.
@usableFromInline
struct ActionBuffer: ~Copyable {
  @usableFromInline var storage: UnsafeMutablePointer<Action>
  private var capacity: Int
  /// The number of actions that the steps since the last `removeAll` emitted.
  @usableFromInline var count = 0

  /// Creates an empty buffer with room for `minimumCapacity` actions, at least 16.
  init(minimumCapacity: Int = 64) {
    capacity = max(16, minimumCapacity)
    storage = .allocate(capacity: capacity)
  }

  @inlinable
  deinit { storage.deallocate() }

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
