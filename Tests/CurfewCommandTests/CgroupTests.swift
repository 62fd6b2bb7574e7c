import CurfewSystem
import Foundation
import Testing

/// The cgroups of a process, and their paths.
@Suite struct CgroupTests {
  @Test(
    arguments: [
      (
        "0::/", "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
        ["/sys/fs/cgroup/unified"]
      ),
      (
        "1:cpu:/\n0::/user.slice/a b",
        "9 8 0:3 / /sys/fs/my\\040group rw,x shared:9 - cgroup2 c rw",
        ["/sys/fs/my group/user.slice/a b"]
      ),
      (
        "0::/docker/x/y", "9 8 0:3 /docker/x /sys/fs/cgroup rw - cgroup2 c rw", ["/sys/fs/cgroup/y"]
      ),
      (
        "0::/a b/y",
        "9 8 0:3 /a\\040b /one rw - cgroup2 c rw\n9 8 0:3 / /two rw - cgroup2 c rw\n",
        ["/one/y", "/two/a b/y"]
      ),
      ("0::/a\\x2db", "9 8 0:3 / /one rw - cgroup2 c rw", ["/one/a\\x2db"]),
      ("0::/docker/xy", "9 8 0:3 /docker/x /sys/fs/cgroup rw - cgroup2 c rw", []),
      ("0::/../other", "9 8 0:3 / /sys/fs/cgroup rw - cgroup2 c rw", []),
      ("4:memory:/x", "9 8 0:3 / /sys/fs/cgroup rw - cgroup2 c rw", []),
      ("0::/", "9 8 0:3 / /sys/fs/cgroup/cpu rw - cgroup c rw\nshort", []),
    ] as [(String, String, [String])])
  func `the own cgroups are found`(_ cgroups: String, _ mounts: String, _ folders: [String]) {
    #expect(Cgroup.folders(cgroups: Array(cgroups.utf8), mounts: Array(mounts.utf8)) == folders)
  }

  @Test func `a cgroup's path keeps its bytes`() {
    let names: [[UInt8]] = [
      Array("/café/a b/x\\x2dy/\u{fffd}".utf8), [0x2f, 0xe9], [0x2f, 0xff, 0xc3, 0x2f, 0xc3, 0xa9],
      Array("/\\040/\\/\\12".utf8), [],
    ]
    for name in names {
      #expect(Cgroup.bytes(Cgroup.text(name)).dropLast().map { UInt8(bitPattern: $0) } == name)
    }
    #expect(Cgroup.text(names[0]) == "/café/a b/x\\x2dy/\u{fffd}")
    #expect(Cgroup.text(names[1]) == "/\\351" && Cgroup.text(names[3]) == "/\\134040/\\/\\12")
    let own = [UInt8](Array("0::/".utf8) + [0xe9])
    let mounts = Array("9 8 0:3 / /one rw - cgroup2 c rw".utf8)
    #expect(Cgroup.folders(cgroups: own, mounts: mounts) == ["/one/\\351"])
  }

  #if os(Linux)
    @Test func `a path is a cgroup only if it is one below another`() throws {
      let folder = try TemporaryFolder()
      #expect(LinuxProcesses.isCgroup(folder.url.path) == false)
      #expect(LinuxProcesses.isCgroup(folder.url.path + "/none") == nil)
      let path = (Cgroup.own().first ?? "/none") + "/curfew-test-\(getpid())"
      guard mkdir(path, 0o755) == 0 else { return }
      defer { rmdir(path) }
      #expect(LinuxProcesses.isCgroup(path) == true)
      let link = folder.url.appendingPathComponent("link").path
      #expect(symlink(path, link) == 0 && LinuxProcesses.isCgroup(link) == false)
    }
  #endif
}
