import Foundation

#if os(Linux)
  import CProcess
#endif

/// Where the cgroups of a process are, from Linux's `/proc`.
///
/// A path of a cgroup is text here, and a journal keeps it. The bytes of a name need not be UTF-8,
/// so a byte that is not is written as `\351`, as in `mountinfo`.
package enum Cgroup {
  /// The folders of this process's own cgroup of version 2, one for each mount that has it.
  package static func own() -> [String] {
    // A machine with many containers has a long list of mounts.
    func bytes(_ path: String) -> [UInt8] { (try? FileBytes.read(path, limit: 64 << 20)) ?? [] }
    return folders(cgroups: bytes("/proc/self/cgroup"), mounts: bytes("/proc/self/mountinfo"))
  }

  /// The folders that the files `cgroup` and `mountinfo` of a process name.
  package static func folders(cgroups: [UInt8], mounts: [UInt8]) -> [String] {
    let newline = UInt8(ascii: "\n")
    let prefix = Array("0::".utf8)
    let line = cgroups.split(separator: newline).first { $0.starts(with: prefix + [slash]) }
    guard let own = line?.dropFirst(prefix.count) else { return [] }
    return mounts.split(separator: newline).compactMap { mount in
      // 41 31 0:38 /root /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw
      let parts = mount.split(separator: UInt8(ascii: " "))
      guard let dash = parts.firstIndex(of: [UInt8(ascii: "-")]), dash > 4, dash + 1 < parts.count,
        parts[dash + 1].elementsEqual("cgroup2".utf8),
        let rest = path(Array(own), below: unescaped(parts[3]))
      else { return nil }
      return text(unescaped(parts[4]) + rest)
    }
  }

  private static let slash = UInt8(ascii: "/")

  /// The part of `path` below `root`: empty or with a slash first; nil if it is elsewhere.
  private static func path(_ path: [UInt8], below root: [UInt8]) -> ArraySlice<UInt8>? {
    guard !path.starts(with: "/..".utf8) else { return nil }
    let path = path == [slash] ? [] : path
    if root == [slash] { return path[...] }
    return path == root || path.starts(with: root + [slash]) ? path.dropFirst(root.count) : nil
  }

  // MARK: Text and bytes

  /// The bytes of a path, ended by 0 for the system's calls.
  package static func bytes(_ text: String) -> [CChar] {
    unescaped(Array(text.utf8)[...]).map { CChar(bitPattern: $0) } + [0]
  }

  /// The text of a path or a name.
  package static func text(_ bytes: [UInt8]) -> String {
    var (result, rest) = ("", bytes[...])
    while let byte = rest.first {
      let length = lengthOfCharacter(at: rest)
      if let length, code(after: byte, in: rest) == nil {
        result += String(decoding: rest.prefix(length), as: UTF8.self)
      } else {
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
      rest = rest.dropFirst(length ?? 1)
    }
    return result
  }

  /// The number of bytes of the first character; nil if it is not UTF-8.
  private static func lengthOfCharacter(at bytes: ArraySlice<UInt8>) -> Int? {
    (1...min(4, bytes.count)).first { count in
      let character = bytes.prefix(count)
      return String(decoding: character, as: UTF8.self).utf8.elementsEqual(character)
    }
  }

  /// `\040` stands for a space. A backslash without three digits is itself, as in the names that
  /// systemd gives.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var (result, rest) = ([UInt8](), text)
    while let byte = rest.first {
      let number = code(after: byte, in: rest)
      result.append(number ?? byte)
      rest = rest.dropFirst(number == nil ? 1 : 4)
    }
    return result
  }

  /// The byte whose number follows a backslash; nil if the first byte does not begin one.
  private static func code(after byte: UInt8, in text: ArraySlice<UInt8>) -> UInt8? {
    let digits = text.dropFirst().prefix(3)
    guard byte == UInt8(ascii: "\\"), digits.count == 3,
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 })
    else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}

#if os(Linux)
  extension Cgroup {
    /// Makes a cgroup below this process's own, in the first mount that allows it.
    /// - Returns: Its path.
    package static func make(named name: String) throws(SystemError) -> String {
      var failure: SystemError?
      for own in own() {
        // Another file system may hide the mount.
        guard cproc_is_cgroup(bytes(own)) == 1 else { continue }
        let path = own + "/" + name
        if mkdir(bytes(path), 0o755) == 0 { return path }
        failure = failure ?? SystemError(attempt: "make \(path)")
      }
      throw failure ?? SystemError(code: ENOENT, attempt: "find a cgroup of version 2")
    }

    /// The folders below a folder, the deepest first.
    package static func folders(below folder: String) -> [String] {
      guard let directory = opendir(bytes(folder)) else { return [] }
      defer { closedir(directory) }
      var found: [String] = []
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        guard name != Array(".".utf8), name != Array("..".utf8) else { continue }
        let path = folder + "/" + text(name)
        var status = stat()
        guard lstat(bytes(path), &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
        found += folders(below: path) + [path]
      }
      return found
    }
  }
#endif
