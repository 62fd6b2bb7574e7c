/// The version of Curfew and the sources that it was built from: results depend on both.
package enum Release {
  /// The version, as semver.org defines it.
  package static let version = "0.1.0"

  /// The build: the version, the commit, and a digest of `Sources` if the files differ from those
  /// of the commit, or if no commit is known.
  ///
  /// `0.1.0 (11a6ab5ff87d)`, `0.1.0 (11a6ab5ff87d, Sources changed: 3fa94c01d2be)`, `0.1.0
  /// (Sources: 3fa94c01d2be)`
  package static let build = name(commit: SourceState.commit, sources: SourceState.changedSources)

  static func name(commit: String?, sources: String?) -> String {
    let parts = [
      commit, sources.map { commit == nil ? "Sources: \($0)" : "Sources changed: \($0)" },
    ].compactMap { $0 }
    return "\(version) (\(parts.joined(separator: ", ")))"
  }
}
