internal import CurfewEngine

/// A function without the isolation in its type. Swift cannot call a function that may be isolated
/// to any actor synchronously, not even on that actor. Both types are called in the same way.
///
/// The functions are cast inside structures: passed directly to a generic function, each would be
/// wrapped, which costs 70 ns, an eighth of the time to begin and end a task.
private struct Isolated {
  let function: @Sendable @isolated(any) () throws -> Void

  private struct Plain { let function: @Sendable () throws -> Void }

  var plain: @Sendable () throws -> Void { unsafeBitCast(self, to: Plain.self).function }
}

/// The same for a function that receives the expiration.
private struct IsolatedTold {
  let function: @Sendable @isolated(any) (Expiration) throws -> Void

  private struct Plain { let function: @Sendable (Expiration) throws -> Void }

  var plain: @Sendable (Expiration) throws -> Void { unsafeBitCast(self, to: Plain.self).function }
}

/// Handlers that run on the actor that they were written for. A closure in a `@MainActor` class is
/// isolated to the main actor, and may use the class's properties only there.
extension DeviceCore {
  /// A task's expiration handler: on the main actor if `handler` is isolated to it, in a task
  /// on its actor if it is isolated to another actor, and otherwise where the app's callbacks run.
  func closure(
    of app: AppID, _ handler: @escaping @Sendable @isolated(any) () throws -> Void
  ) -> ExpirationClosure {
    let plain = Isolated(function: handler).plain
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
    let told = IsolatedTold(function: handler).plain
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
