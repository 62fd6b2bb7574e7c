import CLibuv

/// The memory of one libuv handle, and its reference to its owner.
///
/// libuv owns both from `keep` until the handle's close callback, which frees the memory and
/// releases the owner.
struct LoopHandle<Kind> {
  let pointer = UnsafeMutablePointer<Kind>.allocate(capacity: 1)

  private var plain: UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
  }

  /// Retains `owner`, which callbacks look up, until the handle has closed. Call this after libuv
  /// has initialized the handle.
  func keep(_ owner: AnyObject) {
    uv_handle_set_data(plain, Unmanaged.passRetained(owner).toOpaque())
  }

  /// Frees the memory of a handle that libuv refused to initialize.
  func discard() { pointer.deallocate() }

  /// Closes the handle. Must be called once, on the loop's thread.
  func close() {
    uv_close(plain) { handle in
      guard let handle, let data = uv_handle_get_data(handle) else {
        preconditionFailure("A handle without an owner")
      }
      Unmanaged<AnyObject>.fromOpaque(data).release()
      UnsafeMutableRawPointer(handle).deallocate()
    }
  }

  /// The owner of a callback's handle.
  static func owner<Owner: AnyObject>(of pointer: UnsafeMutablePointer<Kind>?, as type: Owner.Type)
    -> Owner
  {
    let handle = UnsafeMutableRawPointer(pointer)?.assumingMemoryBound(to: uv_handle_t.self)
    guard let data = uv_handle_get_data(handle) else {
      preconditionFailure("A handle without an owner")
    }
    return Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue()
  }
}
