#if os(Linux)
  import CProcess
  import Foundation

  /// The processes of this system. The thread that starts a command has to live as long as the
  /// command, because the command dies with it.
  package final class LinuxProcesses: ProcessWorld {
    private let signals: Int32
    private let timer: TimerDescriptor
    private var pidfds: [Int32: Int32] = [:]
    /// Descriptors of the cgroups that were made, with their locks.
    private var locks: [String: Int32] = [:]
    /// The signals that a command blocks: those that this process blocked before it listened.
    private let mask: sigset_t
    /// The signals that a command gets with their default action.
    private let defaults: sigset_t

    /// Becomes the parent of orphaned descendants, and listens to signals, which have no other
    /// effect from now on.
    ///
    /// - Parameters:
    ///   - numbers: The signals that `next` reports. A signal that this process ignores, as under
    ///     `nohup`, stays ignored, and commands inherit that.
    ///   - silenced: The signals that this program ignores and its commands do not.
    package init(listeningTo numbers: [Int32], silenced: [Int32]) throws(SystemError) {
      defaults = LinuxProcesses.set(of: silenced)
      timer = try TimerDescriptor(on: .boottime)
      (signals, mask) = try LinuxProcesses.listen(to: numbers)
      let result = cproc_adopt_orphans()
      guard result >= 0 else { throw SystemError(code: -result, attempt: "adopt orphans") }
      // Otherwise a command would run before this is known.
      let pidfd = cproc_open(getpid())
      guard pidfd >= 0 else { throw SystemError(code: -pidfd, attempt: "open a pidfd") }
      close(pidfd)
    }

    deinit {
      for descriptor in [signals] + pidfds.values + locks.values { close(descriptor) }
    }

    package var now: Int64 { SystemClock.boottime.now }

    // MARK: Cgroups

    package func isCgroup(_ path: String) -> Bool? { LinuxProcesses.isCgroup(path) }

    package static func isCgroup(_ path: String) -> Bool? {
      let bytes = Cgroup.bytes(path)
      guard let real = realpath(bytes, nil) else { return errno == ENOENT ? nil : false }
      defer { free(real) }
      let parent = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      return strcmp(real, bytes) == 0 && cproc_is_cgroup(bytes) == 1
        && cproc_is_cgroup(Cgroup.bytes(parent)) == 1
    }

    package func makeCgroup(named name: String) throws(SystemError) -> String {
      // The files of /proc may be unreadable only because no descriptor is left.
      let spare = LinuxProcesses.openFolder("/")
      guard spare >= 0 else { throw SystemError(attempt: "look for a cgroup") }
      close(spare)
      let path = try Cgroup.make(named: name)
      let folder = LinuxProcesses.openFolder(path)
      // The lock ends with this process, however it ends.
      guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0 else {
        let error = SystemError(attempt: "lock \(path)")
        if folder >= 0 { close(folder) }
        rmdir(Cgroup.bytes(path))
        throw error
      }
      locks[path] = folder
      return path
    }

    package func isHeld(_ cgroup: String) -> Bool {
      let folder = LinuxProcesses.openFolder(cgroup)
      guard folder >= 0 else { return false }
      defer { close(folder) }
      return flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func openFolder(_ path: String) -> Int32 {
      open(Cgroup.bytes(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    package func killAll(in cgroup: String) -> Bool {
      if LinuxProcesses.write("1", to: cgroup + "/cgroup.kill") { return true }
      var mayKill = true
      // Kernels before 5.14 have no such file.
      for folder in Cgroup.folders(below: cgroup) + [cgroup] {
        let list = folder + "/cgroup.procs"
        let found = LinuxProcesses.numbers(in: list).map { ($0, cproc_open($0)) }
        // A number that is still in the list belonged to its process when that was opened.
        let members = Set(LinuxProcesses.numbers(in: list))
        for (process, pidfd) in found where pidfd >= 0 {
          if members.contains(process), cproc_send(pidfd, SIGKILL) == -EPERM { mayKill = false }
          close(pidfd)
        }
      }
      return mayKill
    }

    package func isPopulated(_ cgroup: String) -> Bool {
      LinuxProcesses.text(of: cgroup + "/cgroup.events").contains("populated 1")
    }

    package func removeCgroup(_ cgroup: String) -> Bool {
      let path = Cgroup.bytes(cgroup)
      guard rmdir(path) != 0, errno != ENOENT else { return forget(cgroup) }
      if isPopulated(cgroup) { return false }
      for folder in Cgroup.folders(below: cgroup) { rmdir(Cgroup.bytes(folder)) }
      return rmdir(path) == 0 && forget(cgroup)
    }

    /// Releases the lock of a cgroup that is gone.
    private func forget(_ cgroup: String) -> Bool {
      if let folder = locks.removeValue(forKey: cgroup) { close(folder) }
      return true
    }

    // MARK: Processes

    package func start(_ words: [[UInt8]], in cgroup: String?) throws(StartError) -> Int32 {
      let (process, pidfd) = try LinuxProcesses.start(
        words, in: cgroup, blocking: mask, defaults: defaults)
      pidfds[process] = pidfd
      return process
    }

    /// Starts a program.
    /// - Returns: The number of its process, and a descriptor of the process.
    static func start(
      _ words: [[UInt8]], in cgroup: String?, blocking mask: sigset_t = LinuxProcesses.set(of: []),
      defaults: sigset_t = LinuxProcesses.set(of: [])
    ) throws(StartError) -> (process: Int32, pidfd: Int32) {
      // Without a cgroup this is the second descriptor that the search for descendants needs.
      let folder = openFolder(cgroup ?? "/")
      guard folder >= 0 else { throw StartError(code: errno, isOfCommand: false) }
      defer { close(folder) }
      let copies = words.map { word in
        (word.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { word in
          word.baseAddress.flatMap { strdup($0) }
        }
      }
      defer { for copy in copies { free(copy) } }
      let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
      var isOfCommand: Int32 = 0
      let process: Int32 = withUnsafePointer(to: mask) { mask in
        withUnsafePointer(to: defaults) { defaults in
          pointers.withUnsafeBufferPointer { words in
            guard let first = words.baseAddress else { return -EINVAL }
            var program = cproc_program(
              words: first, cgroup: cgroup == nil ? -1 : folder, death_signal: SIGKILL, mask: mask,
              defaults: defaults)
            return cproc_start(&program, &isOfCommand)
          }
        }
      }
      guard process > 0 else { throw StartError(code: -process, isOfCommand: isOfCommand != 0) }
      // The number is the process's until it has been reaped.
      let pidfd = cproc_open(process)
      guard pidfd >= 0 else {
        Foundation.kill(process, SIGKILL)
        waitpid(process, nil, 0)
        throw StartError(code: -pidfd, isOfCommand: false)
      }
      return (process, pidfd)
    }

    package func send(_ signal: Int32, to process: Int32) -> Bool {
      pidfds[process].map { cproc_send($0, signal) } != -EPERM
    }

    package var hasChildren: Bool { LinuxProcesses.hasChildren }

    static var hasChildren: Bool {
      var information = siginfo_t()
      return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0
    }

    package var seesDescendants: Bool { LinuxProcesses.seesDescendants }

    /// Whether `/proc` has the numbers that this process uses.
    static var seesDescendants: Bool {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self")) == "\(getpid())"
    }

    package func killDescendants() -> Bool {
      // To look at all processes takes longer than to start a command.
      guard hasChildren else { return true }
      guard seesDescendants else { return true }
      let children = Dictionary(grouping: ProcessTable.all(), by: \.parent)
      var (found, open) = ([ProcessEntry](), [getpid()])
      var members = Set(open)
      while let parent = open.popLast() {
        for child in children[parent] ?? [] where members.insert(child.identifier).inserted {
          found.append(child)
          open.append(child.identifier)
        }
      }
      return found.map { LinuxProcesses.kill($0, below: members) }.allSatisfy { $0 }
    }

    /// Kills a process, unless its number has come to belong to another one.
    /// - Returns: false if this user may not kill it.
    private static func kill(_ process: ProcessEntry, below parents: Set<Int32>) -> Bool {
      let pidfd = cproc_open(process.identifier)
      guard pidfd >= 0 else { return true }
      defer { close(pidfd) }
      guard let now = ProcessTable.entry(process.identifier), now.start == process.start,
        parents.contains(now.parent)
      else { return true }
      return cproc_send(pidfd, SIGKILL) != -EPERM
    }

    package func reap(atMost count: Int) -> [(process: Int32, status: Int32)] {
      var ended: [(process: Int32, status: Int32)] = []
      var status: Int32 = 0
      while ended.count < count {
        let process = waitpid(-1, &status, WNOHANG)
        if process < 0, errno == EINTR { continue }
        guard process > 0 else { break }
        if status & 0xff == 0x7f {
          LinuxProcesses.release(process, with: status >> 8 & 0xff)
          continue
        }
        if let pidfd = pidfds.removeValue(forKey: process) { close(pidfd) }
        ended.append((process, status))
      }
      return ended
    }

    // MARK: Waiting

    package func next(until instant: Int64?) -> ProcessNews {
      timer.set(instant)
      while true {
        var watched = [
          pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
          pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&watched, 2, -1)
        switch LinuxProcesses.takeSignal(signals) {
        case (SIGCHLD, _)?: return .childChanged
        case (SIGCONT, _)?: return .continued
        case (let number, let isKernels)?: return .signal(number, isKernels: isKernels)
        case nil: if timer.take() { return .time }
        }
      }
    }

    package func runFirst() { _ = LinuxProcesses.runFirst() }

    /// Gives this thread real-time priority, which children do not inherit. A thread that has been
    /// started with one keeps it: the lowest, which this is, would be less.
    /// - Returns: The error number, negated, if it is not allowed.
    static func runFirst() -> Int32 {
      // SCHED_RESET_ON_FORK and SCHED_DEADLINE, which Swift does not import.
      let (reset, deadline): (Int32, Int32) = (0x4000_0000, 6)
      let own = sched_getscheduler(0)
      guard own >= 0, ![SCHED_FIFO, SCHED_RR, deadline].contains(own & ~reset) else { return 0 }
      var priority = sched_param(sched_priority: 1)
      return sched_setscheduler(0, SCHED_FIFO | reset, &priority) == 0 ? 0 : -errno
    }

    // MARK: Files of a cgroup

    static func write(_ text: String, to path: String) -> Bool {
      let descriptor = open(Cgroup.bytes(path), O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return Foundation.write(descriptor, text, text.utf8.count) > 0
    }

    private static func text(of path: String) -> String {
      let bytes = try? FileBytes.read(Cgroup.bytes(path), limit: 1 << 20)
      return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func numbers(in path: String) -> [Int32] {
      // A process of another PID namespace has the number 0.
      text(of: path).split(separator: "\n").compactMap { Int32($0) }.filter { $0 > 0 }
    }
  }
#endif
