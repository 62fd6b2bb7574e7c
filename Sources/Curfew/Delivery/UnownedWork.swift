import CurfewEngine
import CurfewSystem

/// Async work that no app owns, as the one who runs it knows it.
package struct UnownedWork: Sendable {
  /// The number of its task.
  package let task: UInt64
  /// Looks up the function that it is in, and the place that began it: outside the device's lock,
  /// since that may take a second.
  package let find: @Sendable () -> (function: String, place: String?)

  /// Work of that task.
  package init(task: UInt64, find: @escaping @Sendable () -> (function: String, place: String?)) {
    (self.task, self.find) = (task, find)
  }
}

/// The remark on work that goes on beside its app, since no app owns it: once for a device.
struct UnownedWorkRemark {
  /// The work that is remarked on when the other work of its instant is at rest.
  private(set) var pending: Remark?
  private(set) var isMade = false

  /// The work, its app, and whether the app was suspended when the work went on.
  struct Remark {
    let work: UnownedWork
    let app: AppID
    let isAppSuspended: Bool
  }

  mutating func expect(_ remark: Remark) { if !isMade, pending == nil { pending = remark } }

  /// A task plays the user or lets time pass, so it is part of the test.
  mutating func exempt(_ task: UInt64) { if pending?.work.task == task { pending = nil } }

  mutating func take() -> Remark? {
    isMade = isMade || pending != nil
    return pending.take()
  }
}

extension DeviceState {
  /// The app that unowned work can only be meant for, if it has gone and the work has not: the only
  /// one of the device.
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
  /// Has async work run until it is at rest, and remarks on work that should have been the app's.
  /// The lock is held on the way in and out.
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

  /// An app is called by work. The lock is held.
  func noteCaller(of app: AppID) {
    guard let work, !state.unownedWork.isMade, work.isHere, state.appThatHasGone == app,
      let unowned = work.unowned
    else { return }
    expect(unowned, of: app)
  }

  private func expect(_ work: UnownedWork, of app: AppID) {
    let isSuspended = state.driver.engine.state(of: app) == .suspended
    state.unownedWork.expect(
      UnownedWorkRemark.Remark(work: work, app: app, isAppSuspended: isSuspended))
  }

  /// The user or the world does something, or time passes, by work. The lock is held.
  func noteTestCode() {
    guard state.unownedWork.pending != nil, let task = work?.currentTask else { return }
    state.unownedWork.exempt(task)
  }

  /// The lock is held on the way in and out.
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
  /// Calls that changed nothing, and remarks, with the remark on work that is still to be made.
  package func finishDiagnostics() -> [DeviceDiagnostic] {
    core.lock.lock()
    core.remarkOnUnownedWork()
    core.unlock()
    return diagnostics
  }
}
