import CLibuv

/// The memory of one libuv handle, and the hold that it has on its owner.
///
/// Both are libuv's from `keep` until the handle's close callback has come: only then is the memory
/// freed and the owner let go.
struct LoopHandle<Kind> {
  let pointer = UnsafeMutablePointer<Kind>.allocate(capacity: 1)

  private var plain: UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
  }

  /// Holds `owner`, which the callbacks find, until the handle has closed. Once libuv has made
  /// the handle.
  func keep(_ owner: AnyObject) {
    uv_handle_set_data(plain, Unmanaged.passRetained(owner).toOpaque())
  }

  /// Frees the memory of a handle that libuv refused to make.
  func discard() { pointer.deallocate() }

  /// Closes the handle. Only on the loop's thread, and once.
  func close() {
    uv_close(plain) { handle in
      guard let handle, let data = uv_handle_get_data(handle) else {
        preconditionFailure("A handle without an owner")
      }
      Unmanaged<AnyObject>.fromOpaque(data).release()
      UnsafeMutableRawPointer(handle).deallocate()
    }
  }

  /// The owner of the handle that a callback is for.
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
