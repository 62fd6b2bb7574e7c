internal import CShippedFiles

/// The files that every copy of Curfew carries: its profiles, its default scenario and its default workload.
///
/// They are the very files of the `Policies` folder, embedded byte for byte, so that reading one and running one can never disagree.
package enum ShippedFiles {
  /// The built-in profiles' names, those of iOS first, the oldest system before the others.
  package static let profiles = ["ios3", "ios4", "ios7", "ios13", "android14", "car", "server"]

  /// The bytes of the file at `path` from the project's folder, such as `Policies/ios13.yaml`; nil where it is not carried.
  package static func bytes(of path: String) -> [UInt8]? {
    for place in 0..<csf_count() {
      let file = csf_file_at(place).pointee
      if path == String(cString: file.path) { return [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.length)) }
    }
    return nil
  }

  /// The bytes of the profile of that name; nil where there is none.
  static func profile(_ name: String) -> [UInt8]? { profiles.contains(name) ? bytes(of: "Policies/\(name).yaml") : nil }
}
