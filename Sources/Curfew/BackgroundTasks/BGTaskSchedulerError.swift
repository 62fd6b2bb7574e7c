import CurfewEngine
public import Foundation

extension BGTaskScheduler {
  /// `BGTaskScheduler.Error`: the reason why a request was not accepted.
  ///
  /// ```swift
  /// do { try scheduler.submit(request) } catch BGTaskScheduler.Error.notPermitted { … }
  /// ```
  public struct Error: CustomNSError, Hashable, CustomStringConvertible {
    /// The scheduler's code for the error.
    public let code: Code
    /// The reason, the place where it is written, and a change that would make the scheduler accept
    /// the request; nil if the submission raised an exception, which has ended the process.
    public let refusal: TaskRequestDeniedError?

    init(_ code: Code, refusal: TaskRequestDeniedError?) {
      (self.code, self.refusal) = (code, refusal)
    }

    /// `BGTaskScheduler.Error.Code`. `immediateRunIneligible` is left out: it concerns continued
    /// processing, which Curfew does not support.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
      /// Background App Refresh is off, the policy has no such requests, or the app is not running.
      case unavailable = 1
      /// Too many requests of its kind are pending.
      case tooManyPendingTaskRequests = 2
      /// The manifest does not permit the identifier, or does not declare the mode.
      case notPermitted = 3

      init(_ error: TaskRequestError) {
        switch error {
        case .unavailable: self = .unavailable
        case .tooManyPendingTaskRequests: self = .tooManyPendingTaskRequests
        case .notPermitted: self = .notPermitted
        }
      }

      /// Lets `catch BGTaskScheduler.Error.notPermitted` match an error with this code.
      public static func ~= (code: Code, error: any Swift.Error) -> Bool {
        (error as? BGTaskScheduler.Error)?.code == code
      }
    }

    /// `Code.unavailable`, for `catch`.
    public static var unavailable: Code { .unavailable }
    /// `Code.tooManyPendingTaskRequests`, for `catch`.
    public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
    /// `Code.notPermitted`, for `catch`.
    public static var notPermitted: Code { .notPermitted }

    /// `BGTaskScheduler.errorDomain`.
    public static var errorDomain: String { "BGTaskSchedulerErrorDomain" }
    /// The code's number.
    public var errorCode: Int { code.rawValue }

    /// The reason, and a change that would make the scheduler accept the request.
    public var description: String { refusal?.description ?? "\(code)" }
  }
}

/// A mistake that raises an exception on iOS, with the text that iOS uses and the remedy.
enum SchedulerException: Error, CustomStringConvertible {
  case unregistered(String)
  case registeredTwice(String)
  case registeredLate(String)

  var description: String {
    switch self {
    case .unregistered(let identifier):
      "No launch handler registered for task with identifier \(identifier): register it in each launch, before applicationDidFinishLaunching(_:) has returned"
    case .registeredTwice(let identifier):
      "Launch handler for task with identifier \(identifier) has already been registered: register it once in each process"
    case .registeredLate(let identifier):
      "All launch handlers must be registered before application finishes launching: \(identifier) was registered after applicationDidFinishLaunching(_:) had returned"
    }
  }
}
