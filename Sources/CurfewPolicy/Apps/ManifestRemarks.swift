public import CurfewText

/// What was odd about the property list that a manifest was read from.
///
/// No part of what an app declares: two manifests that declare the same are equal, whatever was
/// said of their files, and a trace's header has only those that are not a plain app's.
package struct ManifestRemarks: Hashable, Sendable {
  /// The warnings, in the order of `InfoPlist.warnings`.
  package var warnings: [FileDiagnostic]

  /// These warnings.
  package init(_ warnings: [FileDiagnostic] = []) { self.warnings = warnings }

  package static func == (_: ManifestRemarks, _: ManifestRemarks) -> Bool { true }

  package func hash(into _: inout Hasher) {}
}

extension AppManifest {
  /// What is odd about the `Info.plist` that it was read from, each with its file, and its line
  /// where there is one; empty for a manifest made in code. Two manifests are equal whatever their
  /// warnings are.
  public var warnings: [FileDiagnostic] { remarks.warnings }
}
