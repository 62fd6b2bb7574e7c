/// Where steps' actions go. Kept and emptied, so that steps allocate nothing.
@usableFromInline
struct ActionBuffer: ~Copyable {
  @usableFromInline var storage: UnsafeMutablePointer<Action>
  private var capacity: Int
  /// How many actions the steps since the last `removeAll` gave.
  @usableFromInline var count = 0

  /// An empty buffer with room for so many actions before it has to grow.
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

  /// The action at `index`, in the order in which they happened.
  @inlinable
  subscript(index: Int) -> Action {
    precondition(index >= 0 && index < count, "Action \(index) of \(count)")
    return storage[index]
  }

  /// The actions, copied. For tests and tools; a host reads them one by one.
  /// - Complexity: O(`count`), and an allocation.
  var actions: [Action] { (0..<count).map { storage[$0] } }

  /// Forgets the actions and keeps their room.
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
