import CurfewEngine

// Texts that `print` and a failed `#expect` show for the records of a device.

extension BackgroundTaskIdentifier: CustomStringConvertible {
  /// The number: `1`; or `invalid`.
  public var description: String { self == .invalid ? "invalid" : "\(rawValue)" }
}

extension Decision: CustomStringConvertible {
  /// `com.example.mail: fetch denied at 8s: lowPowerMode because wakes.fetch.blockedBy is lowPowerMode (…); Turn Low Power Mode off.`
  public var description: String {
    let sentence = "\(app): \(kind) \(isAllowed ? "allowed" : "denied") at \(instant)"
    return explanation.isEmpty ? sentence : "\(sentence): \(explanation.joined(separator: " "))"
  }
}

extension Expiration: CustomStringConvertible {
  /// `com.example.mail: handler of task 1 'upload' called at 25s: timeLimit`,
  /// with the instant at which it was due if that was earlier; or the reason why it was not
  /// called: `… due at 25s, not called because its process had ended: timeLimit`.
  public var description: String {
    "\(app): handler of task \(identifier.number) '\(task)' \(outcome.words(due: due)): \(reason.fileName)"
  }
}

extension Expiration.Outcome {
  fileprivate func words(due: Instant) -> String {
    switch self {
    case .waiting: "due at \(due), not called yet"
    case .called(let instant): "called at \(instant)\(due < instant ? ", due at \(due)" : "")"
    case .leftOut(.taskEnded): "due at \(due), not called because its task had ended"
    case .leftOut(.processEnded): "due at \(due), not called because its process had ended"
    case .leftOut(.deviceClosed): "due at \(due), not called because its device was closed"
    }
  }
}

extension OpenTask: CustomStringConvertible {
  /// `com.example.mail: task 1 'upload', open for 30s, begun at Mail/Uploader.swift:12`.
  public var description: String {
    "\(app): \(words)"
  }

  /// The description without the app.
  var words: String {
    "task \(identifier.number) '\(name)', open for \(Interval(age)), begun at \(origin)"
  }
}

extension ProcessEnd: CustomStringConvertible {
  /// `com.example.mail: ended at 30s: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', because tasks.grant is 30s (…)`.
  public var description: String {
    var text = "\(app): ended at \(instant): \(reason.fileName)"
    if let code { text += " (\(code))" }
    if let callback { text += " in \(callback.fileName)" }
    if !openTasks.isEmpty {
      text += ", left open: " + openTasks.map { "'\($0.name)'" }.joined(separator: ", ")
    }
    return text + ", \(error == nil ? "because " : "")\(because)"
  }
}
