internal import CShippedFiles

/// The files that every copy of Curfew carries: its profiles, its default scenario and its
/// default workload.
///
/// They are the very files of the `Policies` folder, embedded byte for byte, so that reading one
/// and running one can never disagree.
package enum ShippedFiles {
  private static var files: [csf_file] { (0..<csf_count()).map { csf_file_at($0).pointee } }

  /// The built-in profiles' names, those of iOS first, the oldest system before the others.
  package static let profiles = files.filter(\.is_profile).map { file in
    String(String(cString: file.path).dropFirst("Policies/".count).dropLast(".yaml".count))
  }

  /// The bytes of the file at `path` from the project's folder, such as `Policies/ios13.yaml`; nil
  /// where it is not carried.
  package static func bytes(of path: String) -> [UInt8]? {
    files.first { path == String(cString: $0.path) }.map {
      [UInt8](UnsafeBufferPointer(start: $0.bytes, count: $0.length))
    }
  }

  /// The bytes of the profile of that name; nil where there is none.
  static func profile(_ name: String) -> [UInt8]? {
    profiles.contains(name) ? bytes(of: "Policies/\(name).yaml") : nil
  }
}
