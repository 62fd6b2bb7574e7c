import CLibuv
import Curfew
import CurfewUV
import Dispatch
import Testing

/// Handlers on a queue of the program. The handlers of each app still run one at a time.
struct DispatchExecutor: HandlerExecutor {
  let queue = DispatchQueue(label: "com.example.handlers", attributes: .concurrent)

  func execute(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

/// Does something when its app has come to the foreground.
private final class Arrival: AppDelegate {
  private let act: @Sendable () -> Void

  init(_ act: @escaping @Sendable () -> Void) { self.act = act }

  func applicationDidBecomeActive(_ app: App) { act() }
}

extension RealTimeTests {
  @Suite struct EmbedExamples {
    /// Whether an app that is launched comes to the foreground.
    private func isAlive(_ device: Device) -> Bool {
      let arrivals = TickCounter()
      device.register("com.example.mail", delegate: Arrival { arrivals.add() }).launch()
      return arrivals.reaches(1)
    }

    @Test func `a device on its own loop`() throws {
      let device = Device(policy: .ios13, clock: .realTime(try UVClock()))
      #expect(isAlive(device))
    }

    @Test func `clocks with other scales, sources and leeways`() throws {
      let fast = try UVClock(scale: TimeScale("0.01")!)  // a grant of 30 s is over in 300 ms
      let sleepless = try UVClock(source: .boottime)  // continues while the machine sleeps
      let lazy = try UVClock(leeway: .milliseconds(50))  // up to 50 ms late, and fewer wake-ups
      #expect(
        fast.scale.wall(for: .zero + .seconds(30)) == 300_000_000 && sleepless.name == "boottime")
      for clock in [fast, sleepless, lazy] {
        #expect(isAlive(Device(policy: .ios13, clock: .realTime(clock))))
      }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a device on the program's loop, which ends when both are closed`() throws {
      let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
      defer { loop.deallocate() }
      #expect(uv_loop_init(loop) == 0)
      let attached = try UVLoop(attachingTo: loop)
      let device = Device(policy: .ios13, clock: .realTime(try UVClock(attached)))
      let app = device.register(
        "com.example.mail",
        delegate: Arrival {
          device.close()
          attached.close()
        })
      app.launch()
      #expect(uv_run(loop, UV_RUN_DEFAULT) == 0 && uv_loop_close(loop) == 0)
      #expect(app.beginBackgroundTask() == .invalid)
    }

    @Test func `handlers on a limited number of threads`() throws {
      let threads = HandlerThreads(limit: 8) { limit in
        print("\(limit) handlers do not return; the next has to wait")
      }
      let device = Device(policy: .ios13, clock: .realTime(try UVClock()), executor: threads)
      #expect(isAlive(device) && threads.counts.threads > 0)
    }

    @Test func `handlers on the program's own queue`() throws {
      let device = Device(
        policy: .ios13, clock: .realTime(try UVClock()), executor: DispatchExecutor())
      #expect(isAlive(device))
    }
  }
}
