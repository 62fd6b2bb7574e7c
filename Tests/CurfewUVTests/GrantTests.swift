import Curfew
import CurfewSystem
import CurfewUV
import TestRuns
import Testing

extension RealTimeTests {
  /// Grants of jobs on a real clock: never early, however late the host is.
  @Suite(.inTurn) struct GrantTests {
    @Test func `a job that heeds its warning is not cancelled before it is due`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      let start = ContinuousClock.now
      await #expect(throws: CancellationError.self) {
        try await device.withGrant(.seconds(600), warning: .milliseconds(599_960)) {
          try await Task.sleep(for: .seconds(3600))
        }
      }
      #expect(ContinuousClock.now - start >= .milliseconds(40))
      #expect(device.overrunJobs.isEmpty && device.runningJobs.isEmpty)
    }

    @Test
    func `a job that ignores its warning lasts for its grant, and no call waits for its body`()
      async throws
    {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      let (opened, opening) = AsyncStream<Void>.makeStream()
      let start = ContinuousClock.now
      let error = await #expect(throws: GrantExpiredError.self) {
        try await device.withGrant(.milliseconds(60), warning: .milliseconds(20)) {
          await Task.detached { for await _ in opened { return } }.value
        }
      }
      #expect(ContinuousClock.now - start >= .milliseconds(60))
      let job = try #require(error?.job)
      #expect(try #require(job.expired) - job.began >= .milliseconds(60) && job.ended == nil)
      #expect(device.overrunJobs == [job])
      opening.yield()
      while device.overrunJobs.first?.ended == nil { await Task.yield() }
      #expect(device.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
    }

    @Test func `each of many concurrent jobs has its own clock`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      let sums = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<500 {
          group.addTask {
            try await device.withGrant(.seconds(600)) {
              await Task.yield()
              return number
            }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(sums == 500 * 499 / 2 && device.runningJobs.isEmpty && device.overrunJobs.isEmpty)
    }

    @Test func `jobs that end around their deadlines end once each`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      let inTime = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<400 {
          group.addTask {
            let body = Task.detached { try? await Task.sleep(for: .milliseconds(number % 10)) }
            do {
              try await device.withGrant(.milliseconds(5), warning: .milliseconds(2)) {
                await body.value
              }
              return true
            } catch {
              #expect(error is GrantExpiredError)
              return false
            }
          }
        }
        return await group.reduce(0) { $1 ? $0 + 1 : $0 }
      }
      #expect(device.runningJobs.isEmpty && device.overrunJobs.count == 400 - inTime)
      while device.overrunJobs.contains(where: { $0.ended == nil }) { await Task.yield() }
      #expect(
        device.overrunJobs.allSatisfy { ($0.expired ?? .zero) >= $0.began + .milliseconds(5) })
      #expect(device.counts.processEnds == 400 - inTime)
    }

    @Test func `a device that is closed while jobs run leaves no caller waiting`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            if number == 100 { return device.close() }
            try? await device.withGrant(.seconds(600)) {
              try await Task.sleep(for: .milliseconds(number < 50 ? 1 : 600_000))
            }
          }
        }
      }
      #expect(device.runningJobs.isEmpty && device.overrunJobs.isEmpty)
    }

    @Test func `waiting for a launch ends when its callbacks have returned`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      let delegate = Starting()
      let app = device.register("service", delegate: delegate)
      #expect(await app.launchAndWait() == .active)
      #expect(delegate.returned == 2)
      #expect(await device.terminateAndRemove(app))
      #expect(delegate.returned == 3 && device.apps.isEmpty)
    }

    private final class Starting: AppDelegate, @unchecked Sendable {
      private let lock = Lock()
      private var count = 0

      var returned: Int { lock.withLock { count } }

      func applicationDidFinishLaunching(_ app: App) { lock.withLock { count += 1 } }
      func applicationDidBecomeActive(_ app: App) { lock.withLock { count += 1 } }
      func applicationWillTerminate(_ app: App) { lock.withLock { count += 1 } }
    }
  }
}
