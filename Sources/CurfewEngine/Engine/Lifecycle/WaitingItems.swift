/// The items that wait for an app's run loop, in order of arrival. Four bytes.
///
/// Nearly always, this is one step of the app's life cycle: every gesture takes its first step at
/// once and queues its second one. Such a step is stored here. Only other items, and several items,
/// need records.
struct WaitingItems: BitwiseCopyable {
  /// The numbers of places from here on stand for steps. Slabs have fewer places.
  private static let firstStep: UInt32 = 0xffff_ff00

  private var chain = Chain<RunLoopItem>()

  /// No items.
  init() {}

  /// One item, which has no record.
  init(_ step: LifecycleStep) {
    chain = Chain(last: Place(index: WaitingItems.firstStep | UInt32(step.rawValue)))
  }

  @inline(__always)
  var isEmpty: Bool { chain.isEmpty }

  /// The only item, if it is a step that has no record.
  @inline(__always)
  var step: LifecycleStep? {
    guard chain.last.index >= WaitingItems.firstStep else { return nil }
    return LifecycleStep(rawValue: UInt8(truncatingIfNeeded: chain.last.index))
  }

  /// The items that have records.
  var records: Chain<RunLoopItem> {
    get { step == nil ? chain : Chain() }
    set {
      precondition(step == nil, "A step without a record would be lost")
      chain = newValue
    }
  }

  /// Removes and returns the only item, if it is a step that has no record.
  @inline(__always)
  mutating func takeStep() -> LifecycleStep? {
    guard let step else { return nil }
    chain = Chain()
    return step
  }
}
