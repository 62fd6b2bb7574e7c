import CoreMetrics
import Curfew
import CurfewMetrics
import CurfewUV
import MetricsTestKit
import TestRuns
import Testing

/// The metrics of a server: its books agree with the answers that its clients received.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct ServerMetricsTests {
  private enum Answer: Hashable { case ok, unavailable(String), timeout }

  /// A request whose body finishes at once, or works for 150 ms and ignores its cancellation.
  private static func request(_ number: Int, to device: Device) async throws -> Answer {
    do {
      try await device.withGrant(
        .milliseconds(100), warning: number % 4 == 1 ? .zero : .milliseconds(50), named: "request"
      ) {
        guard number % 2 == 1 else { return }
        await Task.detached { try? await Task.sleep(for: .milliseconds(150)) }.value
      }
      return .ok
    } catch let error as GrantDeniedError {
      return .unavailable(error.reason)
    } catch is GrantExpiredError {
      return .timeout
    }
  }

  /// Sends requests over 24 connections, each of which waits for its answers.
  private static func send(_ requests: Int, to device: Device) async throws -> [Answer: Int] {
    try await withThrowingTaskGroup(of: [Answer].self) { group in
      for connection in 0..<24 {
        group.addTask {
          var answers: [Answer] = []
          for number in stride(from: connection, to: requests, by: 24) {
            // A connection alternates between quick requests and requests that outlive their grant.
            answers.append(try await request(number + number / 24, to: device))
          }
          return answers
        }
      }
      return try await group.reduce(into: [:]) { sums, answers in
        for answer in answers { sums[answer, default: 0] += 1 }
      }
    }
  }

  @Test func `counters add up to the answers that clients received`() async throws {
    let factory = TestMetrics()
    let device = Device(policy: .server, clock: .realTime(try UVClock()))
    let metrics = DeviceMetrics(device, name: "server", factory: factory)
    let reporting = Task { await metrics.run(every: .milliseconds(100)) }
    var answers = try await Self.send(1_440, to: device)
    device.setFact("draining", to: true)
    await device.drained()
    answers.merge(try await Self.send(48, to: device), uniquingKeysWith: +)
    // Bodies end and cancellations are called a little after their callers have their answers.
    while device.counts.jobsOutlived < device.counts.jobsExpired
      || device.counts.handlersCalled < device.counts.expirations
    {
      try await Task.sleep(for: .milliseconds(1))
    }
    reporting.cancel()
    await reporting.value

    func total(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int {
      Int(try factory.expectCounter("server_\(label)", dimensions).totalValue)
    }
    let (ok, late) = (answers[.ok] ?? 0, answers[.timeout] ?? 0)
    #expect(ok + late == 1_440 && late >= 720 && answers[.unavailable("draining")] == 48)
    #expect(try total("jobs_admitted") == 1_440 && total("jobs_finished") == ok)
    #expect(try total("jobs_expired") == late && total("jobs_outlived") == late)
    #expect(
      try total("jobs_denied", [("reason", "draining")]) == 48 && total("jobs_revoked") == 0)
    #expect(try factory.expectGauge("server_jobs_running").lastValue == 0)
    let ends = try factory.expectTimer("server_grant_end_lateness").values
    #expect(ends.count == late, "one for each 504")
    #expect(try total("jobs_warned") >= 360 && total("expirations") == total("handlers_called"))
    #expect(try factory.expectTimer("server_handler_lateness").values.count == total("expirations"))
    device.close()
  }
}
