import Curfew
import Dispatch
import Foundation
import Testing

/// The code of the article about servers.
@Suite struct ServerExamples {
  private struct Photo: Sendable {}
  private struct Thumbnail: Sendable {}

  private static func resize(_ photo: Photo) async throws -> Thumbnail { Thumbnail() }

  @Test func `a job`() async throws {
    let photo = Photo()
    let device = Device(policy: .server)
    let thumbnail = try await device.withGrant(.seconds(30), warning: .seconds(5), named: "resize")
    {
      try await ServerExamples.resize(photo)
    }
    _ = thumbnail
    #expect(device.overrunJobs.isEmpty)
  }

  @Test func `the possible outcomes of a job`() async throws {
    let (device, photo, log) = (Device(policy: .server), Photo(), Log())
    func answer(_ text: String) { Issue.record("\(text)") }
    do {
      _ = try await device.withGrant(.seconds(30)) { try await ServerExamples.resize(photo) }
    } catch let denied as GrantDeniedError {
      answer("503: \(denied.reason)")  // the body was not called
      log.add("\(denied)")  // the reason with its cause and its remedy
    } catch let expired as GrantExpiredError {
      answer("504: \(expired)")  // it did not heed its cancellation, and goes on alone
    } catch is CancellationError {
      answer("504: it was warned, and gave up in time")
    }
  }

  @Test func `a word before the end`() async throws {
    let (device, log) = (Device(policy: .server), Log())
    try await device.withGrant(
      .seconds(30), warning: .seconds(5), onWarning: { log.add("five seconds left") }
    ) {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(log.lines.isEmpty)
  }

  @Test func `a test of a job`() async throws {
    let device = Device(policy: .server)
    let (started, start) = AsyncStream<Void>.makeStream()
    let job = Task {
      try await device.withGrant(.seconds(30), warning: .seconds(5)) {
        start.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in started { break }
    device.advance(by: .seconds(25))
    await #expect(throws: CancellationError.self) { try await job.value }
    device.advance(by: .seconds(5))
    #expect(device.overrunJobs.isEmpty)
  }

  @Test func `shutting down`() async throws {
    let (device, gate) = (Device(policy: .server), Gate())
    let job = Task { try await device.withGrant(.seconds(30)) { try await gate.obedientBody() } }
    await gate.waitForBody()
    job.cancel()
    device.setFact("draining", to: true)  // new jobs are denied
    await device.drained()  // each job has its own end
    device.close()
    await #expect(throws: GrantDeniedError.self) { try await device.withGrant(.seconds(30)) {} }
  }

  @Test func `a server that is stopped by a signal`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let device = Device(policy: .server)
      let gate = Gate()
      let job = Task { try await device.withGrant(.seconds(30)) { try await gate.obedientBody() } }
      await gate.waitForBody()
      // A signal that comes before the source is ready is ignored.
      signal(SIGTERM, SIG_IGN)
      Task {
        while device.counts.jobsDenied == 0 {
          kill(getpid(), SIGTERM)
          try? await Task.sleep(for: .milliseconds(10))
          try? await device.withGrant(.seconds(1)) {}
        }
        gate.open()
      }
      // Ignored, because otherwise the signal ends the process at once.
      signal(SIGTERM, SIG_IGN)
      let (terminations, terminate) = AsyncStream<Void>.makeStream()
      let source = DispatchSource.makeSignalSource(signal: SIGTERM)
      source.setEventHandler { terminate.yield() }
      source.resume()

      for await _ in terminations { break }
      device.setFact("draining", to: true)  // new jobs are denied
      await device.drained()  // each job has its own end
      device.close()
      source.cancel()
      exit((try? await job.value) == nil ? 1 : 7)
    }
  }

  @Test func `apps that come and go`() async throws {
    final class Tenant: AppDelegate {}
    let device = Device(policy: .server)
    let app = device.register("tenant-17", delegate: Tenant())
    await app.launchAndWait()  // didFinishLaunching and didBecomeActive have returned
    await device.terminateAndRemove(app)  // so has willTerminate
    #expect(device.apps.isEmpty)
  }
}
