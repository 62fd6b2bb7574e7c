/// The position of a record in the slab of its type. Only that slab accepts it.
struct Place<Element>: Hashable, BitwiseCopyable {
  let index: UInt32

  /// The place that names no record.
  static var nowhere: Place { Place(index: .max) }
}
