internal import CShippedFiles

/// The files that every copy of Curfew contains: the profiles, the default scenario and the
/// default workload.
///
/// They are the files of the `Policies` folder, embedded byte for byte, so the printed file and the
/// file that runs never differ.
package enum ShippedFiles {
  private static var files: [csf_file] { (0..<csf_count()).map { csf_file_at($0).pointee } }

  /// The names of the built-in profiles: first iOS, the oldest system first, then the others.
  package static let profiles = files.filter(\.is_profile).map { file in
    String(String(cString: file.path).dropFirst("Policies/".count).dropLast(".yaml".count))
  }

  /// The names of the built-in workloads.
  package static let workloads = files.map { String(cString: $0.path) }.filter {
    $0.hasPrefix(workloadFolder)
  }.map { String($0.dropFirst(workloadFolder.count).dropLast(".yaml".count)) }

  private static let workloadFolder = "Policies/Workloads/"

  /// The bytes of the file at `path` in the project's folder, such as `Policies/ios13.yaml`; nil if
  /// it is not embedded.
  package static func bytes(of path: String) -> [UInt8]? {
    files.first { path == String(cString: $0.path) }.map {
      [UInt8](UnsafeBufferPointer(start: $0.bytes, count: $0.length))
    }
  }

  /// The bytes of the profile of that name; nil if there is none.
  static func profile(_ name: String) -> [UInt8]? {
    profiles.contains(name) ? bytes(of: "Policies/\(name).yaml") : nil
  }
}
