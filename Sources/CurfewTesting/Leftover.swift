public import Curfew
internal import Foundation
import VirtualConcurrency

/// The kinds of leftovers that can be reported at the end of a test.
public struct Leftovers: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: Int
  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Background tasks that ended their process because they were still open when their time
  /// ran out.
  public static let leakedTasks = Leftovers(rawValue: 1)
  /// Background tasks that are still open.
  public static let openTasks = Leftovers(rawValue: 2)
  /// Sessions that are still active.
  public static let sessions = Leftovers(rawValue: 4)
  /// Wakes that were delivered and not completed.
  public static let wakes = Leftovers(rawValue: 8)
  /// Swift tasks and Dispatch blocks that have not finished.
  public static let tasks = Leftovers(rawValue: 16)
  /// A standstill: apps kept causing their own callbacks at one instant, so that time could
  /// not pass (rule C4).
  public static let standstill = Leftovers(rawValue: 32)
  /// Unfinished work outside virtual time: threads, `URLSession` tasks, Dispatch sources, timers of
  /// run loops and suspended queues, and the blocks and Swift tasks that such work begins.
  public static let escapes = Leftovers(rawValue: 64)
  /// Work that no app owns and that continues although the only app is suspended or has ended;
  /// a warning.
  public static let unownedWork = Leftovers(rawValue: 128)
  /// Wakes that were completed twice.
  public static let completedTwice = Leftovers(rawValue: 256)
  /// All kinds.
  public static let all: Leftovers = [
    .leakedTasks, .openTasks, .sessions, .wakes, .tasks, .standstill, .escapes, .unownedWork,
    .completedTwice,
  ]
}

/// A leftover of a test.
public struct Leftover: Sendable, CustomStringConvertible {
  /// The leftover in one sentence: `com.example.mail leaked task 1 'upload'…`.
  public let description: String
  /// The place that began the leftover, if known.
  public let origin: CallSite?
  /// Whether the leftover should not fail a test, because it may be intended.
  public let isWarning: Bool
  /// The function, file and line that began the leftover, read from the program's symbols. Set
  /// only for warnings, which have no `origin`.
  let place: String?

  init(_ description: String, at origin: CallSite? = nil) {
    // A call through a protocol passes no place.
    (self.description, self.origin) = (description, origin == .unknown ? nil : origin)
    (isWarning, place) = (false, nil)
  }

  fileprivate init(warning description: String, at place: String?) {
    (self.description, origin, isWarning, self.place) = (description, nil, true, place)
  }

  init(_ task: UnfinishedTask) {
    self.init("\(task.isBlock ? "Work" : "A Swift task") has not finished: \(task)")
  }

  /// Stops the program with the leftover; the default handler. A warning goes to standard error.
  public static let stop: @Sendable (Leftover) -> Void = { leftover in
    guard leftover.isWarning else { fatalError("Left at the end of withDevice: \(leftover)") }
    FileHandle.standardError.write(
      Data("warning: \(leftover)\(leftover.place.map { "; begun by \($0)" } ?? "")\n".utf8))
  }
}

extension Device {
  private var standstills: [Standstill] {
    diagnostics.compactMap {
      if case .standstill(let standstill) = $0.cause { standstill } else { nil }
    }
  }

  /// The current leftovers.
  func leftovers(_ wanted: Leftovers) -> [Leftover] {
    var found: [Leftover] = []
    if wanted.contains(.standstill), let standstill = standstills.first {
      found.append(Leftover("\(standstill)"))
    }
    if wanted.contains(.completedTwice) {
      found += diagnostics.compactMap {
        guard case .alreadyCompleted = $0.cause else { return nil }
        return Leftover("A wake was completed twice: \($0)")
      }
    }
    if wanted.contains(.leakedTasks) {
      found += leakedTasks.map {
        Leftover("A background task ended its process: \($0)", at: $0.origin)
      }
    }
    if wanted.contains(.openTasks) {
      found += openTasks.map { Leftover("A background task is still open: \($0)", at: $0.origin) }
    }
    if wanted.contains(.sessions) {
      found += openSessions.map {
        Leftover(
          "\($0.app): the session \($0.kind) is still on, begun at \($0.origin)", at: $0.origin)
      }
    }
    if wanted.contains(.wakes) {
      found += openWakes.map {
        Leftover("\($0.app): the wake \($0.kind) was not completed", at: $0.origin)
      }
    }
    return found + remarks(wanted)
  }

  /// Remarks on the test's code; reported even if the test has thrown.
  func remarks(_ wanted: Leftovers) -> [Leftover] {
    guard wanted.contains(.unownedWork) else { return [] }
    return finishDiagnostics().compactMap { diagnostic in
      guard case .unownedWork(let work) = diagnostic.cause else { return nil }
      return Leftover(warning: "\(diagnostic)", at: work.place)
    }
  }
}
