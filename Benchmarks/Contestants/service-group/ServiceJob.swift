import Logging
import ServiceLifecycle

/// A job that begins the graceful shutdown of its own group.
private final class JobService: Service, @unchecked Sendable {
  private let body: @Sendable () async throws -> Void
  /// The group, until the job runs. It is set before.
  var group: ServiceGroup?

  init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

  func run() async throws {
    await group.take()?.triggerGracefulShutdown()
    try await body()
  }
}

private let logger = Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() }

/// A service group of swift-service-lifecycle, whose graceful shutdown begins at once. It
/// is cancelled after the maximum duration of that shutdown.
let withServiceGroup: Bound = { limit, body in
  let service = JobService(body)
  var configuration = ServiceGroupConfiguration(
    services: [
      .init(
        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup)
    ], logger: logger)
  configuration.maximumGracefulShutdownDuration = limit
  let group = ServiceGroup(configuration: configuration)
  service.group = group
  try await group.run()
}
