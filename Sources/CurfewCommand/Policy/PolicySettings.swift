import ArgumentParser
import CurfewPolicy
import CurfewSimulation
import CurfewText

/// `--policy-set`, an option of every command that takes a policy.
struct PolicySettings: ParsableArguments {
  @Option(
    name: .customLong("policy-set"),
    help: ArgumentHelp(
      """
      Set a value of the policy: tasks.grant=45s, 'wakes.fetch={admissions: 3, window: 1h}'. Write the value as in a file. May be \
      repeated: the values are set in order, and checked once at the end.
      """, valueName: "path=value"), completion: .policyValues)
  var texts: [String] = []

  /// The policy to use instead of a file's own: the policy that an option names, or else the file's
  /// own, with these values set. Returns nil if no policy is named and no value is set.
  func policy(_ name: String?, insteadOfThatIn source: SourceFile) throws -> PolicyFile? {
    let named = try name.map { name throws(FileErrors) in try PolicyFile.named(name) }
    return texts.isEmpty ? named : try (named ?? Scenario.policy(namedIn: source)).map(applied)
  }

  /// `policy` with these values set, in order, and checked once at the end.
  /// - Throws: `SettingErrors` with every mistake in any of the values.
  func applied(to policy: PolicyFile) throws -> PolicyFile {
    let settings = try texts.map { text in
      guard let equals = text.firstIndex(of: "=") else {
        throw Refusal(
          "--policy-set '\(text)': expected a path and a value, such as tasks.grant=45s")
      }
      return ValueSetting(
        path: String(text[..<equals]), text: String(text[text.index(after: equals)...]))
    }
    do { return try policy.set(settings) } catch {
      throw SettingErrors(
        diagnostics: error.diagnostics.map { diagnostic in
          let path = diagnostic.place?.file ?? diagnostic.file
          let setting = settings.last { $0.path == path } ?? settings[settings.count - 1]
          return FileDiagnostic(
            file: "--policy-set \(setting.path)=\(setting.text)", diagnostic.message)
        })
    }
  }
}

/// Mistakes in the values of options.
struct SettingErrors: Error {
  let diagnostics: [FileDiagnostic]
}
