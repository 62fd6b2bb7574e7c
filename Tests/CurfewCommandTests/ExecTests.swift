import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import Foundation
import Testing

@testable import CurfewCommand

/// `curfew exec` over processes that a test makes up.
@Suite struct ExecTests {
  static let second: Int64 = 1_000_000_000
  private let second = Self.second

  /// A run with a grant of ten seconds and a warning of three.
  private func run(
    _ world: FakeWorld, under policy: PolicyFile? = nil, kind: String = "job",
    warning: Int64 = 3, warningSignal: Int32 = SIGTERM, requiresCgroup: Bool = false
  ) throws -> (ExecResult, Message?) {
    let policy = policy.map { ExecPolicy($0) } ?? ExecPolicy()
    let number = try #require(policy.policy.names.kind(KindName(rawValue: kind)))
    let request = GrantedCommand.Request(
      words: ["cmd"], name: "cmd", kind: number,
      times: RunTimes(length: .seconds(10), warning: .seconds(warning)),
      warningSignal: warningSignal)
    return try ExecRun(
      policy: policy, request: request, requiresCgroup: requiresCgroup, console: Console()
    ).perform(in: world)
  }

  private func isClean(_ world: FakeWorld) -> Bool {
    world.members.isEmpty && world.cgroups.isEmpty
  }

  @Test func `the policy in code is the file's`() throws {
    #expect(Policy.server == (try PolicyFile.load("server")).policy)
  }

  @Test(
    arguments: [(0, 0), (3 << 8, 3), (255 << 8, 255), (11, 139), (9, 137)] as [(Int32, Int32)])
  func `a command that ends by itself has its own code`(_ status: Int32, _ code: Int32) throws {
    let world = FakeWorld()
    world.begun = { world, process in
      world.plan(at: world.now + 2 * Self.second) { $0.end(process, status: status) }
    }
    let (result, message) = try run(world)
    #expect(result.exitCode == code && message == nil && result.promise == .cgroup)
    #expect(result.run.warnedAt == nil && !result.run.isKilled && result.run.grantedAt == 1_000)
    #expect(world.sent.isEmpty && isClean(world))
  }

  @Test func `a command is warned at its time and no sooner`() throws {
    let world = FakeWorld()
    let (result, _) = try run(world)
    #expect(result.exitCode == 124 && result.run.warnedLate == 0 && !result.run.isKilled)
    #expect(world.sent.map(\.signal) == [SIGTERM, SIGCONT])
    #expect(world.sent.map(\.at) == [1_000 + 7 * second, 1_000 + 7 * second])
    #expect(isClean(world))
  }

  @Test func `a command that ignores its warning is killed with its whole tree`() throws {
    for hasCgroup in [true, false] {
      let world = FakeWorld()
      world.ignored = [SIGTERM]
      world.cgroupError = hasCgroup ? nil : SystemError(code: EROFS, attempt: "make it")
      // Each process that is killed has just begun another, three times.
      world.escapes = 3
      world.begun = { world, process in
        let cgroup = world.members[process]?.cgroup
        let child = world.add(below: process, ignoring: [SIGTERM], cgroup: cgroup)
        _ = world.add(below: child, cgroup: cgroup)
        _ = world.add(below: 1, cgroup: nil)
      }
      let (result, _) = try run(world)
      #expect(result.exitCode == 137 && result.run.isKilled && result.run.signal == SIGKILL)
      #expect(result.promise == (hasCgroup ? .cgroup : .subreaper))
      #expect(result.run.isTreeGone && isClean(world))
      #expect(world.now >= 1_000 + 10 * second && world.now < 1_000 + 11 * second)
    }
  }

  @Test func `what a command leaves behind is killed when it ends`() throws {
    let world = FakeWorld()
    world.begun = { world, process in
      _ = world.add(below: process, ignoring: [SIGTERM], cgroup: world.members[process]?.cgroup)
      world.plan(at: world.now + 1) { $0.end(process, status: 5 << 8) }
    }
    #expect(try run(world).0.exitCode == 5)
    #expect(isClean(world))
  }

  @Test func `without a warning a command is killed at the end`() throws {
    let world = FakeWorld()
    let (result, _) = try run(world, warning: 0)
    #expect(result.exitCode == 137 && result.run.warnedAt == nil)
    #expect(try run(FakeWorld(), warningSignal: SIGKILL).0.exitCode == 137)
  }

  @Test func `a command in whose cgroup no process may be placed runs without`() throws {
    let world = FakeWorld()
    world.mayPlace = false
    world.begun = { world, process in world.plan(at: world.now) { $0.end(process, status: 0) } }
    let (result, _) = try run(world)
    #expect(result.exitCode == 0 && result.promise == .subreaper && isClean(world))
    let strict = FakeWorld()
    strict.mayPlace = false
    let (refused, message) = try run(strict, requiresCgroup: true)
    #expect(refused.exitCode == 125 && message != nil && isClean(strict))
  }

  @Test func `without a cgroup the strict option starts nothing`() throws {
    let world = FakeWorld()
    world.cgroupError = SystemError(code: EROFS, attempt: "make it")
    #expect(throws: SystemError.self) { try run(world, requiresCgroup: true) }
    #expect(isClean(world))
  }

  @Test(arguments: [(ENOENT, 127), (EACCES, 126), (ENOEXEC, 126)] as [(Int32, Int32)])
  func `a command that cannot be executed has the shell's code`(_ error: Int32, _ code: Int32)
    throws
  {
    let world = FakeWorld()
    world.startError = StartError(code: error, isOfCommand: true)
    let (result, message) = try run(world)
    #expect(result.exitCode == code && message?.text.hasPrefix("exec: cmd: ") == true)
    #expect(isClean(world))
  }

  @Test func `signals are passed on, except those that the terminal has sent to both`() throws {
    let world = FakeWorld()
    world.ignored = [SIGINT, SIGHUP]
    world.begun = { world, _ in
      world.plan(at: world.now + 1) { $0.say(.signal(SIGINT, isKernels: true)) }
      world.plan(at: world.now + 2) { $0.say(.signal(SIGINT, isKernels: false)) }
      world.plan(at: world.now + 3) { $0.say(.signal(SIGHUP, isKernels: true)) }
      world.plan(at: world.now + 4) { $0.say(.signal(SIGUSR1, isKernels: false)) }
    }
    #expect(try run(world).0.exitCode == 128 + SIGUSR1)
    #expect(world.sent.map(\.signal) == [SIGINT, SIGHUP, SIGUSR1])
  }

  @Test func `a signal that comes before the command ends the run`() throws {
    let world = FakeWorld()
    world.say(.signal(SIGTERM, isKernels: false))
    #expect(try run(world).0.exitCode == 143)
    #expect(isClean(world) && world.sent.isEmpty)
  }

  @Test func `a denial has its reason and its line`() throws {
    var policy = try PolicyFile.load("server")
    try policy.set("facts.draining.unset", "true")
    let world = FakeWorld()
    let (result, message) = try run(world, under: policy)
    #expect(result.exitCode == 75 && result.denial?.reason == "draining" && isClean(world))
    #expect(result.denial?.allowedFrom == nil)
    let text = try #require(message?.text)
    #expect(text.contains("draining") && text.contains("Policies/server.yaml:"), "\(text)")
  }

  @Test(
    arguments: [
      (
        "0::/", "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
        "/sys/fs/cgroup/unified"
      ),
      (
        "1:cpu:/\n0::/user.slice/a b",
        "9 8 0:3 / /sys/fs/my\\040group rw,x shared:9 - cgroup2 c rw",
        "/sys/fs/my group/user.slice/a b"
      ),
      ("0::/docker/x/y", "9 8 0:3 /docker/x /sys/fs/cgroup rw - cgroup2 c rw", "/sys/fs/cgroup/y"),
      ("0::/docker/xy", "9 8 0:3 /docker/x /sys/fs/cgroup rw - cgroup2 c rw", nil),
      ("0::/../other", "9 8 0:3 / /sys/fs/cgroup rw - cgroup2 c rw", nil),
      ("4:memory:/x", "9 8 0:3 / /sys/fs/cgroup rw - cgroup2 c rw", nil),
      ("0::/", "9 8 0:3 / /sys/fs/cgroup/cpu rw - cgroup c rw\nshort", nil),
    ] as [(String, String, String?)])
  func `the own cgroup is found`(_ cgroups: String, _ mounts: String, _ folder: String?) {
    #expect(Cgroup.folder(cgroups: cgroups, mounts: mounts) == folder)
  }

  @Test func `the doctor's verdict follows from what is missing`() {
    func promise(without missing: [ProcessMeans.Name]) -> DoctorResult.Promise {
      DoctorResult(
        means: ProcessMeans.Name.allCases.map {
          ProcessMeans($0, found: "x", problem: missing.contains($0) ? "gone" : nil)
        }
      ).promise
    }
    #expect(promise(without: []) == .whole)
    #expect(promise(without: [.realTimePriority, .cgroup]) == .part)
    for name in [ProcessMeans.Name.linux, .clone3, .pidfd] {
      #expect(promise(without: [.cgroup, name]) == .none)
    }
  }
}
