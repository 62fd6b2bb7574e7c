import Logging
import ServiceLifecycle

private struct JobService: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}

private let logger = Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() }

/// A service group of swift-service-lifecycle, whose graceful shutdown begins at once. It
/// is cancelled after the maximum duration of that shutdown.
let withServiceGroup: Bound = { limit, body in
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
