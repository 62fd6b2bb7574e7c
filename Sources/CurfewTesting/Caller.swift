import Curfew
import VirtualConcurrency

/// A place in the stack of the thread that makes this.
struct Caller: CallerPlace {
  private let stack = CallStack()

  var location: (fileID: String, line: Int)? { stack.location }
}
