import Curfew
import Foundation
import Testing

/// The calls of handlers, from any thread.
final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [String] = []

  var lines: [String] { lock.withLock { kept } }

  func add(_ line: String) { lock.withLock { kept.append(line) } }
}

/// A delegate that records its calls, and runs given code inside them.
final class LoggingDelegate: AppDelegate {
  let log: Log
  private let doing: @Sendable (String, App) throws -> Void

  init(_ log: Log, _ doing: @escaping @Sendable (String, App) throws -> Void = { _, _ in }) {
    (self.log, self.doing) = (log, doing)
  }

  private func note(_ line: String, _ app: App) throws {
    log.add(line)
    try doing(line, app)
  }

  func applicationWillFinishLaunching(_ app: App) throws { try note("willFinishLaunching", app) }
  func applicationDidFinishLaunching(_ app: App) throws { try note("didFinishLaunching", app) }
  func applicationDidBecomeActive(_ app: App) throws { try note("didBecomeActive", app) }
  func applicationWillResignActive(_ app: App) throws { try note("willResignActive", app) }
  func applicationDidEnterBackground(_ app: App) throws { try note("didEnterBackground", app) }
  func applicationWillEnterForeground(_ app: App) throws { try note("willEnterForeground", app) }
  func applicationWillTerminate(_ app: App) throws { try note("willTerminate", app) }
  func applicationDidReceiveMemoryWarning(_ app: App) throws {
    try note("didReceiveMemoryWarning", app)
  }
  func application(_ app: App, didReceive wake: Wake) throws {
    try note("wake \(wake.kind)", app)
    wake.complete(.newData)
  }
  func application(_ app: App, didReceiveInForeground kind: KindName) throws {
    try note("event \(kind)", app)
  }
  func application(_ app: App, didReceive notification: String, value: String?) throws {
    try note("\(notification) \(value ?? "-")", app)
  }
  func application(_ app: App, didReceiveLocalNotification id: String) throws {
    try note("local \(id)", app)
  }
}

extension App {
  /// Whether the app is in the background and its callbacks have returned. If the clock of a test
  /// jumped before, a callback would be over its limit, which ends the app.
  var isQuietInBackground: Bool { applicationState == .background && !owesReturn }
}

/// Waits for the condition, and records an issue if it does not hold in time.
func wait(_ what: Comment, _ isDone: () -> Bool) {
  var patience = Patience()
  while !isDone() {
    if patience.isOver() { return _ = Issue.record(what) }
    Thread.sleep(forTimeInterval: 0.001)
  }
}

/// The same, but lets Swift's own threads run, for the condition or for other tests.
func eventually(_ what: Comment, _ isDone: () -> Bool) async {
  var patience = Patience()
  while !isDone() {
    if patience.isOver() { return _ = Issue.record(what) }
    try? await Task.sleep(for: .milliseconds(1))
  }
}

/// Over after 20 s and enough checks: if other tests hold all of Swift's threads, or the machine
/// stands still, the condition has had no time either.
private struct Patience {
  private let end = Date() + 20
  private var looks = 0

  mutating func isOver() -> Bool {
    looks += 1
    return looks > 1_000 && Date() > end
  }
}
