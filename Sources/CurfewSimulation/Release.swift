/// Which Curfew this is: what results were made with.
package enum Release {
  /// By semver.org.
  package static let version = "0.1.0"
}
