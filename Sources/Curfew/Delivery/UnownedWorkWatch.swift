import CurfewEngine
import CurfewSystem

/// Async work that no app owns, as the runner describes it.
package struct UnownedWorkWatch: Sendable {
  /// The number of the work's task.
  package let task: UInt64
  /// Looks up the function that the work is in and the place that began it. Called outside
  /// the device's lock, because the lookup may take a second.
  package let find: @Sendable () -> (function: String, place: String?)

  /// Creates a description of the work of that task.
  package init(task: UInt64, find: @escaping @Sendable () -> (function: String, place: String?)) {
    (self.task, self.find) = (task, find)
  }
}

/// The remark about work that continues although its app is suspended or has ended, because no app
/// owns the work. A device makes it once.
struct UnownedWorkRemark {
  /// The work that the remark is about, until the other work of this instant is at rest.
  private(set) var pending: Remark?
  private(set) var isMade = false

  /// The work, its app, and whether the app was suspended when the work continued.
  struct Remark {
    let work: UnownedWorkWatch
    let app: AppID
    let isAppSuspended: Bool
  }

  mutating func expect(_ remark: Remark) { if !isMade, pending == nil { pending = remark } }

  /// Exempts a task that acts for the user or lets time pass: it is part of the test.
  mutating func exempt(_ task: UInt64) { if pending?.work.task == task { pending = nil } }

  mutating func take() -> Remark? {
    isMade = isMade || pending != nil
    return pending.take()
  }
}

extension DeviceState {
  /// The app that unowned work was probably meant for, because it is the device's only app; nil
  /// unless the app is suspended or has ended.
  fileprivate var appThatHasGone: AppID? {
    guard apps.count == 1, !jobs.isInUse, !isClosed else { return nil }
    let app = AppID(rawValue: 0)
    return switch driver.engine.state(of: app) {
    case .suspended: app
    case .notRunning: apps[app].ends.elements.isEmpty ? nil : app
    case .inactive, .active, .background: nil
    }
  }
}

extension DeviceCore {
  /// Runs async work until it is at rest, and makes the remark about work that the app should have
  /// owned. The lock is held on entry and on return.
  func settle(_ work: any VirtualWork, withTest isTestIncluded: Bool) -> Bool {
    if !state.unownedWork.isMade, let overslept = work.takeOverslept(),
      let app = state.appThatHasGone
    {
      expect(overslept, of: app)
    }
    unlock()
    let hasRun = work.settle(withTest: isTestIncluded)
    lock.lock()
    remarkOnUnownedWork()
    return hasRun
  }

  /// Notes that work calls an app. The lock is held.
  func noteCaller(of app: AppID) {
    guard let work, !state.unownedWork.isMade, work.isHere, state.appThatHasGone == app,
      let unowned = work.unowned
    else { return }
    expect(unowned, of: app)
  }

  private func expect(_ work: UnownedWorkWatch, of app: AppID) {
    let isSuspended = state.driver.engine.state(of: app) == .suspended
    state.unownedWork.expect(
      UnownedWorkRemark.Remark(work: work, app: app, isAppSuspended: isSuspended))
  }

  /// Notes that work acts for the user or the system, or lets time pass. The lock is held.
  func noteTestCode() {
    guard state.unownedWork.pending != nil, let task = work?.currentTask else { return }
    state.unownedWork.exempt(task)
  }

  /// Makes a pending remark. The lock is held on entry and on return.
  fileprivate func remarkOnUnownedWork() {
    guard let remark = state.unownedWork.take() else { return }
    unlock()
    let (function, place) = remark.work.find()
    lock.lock()
    let work = DeviceDiagnostic.UnownedWork(
      function: function, place: place, isAppSuspended: remark.isAppSuspended)
    state.note(.unownedWork(work), of: remark.app)
  }
}

extension Device {
  /// The calls that had no effect and the remarks, including a pending remark on unowned work.
  package func finishDiagnostics() -> [DeviceDiagnostic] {
    core.lock.lock()
    core.remarkOnUnownedWork()
    core.unlock()
    return diagnostics
  }
}
