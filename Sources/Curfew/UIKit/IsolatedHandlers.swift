internal import CurfewEngine

/// Handlers that run on the actor that they were written for. A closure in a `@MainActor` class is
/// isolated to the main actor, and may use the class's properties only there.
extension DeviceCore {
  /// A task's expiration handler: on the main actor if `handler` is isolated to it, in a task
  /// on its actor if it is isolated to another actor, and otherwise where the app's callbacks run.
  func closure(
    of app: AppID, _ handler: @escaping @Sendable @isolated(any) () throws -> Void
  ) -> ExpirationClosure {
    // Swift cannot call such a function synchronously, not even on its own actor. The cast only
    // removes the isolation from the type; both types are called in the same way.
    let plain = unsafeBitCast(handler, to: (@Sendable () throws -> Void).self)
    return switch handler.isolation {
    case nil: .plain(plain)
    case .some(let actor) where actor === MainActor.shared:
      .plain { [self] in try onMainActor { try plain() } }
    case .some: .plain { [self] in runOnActor(of: app) { try await handler() } }
    }
  }

  /// The same for a handler that receives the expiration.
  func closure(
    of app: AppID, _ handler: @escaping @Sendable @isolated(any) (Expiration) throws -> Void
  ) -> ExpirationClosure {
    let told = unsafeBitCast(handler, to: (@Sendable (Expiration) throws -> Void).self)
    return switch handler.isolation {
    case nil: .told(told)
    case .some(let actor) where actor === MainActor.shared:
      .told { [self] expiration in try onMainActor { try told(expiration) } }
    case .some:
      .told { [self] expiration in runOnActor(of: app) { try await handler(expiration) } }
    }
  }

  /// Begins work of the app that ends the app's process if it throws, like a handler.
  private func runOnActor(of app: AppID, _ work: @escaping @Sendable () async throws -> Void) {
    Task {
      do { try await work() } catch {
        tell(by: app) { state in
          state.apps[app].error = "\(error)"
          return .crash(app, .abnormalExit)
        }
      }
    }
  }
}
