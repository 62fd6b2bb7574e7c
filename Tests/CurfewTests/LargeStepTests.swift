import Curfew
import Foundation
import TestRuns
import Testing

/// A step that affects very many apps is one step (rule C2), but other callers do not wait until
/// all of its handlers have been handed over.
@Suite(.inTurn) struct LargeStepTests {
  /// Threads that check something each time they get work.
  private final class WatchingExecutor: HandlerExecutor, @unchecked Sendable {
    private let threads = HandlerThreads()
    private let lock = NSLock()
    private var look: (@Sendable () -> Void)?

    func watch(_ look: (@Sendable () -> Void)?) { lock.withLock { self.look = look } }

    func execute(_ work: @escaping @Sendable () -> Void) {
      lock.withLock { look }?()
      threads.execute(work)
    }
  }

  @Test
  func
    `C2, F11 a revocation of very many grants is one step, and is handed over in slices, between which other calls get their turn`()
    throws
  {
    let text = "curfew: policy/1\nname: crowded\nextends: ios13\nforeground: unlimited\n"
    let policy = try PolicyFile.decode(SourceFile(name: "crowded.yaml", bytes: Array(text.utf8)))
    let executor = WatchingExecutor()
    let device = Device(
      policy: policy, clock: .realTime(ThreadClock()), facts: DeviceFacts(memory: 1 << 50),
      executor: executor)
    let count = 1_000
    let called = Counter()
    let apps = (0..<count).map { device.register("app\($0)") }
    for app in apps {
      app.launch()
      _ = app.beginBackgroundTask { called.add(1) }
      app.home()
    }
    wait("not all are in the background") { apps.allSatisfy(\.isQuietInBackground) }
    let bystander = device.register("bystander")
    bystander.launch()
    wait("no launch") { bystander.applicationState == .active }
    let (log, once) = (Log(), Counter())
    executor.watch {
      guard once.value == 0 else { return }
      once.add(1)
      // The engine has decided all of it at once; few of the handlers have been called.
      let warned = apps.count { !$0.expirations.isEmpty }
      log.add("\(device.counts.expirations) decided, few handed over: \(warned < count / 4)")
      log.add("\(bystander.beginBackgroundTask() != .invalid)")
    }
    device.expireTasks()
    wait("not all are handed over") { called.value == count }
    executor.watch(nil)
    #expect(log.lines == ["\(count) decided, few handed over: true", "true"])
    #expect(apps.allSatisfy { $0.expirations.count == 1 })
    #expect(device.counts.handlersCalled == count && device.counts.skippedHandlers == 0)
    device.close()
  }

  @Test
  func
    `no handler is called for a task or a process that ends between two slices, and the counts add up`()
    throws
  {
    let text = "curfew: policy/1\nname: crowded\nextends: ios13\nforeground: unlimited\n"
    let policy = try PolicyFile.decode(SourceFile(name: "crowded.yaml", bytes: Array(text.utf8)))
    let executor = WatchingExecutor()
    let device = Device(
      policy: policy, clock: .realTime(ThreadClock()), facts: DeviceFacts(memory: 1 << 50),
      executor: executor)
    let apps = (0..<200).map { device.register("app\($0)") }
    let called = Log()
    var tasks: [BackgroundTaskIdentifier] = []
    for app in apps {
      app.launch()
      tasks.append(app.beginBackgroundTask { called.add(app.name) })
      app.home()
    }
    wait("not all are in the background") { apps.allSatisfy(\.isQuietInBackground) }
    let (last, open) = (apps[198], tasks[198])
    let once = Counter()
    executor.watch {
      guard once.value == 0 else { return }
      once.add(1)
      last.endBackgroundTask(open)
      apps[199].crash()
    }
    device.expireTasks()
    wait("nobody looks") { once.value == 1 }
    wait("not all handlers are called") { called.lines.count == 198 }
    wait("the engine waits for a return") { last.applicationState == .suspended }
    #expect(!called.lines.contains("app198") && !called.lines.contains("app199"))
    #expect(
      device.counts.expirations == 200 && device.counts.handlersCalled == 198
        && device.counts.skippedHandlers == 2)
    device.close()
  }
}
