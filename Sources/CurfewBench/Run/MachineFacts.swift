internal import CurfewSystem
import Foundation

extension MachineRecord {
  /// The facts about this machine, and about the clone that contains the folder `root`.
  package static func here(root: String) -> MachineRecord {
    let processors = lines("/proc/cpuinfo")
    let scaling = "/sys/devices/system/cpu/cpu0/cpufreq"
    let commit = commit(of: root)
    return MachineRecord(
      date: Date().ISO8601Format(), commit: commit,
      isClean: commit != nil && !hasChanges(root),
      compiler: firstLine("swift --version 2>/dev/null", root) ?? "unknown",
      flags: "-c release", kernel: firstLine("uname -sr", root) ?? "unknown",
      architecture: firstLine("uname -m", root) ?? "unknown",
      processor: processors.first { $0.hasPrefix("model name") }?.split(
        separator: ":", maxSplits: 1
      ).last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown",
      cores: ProcessFacts.now().cores, governor: lines("\(scaling)/scaling_governor").first,
      frequencyScaling: lines("\(scaling)/scaling_driver").first,
      memoryBytes: Int64(ProcessInfo.processInfo.physicalMemory),
      load: (lines("/proc/loadavg").first ?? "").split(separator: " ").prefix(3).compactMap {
        Double($0)
      })
  }

  private static func lines(_ path: String) -> [String] {
    guard let bytes = try? FileBytes.read(path, limit: 1 << 24) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func firstLine(_ command: String, _ root: String) -> String? {
    guard
      let child = try? ChildProcess(
        shell: command, in: root, environment: ["ROOT": root], errors: "/dev/null")
    else { return nil }
    child.closeInput()
    guard case .line(let line) = child.hear(within: 60), !line.isEmpty else { return nil }
    return String(decoding: line, as: UTF8.self)
  }

  /// The commit of the clone that contains `root`; nil outside of a clone.
  package static func commit(of root: String) -> String? {
    firstLine("git -C \"$ROOT\" rev-parse HEAD", root)
  }

  /// Whether the clone that contains `root` has changes without a commit.
  package static func hasChanges(_ root: String) -> Bool {
    firstLine("git -C \"$ROOT\" status --porcelain", root) != nil
  }
}
