public import CurfewEngine
import CurfewText

extension PolicyFile {
  /// Returns this policy with values that are changed in code:
  ///
  ///     let device = Device(policy: .ios13.with { $0.tasks.grant = .seconds(10) })
  ///
  /// Sets each changed value as `set(_:_:)` does, so digest, entries and explanations show it.
  /// A row that becomes nil is removed. A row that was nil is not created: use a file or `set`
  /// for that.
  /// - Precondition: The values are valid in a file, and fit each other.
  /// - Complexity: O(n) in the number of values, for each changed value.
  public func with(_ change: (inout Policy) -> Void) -> PolicyFile {
    var changed = policy
    change(&changed)
    var file = self
    var settings = settings(from: changed)
    var error: (any Error)?
    // A value may fit only after another has been set.
    while !settings.isEmpty {
      let before = settings.count
      settings.removeAll { setting in
        let result = Result { try file.set(setting.path, setting.text) }
        if case .failure(let found) = result { error = found }
        return (try? result.get()) != nil
      }
      precondition(
        settings.count < before,
        "Policy '\(name)' cannot be changed like this: \(error.map { "\($0)" } ?? "")")
    }
    return file
  }

  /// The values of `changed` that differ from this policy, as a file would write them.
  private func settings(from changed: Policy) -> [(path: String, text: String)] {
    PolicyTable.all(layer.own).flatMap { table -> [(path: String, text: String)] in
      if let kind = table.kind {
        let rows =
          table.path.hasPrefix("wakes.")
          ? (policy.wakes[kind] == nil, changed.wakes[kind] == nil)
          : (policy.sessions[kind] == nil, changed.sessions[kind] == nil)
        guard !rows.0 else { return [] }
        if rows.1 { return [(table.path, "none")] }
      }
      return table.keys.compactMap { key in
        let (old, new) = (key.write(policy, policy.names), key.write(changed, policy.names))
        guard old != new else { return nil }
        return (key.path, new.contains(", ") ? "[\(new)]" : new)
      }
    }
  }
}
