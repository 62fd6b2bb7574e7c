import Curfew
import CurfewUV
import Logging
import ServiceLifecycle

/// The ways to bound a job: an unfinished job is cancelled `limit` after the call.
enum Contestant: String, CaseIterable {
  /// A Swift task without a limit: the floor.
  case task = "Task, no limit"
  /// A task group with the body and a sleep, as in a typical `withTimeout`.
  case timeout = "Task.sleep"
  /// A service group of swift-service-lifecycle, whose graceful shutdown begins at once. It
  /// is cancelled after the maximum duration of that shutdown.
  case service = "ServiceGroup"
  /// A grant whose warning comes at the limit, and which ends five seconds later.
  case grant = "withGrant"

  /// Runs the body under the limit.
  func run(
    _ limit: Duration, on device: Device, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    switch self {
    case .task: try await Task(operation: body).value
    case .timeout: try await withTimeout(limit, body)
    case .service: try await withServiceGroup(limit, body)
    case .grant: try await device.withGrant(limit + .seconds(5), warning: .seconds(5), body)
    }
  }
}

private struct TimedOut: Error {}

private func withTimeout(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Void)
  async throws
{
  try await withThrowingTaskGroup(of: Void.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimedOut()
    }
    try await group.next()
  }
}

private struct JobService: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}

private let logger = Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() }

private func withServiceGroup(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Void
) async throws {
  let (groups, handOver) = AsyncStream<ServiceGroup>.makeStream()
  let service = JobService {
    for await group in groups {
      await group.triggerGracefulShutdown()
      break
    }
    try await body()
  }
  var configuration = ServiceGroupConfiguration(
    services: [
      .init(
        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup)
    ], logger: logger)
  configuration.maximumGracefulShutdownDuration = limit
  let group = ServiceGroup(configuration: configuration)
  handOver.yield(group)
  try await group.run()
}
