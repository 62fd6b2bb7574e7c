private struct TimedOut: Error {}

/// A task group with the body and a sleep, as in a typical `withTimeout`.
let withTimeout: Bound = { limit, body in
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
