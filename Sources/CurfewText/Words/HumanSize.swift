/// Sizes as files write them, in the largest unit that leaves a whole number: `120MiB`, `1500B`.
package enum HumanSize {
  package static func text(_ bytes: Int64) -> String {
    for (unit, scale) in [("GiB", Int64(1) << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= scale && bytes % scale == 0 {
      return "\(bytes / scale)\(unit)"
    }
    return "\(bytes)B"
  }
}
