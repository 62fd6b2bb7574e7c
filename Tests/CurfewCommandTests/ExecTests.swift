import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
import Testing

@testable import CurfewCommand

/// `curfew exec` over processes that a test makes up.
@Suite struct ExecTests {
  static let second: Int64 = 1_000_000_000
  private let second = Self.second

  /// A run with a grant of ten seconds and a warning of three.
  func run(
    _ world: FakeWorld, under policy: PolicyFile? = nil, kind: String = "job",
    warning: Int64 = 3, warningSignal: Int32 = SIGTERM, requiresCgroup: Bool = false,
    journal: Journal? = nil, patience: Interval = .zero
  ) throws -> (ExecResult, [Message]) {
    let policy = policy.map { ExecPolicy($0) } ?? ExecPolicy()
    let number = try #require(policy.policy.names.kind(KindName(rawValue: kind)))
    let request = GrantedCommand.Request(
      words: [Array("cmd".utf8)], name: "cmd", kind: number,
      times: RunTimes(length: .seconds(10), warning: .seconds(warning)),
      warningSignal: warningSignal)
    var run = ExecRun(
      policy: policy, request: request, requiresCgroup: requiresCgroup, console: Console())
    (run.journal, run.patience) = (journal, patience)
    return try run.perform(in: world)
  }

  func isClean(_ world: FakeWorld) -> Bool {
    world.members.isEmpty && world.cgroups.isEmpty
  }

  @Test func `the policy in code is the file's`() throws {
    let (file, code) = (try PolicyFile.load("server"), ExecPolicy().recorded)
    #expect(Policy.server == file.policy)
    #expect(code.digest == file.digest && code.name == file.name && code.file == file.file)
    let settings = [ValueSetting(path: "wakes.job.warning", text: "1s")]
    #expect(try code.set(settings).digest == file.set(settings).digest)
  }

  @Test(
    arguments: [(0, 0), (3 << 8, 3), (255 << 8, 255), (11, 139), (9, 137)] as [(Int32, Int32)])
  func `a command that ends by itself has its own code`(_ status: Int32, _ code: Int32) throws {
    let world = FakeWorld()
    world.begun = { world, process in
      world.plan(at: world.now + 2 * Self.second) { $0.end(process, status: status) }
    }
    let (result, messages) = try run(world)
    #expect(result.exitCode == code && messages.isEmpty && result.promise == .cgroup)
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
      #expect(result.run.rest == .nothing && isClean(world))
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
    let (refused, messages) = try run(strict, requiresCgroup: true)
    #expect(refused.exitCode == 125 && refused.promise == nil && isClean(strict))
    #expect(
      messages.first?.text.hasPrefix("exec: cannot start a process in /cgroup/")
        == true, "\(messages)")
  }

  @Test func `without a cgroup the strict option starts nothing and makes no journal`() throws {
    let (world, folder) = (FakeWorld(), try TemporaryFolder())
    world.cgroupError = SystemError(code: EROFS, attempt: "make it")
    let file = try PolicyFile.load("server")
    for journal in [nil, world.journal(in: folder, under: file)] {
      #expect(throws: SystemError.self) {
        try run(world, requiresCgroup: true, journal: journal)
      }
      #expect(isClean(world))
    }
    #expect(throws: (any Error).self) { try folder.read("j.jsonl") }
  }

  @Test func `nothing starts if neither a cgroup nor the table of processes holds its tree`() throws
  {
    for mayMake in [true, false] {
      let world = FakeWorld()
      world.seesDescendants = false
      world.mayPlace = false
      if !mayMake { world.cgroupError = SystemError(code: EROFS, attempt: "make it") }
      world.begun = { _, _ in Issue.record("the command has started") }
      if mayMake {
        #expect(try run(world).0.exitCode == 125)
      } else {
        #expect(throws: (any Error).self) { try run(world) }
      }
      #expect(isClean(world))
    }
    let world = FakeWorld()
    world.seesDescendants = false
    world.begun = { world, process in world.plan(at: world.now) { $0.end(process, status: 0) } }
    #expect(try run(world).0.promise == .cgroup)
  }

  @Test(arguments: [(ENOENT, 127), (EACCES, 126), (ENOEXEC, 126)] as [(Int32, Int32)])
  func `a command that cannot be executed has the shell's code`(_ error: Int32, _ code: Int32)
    throws
  {
    let world = FakeWorld()
    world.startError = StartError(code: error, isOfCommand: true)
    let (result, messages) = try run(world)
    #expect(result.exitCode == code && result.promise == nil)
    #expect(messages.count == 1 && messages.first?.text.hasPrefix("exec: cmd: ") == true)
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
    let result = try run(world).0
    #expect(result.exitCode == 143 && result.promise == nil)
    #expect(isClean(world) && world.sent.isEmpty)
  }

  @Test func `a denial has its reason and its line`() throws {
    var policy = try PolicyFile.load("server")
    try policy.set("facts.draining.unset", "true")
    let world = FakeWorld()
    let (result, messages) = try run(world, under: policy)
    #expect(result.exitCode == 75 && result.denial?.reason == "draining" && isClean(world))
    #expect(result.denial?.allowedFrom == nil)
    let text = try #require(messages.first?.text)
    #expect(text.contains("draining") && text.contains("Policies/server.yaml:"), "\(text)")
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
    #expect(promise(without: [.clone3]) == .part)
    #expect(promise(without: [.processTable]) == .part)
    for name in [ProcessMeans.Name.linux, .pidfd, .processTable] {
      #expect(promise(without: [.cgroup, name]) == .none)
    }
  }

  // MARK: Ends

  @Test func `a tree of which a child is left has not ended`() throws {
    for hasCgroup in [true, false] {
      let world = FakeWorld()
      world.cgroupError = hasCgroup ? nil : SystemError(code: EROFS, attempt: "make it")
      world.begun = { world, process in
        world.unkillable = [world.add(below: 1, cgroup: nil)]
        world.plan(at: world.now + 1) { $0.end(process, status: 3 << 8) }
      }
      let (result, _) = try run(world)
      #expect(result.exitCode == 3 && result.run.rest == .remains)
      #expect(world.cgroups.isEmpty)
      #expect(world.now >= 1_000 + ProcessTree.patience)
    }
  }

  @Test func `a command that may not be killed is not reported as killed`() throws {
    for hasCgroup in [true, false] {
      let world = FakeWorld()
      world.cgroupError = hasCgroup ? nil : SystemError(code: EROFS, attempt: "make it")
      world.maySignal = false
      let run = try run(world).0.run
      #expect(run.exitCode == 125 && !run.isKilled && run.warnedAt == nil)
      #expect(run.rest == .forbidden && world.now < 1_000 + 12 * second)
    }
  }

  @Test func `exec stops with a command that the terminal has stopped`() throws {
    for (signal, hasTerminal, stops) in [
      (SIGTSTP, true, [SIGTSTP]), (SIGTTIN, true, [SIGTTIN]), (SIGSTOP, true, []),
      (SIGTSTP, false, []),
    ] {
      let world = FakeWorld()
      world.hasTerminal = hasTerminal
      world.begun = { world, process in
        world.plan(at: world.now + 1) { $0.stop(process, by: signal) }
        world.plan(at: world.now + 2) { $0.end(process, status: 0) }
      }
      #expect(try run(world).0.exitCode == 0)
      #expect(world.ownStops == stops)
      #expect(world.sent.map(\.signal) == stops.map { _ in SIGCONT })
    }
  }

  @Test func `orphans that end all at once do not delay a warning`() throws {
    let world = FakeWorld()
    world.reapTime = 1_000_000
    world.begun = { world, _ in
      world.plan(at: 1_000 + 7 * Self.second - 1) { world in
        for process in (0..<1_000).map({ _ in world.add(below: 1, cgroup: nil) }) {
          world.end(process, status: 0)
        }
      }
    }
    let run = try run(world).0.run
    let late = try #require(run.warnedLate)
    #expect(late <= Int64(ProcessTree.reapedAtOnce) * world.reapTime && run.exitCode == 124)
    #expect(run.rest == .nothing && isClean(world))
  }

  @Test func `a terminal that stops the program before the command does not end it`() throws {
    let world = FakeWorld()
    world.say(.signal(SIGTSTP, isKernels: true))
    world.begun = { world, process in world.plan(at: world.now) { $0.end(process, status: 0) } }
    #expect(try run(world).0.exitCode == 0 && world.ownStops == [SIGTSTP])
    // A terminal has stopped the command too; another program has stopped this one alone.
    let both = FakeWorld()
    both.ignored = [SIGTSTP]
    both.begun = { world, process in
      world.say(.signal(SIGTSTP, isKernels: true))
      world.plan(at: world.now + 1) { $0.say(.signal(SIGTSTP, isKernels: false)) }
      world.plan(at: world.now + 2) { $0.end(process, status: 0) }
    }
    #expect(try run(both).0.exitCode == 0 && both.ownStops.isEmpty)
    #expect(both.sent.map(\.signal) == [SIGTSTP])
  }

  @Test(arguments: [EAGAIN, ENOMEM])
  func `a system without room for a process is not taken for one without cgroups`(_ code: Int32)
    throws
  {
    let world = FakeWorld()
    world.startError = StartError(code: code, isOfCommand: false)
    let (result, messages) = try run(world)
    #expect(result.exitCode == 125 && world.starts == 1 && isClean(world))
    let text = "exec: cannot start a process: \(String(cString: strerror(code)))"
    #expect(messages.map(\.text) == [text])
  }
}
