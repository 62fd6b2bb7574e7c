/// The files that every copy of Curfew carries: its profiles, its default scenario and its default workload.
///
/// They are the very files of the `Policies` folder, embedded byte for byte, so that reading one and running one can never disagree.
public enum ShippedPolicies {
  /// The built-in profiles, those of iOS first, the oldest system before the others: the name by which they are asked for, and the file's bytes.
  public static let profiles: [(name: String, bytes: [UInt8])] = [
    ("ios3", PackageResources.ios3_yaml),
    ("ios4", PackageResources.ios4_yaml),
    ("ios7", PackageResources.ios7_yaml),
    ("ios13", PackageResources.ios13_yaml),
    ("android14", PackageResources.android14_yaml),
    ("car", PackageResources.car_yaml),
    ("server", PackageResources.server_yaml),
  ]

  /// The built-in workloads: the name by which they are asked for, and the file's bytes.
  public static let workloads: [(name: String, bytes: [UInt8])] = [("phone", PackageResources.phone_yaml)]

  /// What `curfew simulate` runs when it is given no scenario: a phone's day.
  public static let day: [UInt8] = PackageResources.day_yaml
}
