import Foundation

/// A lock on a file, which holds until it is released or the program ends. Programs that this one
/// starts do not inherit it.
package struct FileLock: ~Copyable {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // From its fork to its `exec`, a child that another thread starts has a copy of the descriptor.
    // After `close` alone, the copy would hold the lock until then.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Creates the file if there is none, and locks it.
  /// - Returns: nil if another program holds the lock.
  package static func take(_ path: String) throws(SystemError) -> FileLock? {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
      guard descriptor >= 0 else { throw SystemError(attempt: "open \(path)") }
      let lock = FileLock(descriptor: descriptor)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        if errno == EWOULDBLOCK { return nil }
        throw SystemError(attempt: "lock \(path)")
      }
      // The last holder may have put another file in its place.
      guard lock.isHeld(at: path) else { continue }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw SystemError(code: EINVAL, attempt: "use \(path), which is no regular file")
      }
      return lock
    }
  }

  /// Releases the lock.
  package consuming func release() {}

  /// Creates a file with the owner and the mode of the locked one, and locks it. A file that has
  /// the name already is removed.
  package func successor(at path: String) throws(SystemError) -> FileLock {
    unlink(path)
    let number = open(
      path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
    guard number >= 0 else { throw SystemError(attempt: "create \(path)") }
    let lock = FileLock(descriptor: number)
    var status = stat()
    guard fstat(descriptor, &status) == 0, fchown(number, status.st_uid, status.st_gid) == 0,
      fchmod(number, status.st_mode & 0o7777) == 0
    else { throw SystemError(attempt: "give \(path) its owner and mode") }
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError(attempt: "lock \(path)") }
    return lock
  }

  /// The number of the process that holds the lock on a file; nil if that is not known.
  package static func holder(of path: String) -> Int32? {
    var status = stat()
    guard stat(path, &status) == 0,
      let bytes = try? FileBytes.read("/proc/locks", limit: 1 << 22)
    else { return nil }
    // 1: FLOCK  ADVISORY  WRITE 1234 08:02:5678 0 EOF
    let holders = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      let isFile =
        parts.count > 5 && parts[1] == "FLOCK"
        && parts[5].split(separator: ":").last.map(String.init) == String(status.st_ino)
      return isFile ? Int32(parts[4]).flatMap { $0 > 0 ? $0 : nil } : nil
    }
    // Files of several devices may have one number.
    return Set(holders).count == 1 ? holders.first : nil
  }

  /// Puts a file in the place of another one, which gets the name `old`; a file that had this name
  /// is lost. At no time is there no file at `path`. If the program ends between the steps, `path`
  /// is still the file that it was.
  /// - Throws: An error if another file has the name that the old one gets meanwhile.
  package static func replace(_ path: String, by new: String, keeping old: String)
    throws(SystemError)
  {
    let spare = spare(for: old)
    if Descriptor.isSameFile(spare, path) { unlink(spare) }
    guard link(path, spare) == 0 else { throw SystemError(attempt: "create \(spare)") }
    // If an earlier replacement was not finished, both names may be one file's, and `rename` then
    // leaves them.
    defer { unlink(spare) }
    guard rename(spare, old) == 0, rename(new, path) == 0 else {
      throw SystemError(attempt: "replace \(path)")
    }
  }

  /// The name that the old file has until it gets its own.
  package static func spare(for old: String) -> String { old + ".new" }

  /// Whether the file has more names than `path` and those of a replacement that was not finished.
  package static func hasOtherNames(_ path: String, besides old: String) -> Bool {
    var status = stat()
    let own = [old, spare(for: old)].count { Descriptor.isSameFile($0, path) }
    return stat(path, &status) == 0 && Int(status.st_nlink) > 1 + own
  }

  /// Whether the locked file is still the one at `path`.
  package func isHeld(at path: String) -> Bool {
    var (ours, theirs) = (stat(), stat())
    return fstat(descriptor, &ours) == 0 && stat(path, &theirs) == 0
      && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev
  }
}
