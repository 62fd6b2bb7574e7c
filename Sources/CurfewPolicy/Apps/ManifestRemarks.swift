public import CurfewText

/// Warnings about the property list that a manifest was read from.
///
/// Remarks are not declarations: two manifests with the same declarations are equal, whatever
/// their remarks are. A manifest that differs from a plain app's only by its remarks is not in a
/// trace's header.
package struct ManifestRemarks: Hashable, Sendable {
  /// The warnings, in the order of `InfoPlist.warnings`.
  package var warnings: [FileDiagnostic]

  /// Creates remarks with these warnings.
  package init(_ warnings: [FileDiagnostic] = []) { self.warnings = warnings }

  package static func == (_: ManifestRemarks, _: ManifestRemarks) -> Bool { true }

  package func hash(into _: inout Hasher) {}
}

extension AppManifest {
  /// Warnings about the `Info.plist` that the manifest was read from, each with its file, and with
  /// its line if known; empty for a manifest made in code. Equality ignores warnings.
  public var warnings: [FileDiagnostic] { remarks.warnings }
}
