#if os(Linux)
  import CProcess
  import Foundation
#endif

/// Something that the system offers for holding processes.
package struct ProcessMeans: Sendable {
  /// The name of the means.
  package enum Name: String, CaseIterable, Sendable {
    case linux, clone3, pidfd, cgroup
    case cgroupKill = "cgroup.kill"
    case processTable = "/proc"
    case realTimePriority = "SCHED_FIFO"
  }

  package let name: Name
  /// The reason why it is missing; nil if it is there.
  package let problem: String?
  /// The thing that was found, for people.
  package let found: String

  package init(_ name: Name, found: String, problem: String?) {
    (self.name, self.found, self.problem) = (name, found, problem)
  }

  /// Everything that `curfew exec` uses, tried on this system.
  package static func all() -> [ProcessMeans] {
    #if os(Linux)
      let fds = cproc_open(getpid())
      if fds >= 0 { close(fds) }
      let before = sched_getscheduler(0)
      var priority = sched_param()
      let isKnown = sched_getparam(0, &priority) == 0 && before >= 0
      let first = LinuxProcesses.runFirst()
      if isKnown { sched_setscheduler(0, before, &priority) }
      return [ProcessMeans(.linux, found: "Linux", problem: nil)]
        + [
          means(.clone3, cproc_check_clone3(), "clone3 starts a process in its cgroup"),
          means(.pidfd, fds, "a pidfd names a process for ever"),
        ] + cgroups() + [
          ProcessMeans(
            .processTable, found: "descendants are found",
            problem: LinuxProcesses.seesDescendants
              ? nil : "it is not mounted, or it is that of another PID namespace"),
          means(.realTimePriority, first, "exec runs before other programs"),
        ]
    #else
      return [
        ProcessMeans(
          .linux, found: "another system", problem: "processes are governed on Linux alone")
      ]
    #endif
  }

  #if os(Linux)
    private static func means(_ name: Name, _ result: Int32, _ found: String) -> ProcessMeans {
      ProcessMeans(
        name, found: found, problem: result < 0 ? String(cString: strerror(-result)) : nil)
    }

    private static func cgroups() -> [ProcessMeans] {
      let name = "curfew-doctor-\(getpid())-\(String(SystemClock.boottime.now, radix: 36))"
      let path: String
      do { path = try Cgroup.make(named: name) } catch {
        return [
          ProcessMeans(.cgroup, found: "none", problem: "\(error)"),
          ProcessMeans(.cgroupKill, found: "none", problem: "\(error)"),
        ]
      }
      defer { remove(path) }
      let mayKill = LinuxProcesses.write("1", to: path + "/cgroup.kill")
      let enter = entering(path).map { "\(SystemError(code: $0, attempt: "start in \(path)"))" }
      return [
        ProcessMeans(
          .cgroup, found: "a cgroup may be made in \(path.dropLast(name.count + 1))",
          problem: enter),
        ProcessMeans(
          .cgroupKill, found: "one write kills a whole tree",
          problem: mayKill ? nil : "the kernel is older than 5.14"),
      ]
    }

    /// Starts a process in a cgroup. It ends at once, because its program has no name.
    /// - Returns: The error number of the start; nil if the process was there.
    private static func entering(_ path: String) -> Int32? {
      do {
        _ = try LinuxProcesses.start([[]], in: path)
        return nil
      } catch {
        return error.isOfCommand ? nil : error.code
      }
    }

    /// Removes a cgroup, which may be busy just after its last process has ended.
    private static func remove(_ path: String) {
      for _ in 0..<100 {
        if rmdir(Cgroup.bytes(path)) == 0 || errno != EBUSY { return }
        usleep(1_000)
      }
    }
  #endif
}
