/// A captured task that has not come to its end: what it waits for never came.
public struct UnfinishedTask: Sendable, CustomStringConvertible {
  /// The number that the runtime has given it.
  public let id: UInt64
  private let origin: Origin

  /// Whether it is the captured body itself.
  public let isBody: Bool

  init(_ record: TaskRecord, isBody: Bool) { (id, origin, self.isBody) = (record.id, record.origin, isBody) }

  /// The function, the file and the line that began it, where the program's symbols tell.
  /// - Complexity: Reads the program's debug information: up to a second.
  public var place: String? { origin.place }

  /// The number and the place.
  public var description: String { isBody ? "the body" : "task \(id)" + (place.map { ", begun by \($0)" } ?? "") }
}

/// A body that waits for something that nothing is left to bring.
public struct Stall: Error, CustomStringConvertible {
  /// Why the body does not come to its end.
  public enum Kind: Sendable {
    /// Nothing can run, nothing sleeps, the host has no deadline, and nobody outside resumed a continuation in the time that was given.
    case silent
    /// Jobs follow one another at one instant without end, so that time cannot pass.
    case restless
  }
  /// Why.
  public let kind: Kind
  /// What has not come to its end.
  public let tasks: [UnfinishedTask]

  /// A sentence, and a line for each task.
  public var description: String {
    let what =
      switch kind {
      case .silent: "The captured body waits for something that never comes"
      case .restless: "Captured tasks run without end at one instant; let them sleep, so that time can pass"
      }
    return ([what] + tasks.map { "  \($0)" }).joined(separator: "\n")
  }
}
