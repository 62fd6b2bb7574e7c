/// Where a record lies among those of its kind. Only that kind's slab takes it.
struct Place<Element>: Hashable, BitwiseCopyable {
  let index: UInt32

  /// Names no record.
  static var nowhere: Place { Place(index: .max) }
}
