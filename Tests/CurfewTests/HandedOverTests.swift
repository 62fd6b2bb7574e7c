import Curfew
import Foundation
import TestRuns
import Testing

/// Objects that a program passes in are released, and may call the device when they are.
@Suite(.inTurn, .timeLimit(.minutes(30))) struct HandedOverTests {
  /// An object whose `deinit` calls the device.
  private final class Token: Sendable {
    private let app: App
    private let log: Log

    init(_ app: App, _ log: Log) { (self.app, self.log) = (app, log) }

    deinit { log.add("\(app.name) \(app.applicationState)") }

    func use() {}
  }

  private func begin(_ app: App, _ log: Log) {
    let token = Token(app, log)
    _ = app.beginBackgroundTask { token.use() }
  }

  @Test
  func
    `a handler's end may call the device, after its call, its task's end, the process's and the device's`()
  {
    let log = Log()
    let device = Device(policy: .ios13)
    let app = device.register("app")
    app.launch()
    begin(app, log)
    app.endBackgroundTask(app.openTasks[0].identifier)
    #expect(log.lines == ["app active"])
    begin(app, log)
    app.home()
    device.advance(by: .seconds(25))
    #expect(log.lines.count == 2)
    app.forceQuit()
    app.launch()
    begin(app, log)
    app.forceQuit()
    #expect(log.lines.last == "app notRunning")
    app.launch()
    begin(app, log)
    device.close()
    #expect(log.lines.count == 4)
  }

  @Test func `in real time too, on any thread`() {
    let log = Log()
    let device = Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 10)))
    let app = device.register("app")
    app.launch()
    wait("no launch") { app.applicationState == .active }
    for _ in 0..<20 { begin(app, log) }
    app.home()
    wait("a handler is kept") { log.lines.count == 20 }
    device.close()
  }

  @Test func `an error's own description may call the device`() {
    struct Failure: Error, CustomStringConvertible {
      let app: App
      var description: String { "failed while \(app.applicationState)" }
    }
    let device = Device(policy: .ios13)
    let app = device.register(
      "app",
      delegate: LoggingDelegate(Log()) { line, app in
        if line == "didEnterBackground" { throw Failure(app: app) }
      })
    app.launch()
    device.home()
    #expect(app.processEnds.map(\.error) == ["failed while background"])
  }

  @Test func `a delegate that keeps its app and its device is released when the device is closed`()
  {
    final class Keeper: AppDelegate, @unchecked Sendable {
      let device: Device
      var app: App?

      init(_ device: Device) { self.device = device }

      func applicationDidFinishLaunching(_ app: App) { self.app = app }
    }
    weak var keeper: Keeper?
    weak var late: Keeper?
    do {
      let device = Device(policy: .ios13)
      let made = Keeper(device)
      keeper = made
      device.register("app", delegate: made).launch()
      #expect(made.app != nil)
      device.close()
      let afterwards = Keeper(device)
      late = afterwards
      _ = device.register("late", delegate: afterwards)
    }
    #expect(keeper == nil && late == nil)
  }

  @Test func `a delegate that closes its device in a callback is released outside the lock`() {
    final class Closer: AppDelegate, @unchecked Sendable {
      let device: Device
      let log: Log
      var app: App?

      init(_ device: Device, _ log: Log) { (self.device, self.log) = (device, log) }

      deinit { log.add("ended \(app?.applicationState ?? .active)") }

      func applicationDidEnterBackground(_ app: App) {
        self.app = app
        device.close()
      }
    }
    let log = Log()
    func run() {
      let device = Device(policy: .ios13)
      device.register("app", delegate: Closer(device, log)).launch()
      device.home()
    }
    run()
    #expect(log.lines == ["ended notRunning"])
  }

  #if os(Linux)
    @Test func `a device that is released in its own handler leaves no thread`() throws {
      final class Holder: @unchecked Sendable { var device: Device? }
      let gone = Counter()
      let watch = ThreadWatch()
      for _ in 0..<100 {
        let holder = Holder()
        let device = Device(
          policy: .ios13, clock: .realTime(ThreadClock(speed: 10)), executor: WatchedThreads(watch))
        holder.device = device
        let app = device.register(
          "app",
          delegate: LoggingDelegate(Log()) { line, _ in
            guard line == "didFinishLaunching" else { return }
            holder.device = nil
            gone.add(1)
          })
        app.launch()
      }
      wait("not all were launched") { gone.value == 100 }
      #expect(watch.seen >= 100)
      wait("threads are left") { watch.ended == watch.seen }
    }
  #endif
}

#if os(Linux)
  /// The handler threads of one device, each watched from its first work on.
  private struct WatchedThreads: HandlerExecutor {
    private let threads = HandlerThreads()
    private let watch: ThreadWatch

    init(_ watch: ThreadWatch) { self.watch = watch }

    func execute(_ work: @escaping @Sendable () -> Void) {
      threads.execute { [watch] in
        watch.noteThread()
        work()
      }
    }
  }

  /// Counts the threads that it has seen, and those of them that have ended: only its own, whatever
  /// other tests run meanwhile.
  private final class ThreadWatch: @unchecked Sendable {
    private let seenThreads = Counter()
    private let endedThreads = Counter()
    private var key = pthread_key_t()

    init() {
      // Called by an ending thread, with the value that it keeps under the key.
      pthread_key_create(&key) { ended in
        if let ended { Unmanaged<Counter>.fromOpaque(ended).takeRetainedValue().add(1) }
      }
    }

    deinit { pthread_key_delete(key) }

    var seen: Int { seenThreads.value }
    var ended: Int { endedThreads.value }

    /// Notes the current thread once.
    func noteThread() {
      guard pthread_getspecific(key) == nil else { return }
      pthread_setspecific(key, Unmanaged.passRetained(endedThreads).toOpaque())
      seenThreads.add(1)
    }
  }
#endif
