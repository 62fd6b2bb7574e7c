import Curfew
import VirtualConcurrency

/// A place in the stack of the thread that creates this value.
final class Caller: CallerPlace {
  private let stack = CallStack()

  var location: (fileID: String, line: Int)? { stack.location }
}
