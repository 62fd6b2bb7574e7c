import Dispatch

/// The queue that runs an app's launch handler, and the expiration handlers of its tasks.
final class HandlerQueue: Sendable {
  let queue: DispatchQueue
  /// Marks the queue, so that a thread can tell that it runs on the queue, or on a queue that
  /// targets it.
  private let mark = DispatchSpecificKey<Bool>()
  /// Whether the queue is one of the system's, which have no marks and serve every caller at once.
  private let isGlobal: Bool
  /// Whether the program knows the queue, and so may suspend it.
  private let isShared: Bool

  /// - Parameter queue: nil for a background queue of the handler's own.
  init(_ queue: DispatchQueue?) {
    self.queue = queue ?? DispatchQueue(label: "curfew.launch-handler")
    isShared = queue != nil
    isGlobal = self.queue.label.hasPrefix("com.apple.root.")
    if !isGlobal { self.queue.setSpecific(key: mark, value: true) }
  }

  deinit {
    // A later key may have the address of this one.
    if !isGlobal { queue.setSpecific(key: mark, value: nil) }
  }

  /// Whether the calling thread holds the queue. A `sync` would then stop the program.
  var isCurrent: Bool { !isGlobal && DispatchQueue.getSpecific(key: mark) == true }

  /// Whether the queue runs its blocks on the main thread.
  var isMain: Bool { MainActor.isRun(by: queue) || queue.targets(.main) }

  /// Runs `body` on the queue, on the calling thread; at once if the thread holds the queue.
  func run(_ body: () -> Void) { if isCurrent { body() } else { queue.sync(execute: body) } }

  /// Waits until the queue has run the blocks before this call. A queue that is suspended would
  /// block a `sync` for ever; this call stops the program with a message instead.
  func waitUntilFree() {
    guard isShared, !isGlobal, !isCurrent else { return }
    let isFree = DispatchSemaphore(value: 0)
    queue.async { isFree.signal() }
    var patience = Patience(
      "the queue '\(queue.label)', which a launch handler is registered for, runs no block: it is suspended, or one of its blocks does not return"
    )
    while isFree.wait(timeout: .now() + 0.1) == .timedOut { patience.wait(0.1) }
  }
}

extension DispatchQueue {
  /// Whether the queue runs its blocks on another queue: whether that queue is its target, or
  /// a target of its target. False if the layout of queues is not known.
  fileprivate func targets(_ other: DispatchQueue) -> Bool {
    guard let offset = Self.targetOffset, let other = other.object else { return false }
    var queue = object
    // The depth is limited, because the objects are not this package's.
    for _ in 0..<64 {
      guard let found = queue else { return false }
      if found == other { return true }
      queue = found.load(fromByteOffset: offset, as: UnsafeRawPointer?.self)
    }
    return false
  }

  #if os(Linux)
    /// Dispatch's object, which the first field of the Swift object refers to.
    private var object: UnsafeRawPointer? {
      UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        .load(fromByteOffset: 16, as: UnsafeRawPointer?.self)
    }
  #else
    private var object: UnsafeRawPointer? {
      UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
  #endif

  /// The offset at which a queue stores its target, which Dispatch does not tell; nil if it is not
  /// found among the first fields.
  private static let targetOffset: Int? = {
    let base = DispatchQueue(label: "base")
    let queue = DispatchQueue(label: "queue", target: base)
    return withExtendedLifetime((base, queue)) {
      guard let base = base.object, let queue = queue.object else { return nil }
      return stride(from: 16, to: 128, by: 8).first {
        queue.load(fromByteOffset: $0, as: UnsafeRawPointer?.self) == base
      }
    }
  }()
}
