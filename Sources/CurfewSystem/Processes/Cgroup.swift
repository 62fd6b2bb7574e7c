/// Where the cgroup of a process is, from Linux's `/proc`.
package enum Cgroup {
  /// The folder of this process's own cgroup of version 2; nil if there is none.
  package static func own() -> String? {
    func text(_ path: String) -> String? {
      (try? FileBytes.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
    guard let cgroups = text("/proc/self/cgroup"), let mounts = text("/proc/self/mountinfo") else {
      return nil
    }
    return folder(cgroups: cgroups, mounts: mounts)
  }

  /// The folder that the files `cgroup` and `mountinfo` of a process name.
  package static func folder(cgroups: String, mounts: String) -> String? {
    guard let line = cgroups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else {
      return nil
    }
    let own = String(line.dropFirst("0::".count))
    for mount in mounts.split(separator: "\n") {
      // 41 31 0:38 /root /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw
      let parts = mount.split(separator: " ")
      guard let dash = parts.firstIndex(of: "-"), dash > 4, dash + 1 < parts.count,
        parts[dash + 1] == "cgroup2", let rest = path(own, below: String(parts[3]))
      else { continue }
      return unescaped(String(parts[4])) + rest
    }
    return nil
  }

  /// The part of `path` below `root`: empty or with a slash first; nil if it is elsewhere.
  private static func path(_ path: String, below root: String) -> String? {
    guard !path.hasPrefix("/..") else { return nil }
    let path = path == "/" ? "" : path
    if root == "/" { return path }
    return path == root || path.hasPrefix(root + "/") ? String(path.dropFirst(root.count)) : nil
  }

  /// A path of `mountinfo`, which has `\040` for a space.
  private static func unescaped(_ text: String) -> String {
    var (result, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      let code = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), code.count == 3,
        let number = UInt8(String(decoding: code, as: UTF8.self), radix: 8)
      {
        result.append(number)
        rest.removeFirst(3)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
