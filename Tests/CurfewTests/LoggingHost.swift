import Curfew
import Foundation

/// A host that records its calls, and runs given code inside them. With the same log as the app's
/// delegate, the lines show the order.
final class LoggingHost: ProcessHost {
  let log: Log
  private let doing: @Sendable (String, App) -> Void

  init(_ log: Log, _ doing: @escaping @Sendable (String, App) -> Void = { _, _ in }) {
    (self.log, self.doing) = (log, doing)
  }

  private func note(_ line: String, _ app: App) {
    log.add(line)
    doing(line, app)
  }

  func suspend(_ app: App) { note("suspend", app) }
  func resume(_ app: App) { note("resume", app) }
  func end(_ app: App, _ end: ProcessEnd) { note("end \(end.reason)", app) }
}
