import CurfewPolicy
import CurfewText
import CurfewTrace

extension TraceHeader {
  /// Returns the policy `name`. If `name` is nil, returns the built-in policy that the trace names,
  /// provided that its digest is unchanged. First the settings that the trace records and then
  /// `settings` are applied to the policy.
  ///
  /// Prints a warning if the digest differs from the trace's. `doing` says in that warning how
  /// the policy is used: `replayed`.
  func policy(
    named name: String?, _ settings: PolicySettings, in file: String, _ doing: String,
    _ console: Console
  ) throws -> PolicyFile {
    let place = SourcePlace(file: file, line: 1, column: 1)
    let base =
      try name.map { name throws(FileErrors) in try set(over: try PolicyFile.named(name), at: place)
      } ?? recorded(at: place)
    let chosen = try settings.applied(to: base)
    if chosen.digest != policyDigest {
      let (recorded, used) = (
        "'\(policy)' (digest \(policyDigest))", "'\(chosen.name)' (digest \(chosen.digest))"
      )
      let message =
        "recorded under \(recorded), \(doing) under \(used): the policy may be the cause of a difference"
      console.tell(Message(.warning, message, place: place))
    }
    return chosen
  }

  /// The built-in policy that the trace names, with the recorded settings, provided that its digest
  /// is unchanged.
  private func recorded(at place: SourcePlace) throws(FileErrors) -> PolicyFile {
    guard PolicyFile.builtInNames.contains(policy) else {
      let message =
        "recorded under the policy '\(policy)', which is not built in; name its file with --policy"
      throw FileErrors([FileDiagnostic(at: place, message)])
    }
    let builtIn = try set(over: try PolicyFile.load(policy), at: place)
    guard builtIn.digest == policyDigest else {
      let message =
        "recorded under a policy '\(policy)' (digest \(policyDigest)) that differs from the built-in one (digest \(builtIn.digest)); "
        + "name its file with --policy, or use the built-in policy anyway: --policy \(policy)"
      throw FileErrors([FileDiagnostic(at: place, message)])
    }
    return builtIn
  }

  /// The policy `file` with the settings that the header records.
  private func set(over file: PolicyFile, at place: SourcePlace) throws(FileErrors) -> PolicyFile {
    do { return try file.set(settings) } catch {
      throw FileErrors(
        error.diagnostics.map { FileDiagnostic(at: place, "'set', \($0.file): \($0.message)") })
    }
  }
}
