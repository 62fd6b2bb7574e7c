import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation

@testable import CurfewCommand

/// Processes without a system: time passes only while a program waits, and every process does
/// what the test says.
final class FakeWorld: ProcessWorld {
  /// A process of the fake.
  struct Member {
    var parent: Int32
    var cgroup: String?
    /// The signals that do not end it. SIGKILL cannot be one of them.
    var ignored: Set<Int32> = []
  }

  private(set) var now: Int64
  private(set) var members: [Int32: Member] = [:]
  private(set) var cgroups: Set<String> = []
  /// Every signal that was sent, with its time.
  private(set) var sent: [(signal: Int32, process: Int32, at: Int64)] = []
  private var ended: [(process: Int32, status: Int32)] = []
  private var pending: [ProcessNews] = []
  private var plans: [(at: Int64, do: (FakeWorld) -> Void)] = []
  private var last: Int32 = 100

  /// The error of `makeCgroup`; nil for none.
  var cgroupError: SystemError?
  /// The error of `start`; nil for none.
  var startError: StartError?
  /// The number of calls of `start`.
  private(set) var starts = 0
  /// Whether a process may be placed in a cgroup.
  var mayPlace = true
  /// The signals that the command ignores.
  var ignored: Set<Int32> = []
  /// Called when the command runs, with its process.
  var begun: (FakeWorld, Int32) -> Void = { _, _ in }
  /// The number of times that a process which is killed has just begun another.
  var escapes = 0

  /// The processes that do not end, as in a system call that cannot be interrupted.
  var unkillable: Set<Int32> = []
  /// Whether this user may send signals to the command.
  var maySignal = true
  /// The folders that are no cgroups.
  var foreignFolders: Set<String> = []
  /// The cgroups whose makers live.
  var heldCgroups: Set<String> = []
  var seesDescendants = true
  var hasTerminal = false
  /// The time to reap one child.
  var reapTime: Int64 = 0
  private var stops: [Int32: Int32] = [:]
  /// The signals by which the program has stopped itself.
  private(set) var ownStops: [Int32] = []

  init(now: Int64 = 1_000) { self.now = now }

  func plan(at instant: Int64, _ action: @escaping (FakeWorld) -> Void) {
    plans.append((instant, action))
  }

  func add(below parent: Int32, ignoring ignored: Set<Int32> = [], cgroup: String?) -> Int32 {
    last += 1
    members[last] = Member(parent: parent, cgroup: cgroup, ignored: ignored)
    return last
  }

  func end(_ process: Int32, status: Int32) {
    guard let member = members.removeValue(forKey: process) else { return }
    for (number, child) in members where child.parent == process { members[number]?.parent = 1 }
    // Only the program's own children are reaped by it; orphans have become its children.
    if member.parent == 1 {
      ended.append((process, status))
      pending.append(.childChanged)
    }
  }

  func say(_ news: ProcessNews) { pending.append(news) }

  /// Stops a process, as the terminal does.
  func stop(_ process: Int32, by signal: Int32) {
    stops[process] = signal
    pending.append(.childChanged)
  }

  /// Adds a cgroup of an earlier run, with a process if one is left.
  func addCgroup(_ path: String, populated: Bool) -> Int32? {
    cgroups.insert(path)
    return populated ? add(below: 0, cgroup: path) : nil
  }

  // MARK: ProcessWorld

  func isCgroup(_ path: String) -> Bool? {
    foreignFolders.contains(path) ? false : cgroups.contains(path) ? true : nil
  }

  func makeCgroup(named name: String) throws(SystemError) -> String {
    if let cgroupError { throw cgroupError }
    cgroups.insert("/cgroup/" + name)
    return "/cgroup/" + name
  }

  func isHeld(_ cgroup: String) -> Bool { heldCgroups.contains(cgroup) }

  func killAll(in cgroup: String) -> Bool {
    guard maySignal else { return members.isEmpty }
    for (process, member) in members
    where member.cgroup == cgroup && !unkillable.contains(process) {
      kill(process, member)
    }
    return true
  }

  func isPopulated(_ cgroup: String) -> Bool { members.values.contains { $0.cgroup == cgroup } }

  func removeCgroup(_ cgroup: String) -> Bool {
    if isPopulated(cgroup) { return false }
    cgroups.remove(cgroup)
    return true
  }

  func start(_ words: [[UInt8]], in cgroup: String?) throws(StartError) -> Int32 {
    starts += 1
    if cgroup != nil, !mayPlace { throw StartError(code: EACCES, isOfCommand: false) }
    if let startError { throw startError }
    let process = add(below: 1, ignoring: ignored, cgroup: cgroup)
    begun(self, process)
    return process
  }

  func send(_ signal: Int32, to process: Int32) -> Bool {
    guard maySignal else { return members[process] == nil }
    sent.append((signal, process, now))
    guard let member = members[process] else { return true }
    if signal == SIGKILL {
      kill(process, member)
    } else if signal != SIGCONT, !member.ignored.contains(signal) {
      end(process, status: signal)
    }
    return true
  }

  private func kill(_ process: Int32, _ member: Member) {
    if escapes > 0 {
      escapes -= 1
      _ = add(below: process, cgroup: member.cgroup)
    }
    end(process, status: SIGKILL)
  }

  var hasChildren: Bool { !ended.isEmpty || members.values.contains { $0.parent == 1 } }

  func killDescendants() -> Bool {
    guard maySignal else { return members.isEmpty }
    for process in members.keys.sorted() where !unkillable.contains(process) {
      if let member = members[process], member.parent != 0 { kill(process, member) }
    }
    return true
  }

  func takeStop(of process: Int32) -> Int32? { stops.removeValue(forKey: process) }

  func stop(by signal: Int32) {
    ownStops.append(signal)
    pending.append(.continued)
  }

  func takeTerminalBack() {}

  func reap(atMost count: Int) -> [(process: Int32, status: Int32)] {
    let batch = Array(ended.prefix(count))
    ended.removeFirst(batch.count)
    now += Int64(batch.count) * reapTime
    return batch
  }

  func next(until instant: Int64?) -> ProcessNews {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      let plan = plans.indices.min { plans[$0].at < plans[$1].at }
      if let plan, instant.map({ plans[plan].at <= $0 }) ?? true {
        let (at, action) = plans.remove(at: plan)
        now = max(now, at)
        action(self)
      } else if let instant {
        now = max(now, instant)
        return .time
      } else {
        preconditionFailure("The program waits for ever")
      }
    }
  }

  func runFirst() {}
}

extension FakeWorld {
  /// A journal whose clocks are the world's, in 2026.
  func journal(in folder: TemporaryFolder, under file: PolicyFile) -> Journal {
    var journal = Journal(path: folder.url.appendingPathComponent("j.jsonl").path, file: file)
    journal.clocks = {
      HostClocks(
        boot: "boot", uptime: self.now, wall: 56 * 365 * 86_400 * 1_000_000_000 + self.now)
    }
    return journal
  }
}
