import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

@testable import CurfewCommand

/// Journals of `curfew exec` that are shortened.
@Suite struct JournalCutTests {
  private static let grouped = """
    curfew: policy/1
    name: grouped
    extends: server
    groups: {fresh: {unusedFor: none}, rare: {unusedFor: 5h}}
    wakes:
      job: {length: 1h, budgets: [4 admissions in 2h for fresh, 2 admissions in 2h for rare, 20m in 6h]}

    """

  private static let policies: [[(String, String)]] = [
    [("wakes.job.budgets", "[10m in 8h]")],
    [("wakes.job.budgets", "[3 admissions in 1h, 20m in 1d]"), ("wakes.job.length", "1h")],
    [("wakes.job.budgets", "[10m in 8h]"), ("wakes.job.overrun", "tell")],
    [("wakes.job.budgets", "[2 sessions in 6h, 30m in 8h]"), ("wakes.job.coalesce", "20m")],
    [("wakes.job.budgets", "[15m in 4h]"), ("wakes.job.overrun", "drop")],
  ]

  /// The policy of a schedule.
  private func policy(_ seed: UInt64) throws -> PolicyFile {
    let place = Int(seed % UInt64(JournalCutTests.policies.count + 1))
    guard place < JournalCutTests.policies.count else {
      return try PolicyFile.decode(JournalCutTests.grouped)
    }
    return try PolicyFile.load("server").set(
      JournalCutTests.policies[place].map { ValueSetting(path: $0.0, text: $0.1) })
  }

  /// One command after the other, on a machine whose journal is shortened and on one whose journal
  /// is not. The seeds are two cases, which run at the same time.
  @Test(arguments: [0, 1] as [UInt64])
  func `a journal that is shortened gives the same answers`(_ half: UInt64) throws {
    let seeds = Campaign.seeds(12).filter { $0 % 2 == half }
    var (cuts, denials) = (0, 0)
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let file = try policy(seed)
      let (short, long) = (try JournalMachine(file), try JournalMachine(file))
      (short.leastCut, long.leastCut) = (20, 1_000_000)
      let comment: Comment =
        "replay with: CURFEW_SEED=\(seed) swift test --filter JournalCutTests"
      for _ in 0..<40 {
        let pause = Int64.random(in: 0...(3 * JournalMachine.hour), using: &random)
        let length = Int64.random(in: 1...(15 * JournalMachine.minute), using: &random)
        let name = Int.random(in: 0..<4, using: &random) == 0 ? "other" : "cmd"
        let event = Int.random(in: 0..<16, using: &random)
        var results: [[ExecResult]] = []
        // The run before may have used up the budget.
        var kills: [Bool] = []
        for machine in [short, long] {
          if event < 3 { machine.reboot(after: pause) } else { machine.pass(pause) }
          if event == 2 { machine.wall -= 2 * pause }
          var answers = [try machine.run(length, named: name)]
          if event > 13, answers[0].exitCode != 75 {
            machine.pass(2 * JournalMachine.hour)
            answers.append(try machine.run(1))
            if answers[1].exitCode == 0 { kills.append(try machine.kill(after: length)) }
          }
          results.append(answers)
        }
        try #require(results[0].count == results[1].count, comment)
        try #require(kills.isEmpty || kills[0] == kills[1], comment)
        for (left, right) in zip(results[0], results[1]) {
          try #require(left.exitCode == right.exitCode, comment)
          try #require(left.denial?.reason == right.denial?.reason, comment)
          try #require(left.denial?.allowedFrom == right.denial?.allowedFrom, comment)
          denials += left.denial == nil ? 0 : 1
        }
      }
      if try short.replayed().header.continues != nil {
        cuts += 1
        _ = try short.replayed("journal.jsonl.1")
        #expect(short.text.utf8.count < long.text.utf8.count)
      }
    }
    #expect(seeds.isEmpty || cuts > 0 && denials > 0)
    print("journals: \(cuts) of \(seeds.count) shortened, \(denials) denials")
  }

  /// A machine with 50 runs, an hour apart, whose journal is long enough to be shortened.
  private func machine() throws -> JournalMachine {
    let machine = try JournalMachine()
    for _ in 0..<50 {
      _ = try machine.run(JournalMachine.minute)
      machine.pass(JournalMachine.hour)
    }
    machine.leastCut = 20
    return machine
  }

  @Test func `a journal in a folder whose name is not UTF-8 is shortened, and a link to it is not`()
    throws
  {
    let machine = try machine()
    let root = machine.folder.url.path
    let folder = Array("\(root)/caf".utf8CString.dropLast()) + [CChar(bitPattern: 0xe9), 0]
    // Linux takes any bytes; other systems need not.
    guard mkdir(folder, 0o755) == 0, symlink(folder, "\(root)/folder") == 0 else { return }
    let file = folder.dropLast() + Array("/j.jsonl".utf8CString)
    #expect(rename(machine.path(), file.map { $0 }) == 0)
    #expect(symlink(file.map { $0 }, machine.path()) == 0)
    let text = machine.text
    let remark = try machine.open().remark
    #expect(remark == "it cannot be shortened: the file is a link to a path that is not UTF-8")
    #expect(machine.text.hasPrefix(text))
    var journal = Journal(path: "\(root)/folder/j.jsonl", file: machine.file)
    journal.clocks = machine.journal().clocks
    journal.leastCut = machine.leastCut
    guard var lock = try FileLock.take(journal.path) else {
      Issue.record("the journal is locked")
      return
    }
    #expect(try journal.open(holding: &lock).remark == nil)
    #expect(FileManager.default.fileExists(atPath: "\(root)/folder/j.jsonl.1"))
    lock.release()
  }

  @Test func `a journal is shortened if more than half of its lines lie before the longest window`()
    throws
  {
    let machine = try JournalMachine()
    machine.leastCut = 20
    var greatest = 0
    for number in 0..<100 {
      #expect(try machine.run(JournalMachine.minute).exitCode == 0)
      machine.pass(JournalMachine.hour)
      if number > 0 { greatest = max(greatest, try machine.replayed().lines.count) }
    }
    let lines = try machine.replayed().lines
    let runs = lines.count { if case .resumed = $0.body { true } else { false } }
    // Nine runs lie in a window, and as many may lie before it.
    #expect(runs <= 20 && greatest <= lines.count * 20 / runs, "\(runs) runs, \(greatest) lines")
    // A machine that is booted each day has a journal too.
    for _ in 0..<100 {
      #expect(try machine.run(JournalMachine.minute).exitCode == 0)
      machine.reboot(after: 5 * JournalMachine.hour)
    }
    #expect(try machine.replayed().lines.count < 200)
  }

  @Test func `a link, the owner, the mode and the lock stay; an older file is replaced`() throws {
    let machine = try machine()
    try machine.folder.write("an older one", to: "real.jsonl.1")
    try machine.folder.write(#"{"curfew":"trace/"#, to: "real.jsonl.new")
    try FileManager.default.moveItem(atPath: machine.path(), toPath: machine.path("real.jsonl"))
    try FileManager.default.createSymbolicLink(
      atPath: machine.path(), withDestinationPath: "real.jsonl")
    chmod(machine.path("real.jsonl"), 0o640)
    let before = try machine.folder.read("real.jsonl")
    guard var lock = try FileLock.take(machine.path()) else {
      Issue.record("the journal is locked")
      return
    }
    #expect(try machine.journal().open(holding: &lock).remark == nil)
    #expect(machine.names == ["journal.jsonl", "real.jsonl", "real.jsonl.1"])
    #expect(try machine.folder.read("real.jsonl.1") == before)
    #expect(try machine.replayed().header.continues == "real.jsonl.1")
    var status = stat()
    #expect(lstat(machine.path(), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(machine.path(), &status) == 0 && status.st_mode & 0o7777 == 0o640)
    // The new file is locked, and the old one is not.
    if try FileLock.take(machine.path()) != nil { Issue.record("The new file is not locked") }
    if try FileLock.take(machine.path("real.jsonl.1")) == nil { Issue.record("It is locked") }
    lock.release()
    if try FileLock.take(machine.path()) == nil { Issue.record("The lock is held for ever") }
  }

  @Test func `a journal that cannot be shortened goes on with a remark`() throws {
    for obstacle in ["journal.jsonl.new", "journal.jsonl.1", "journal.jsonl.1.new"] {
      let machine = try machine()
      try FileManager.default.createDirectory(
        atPath: machine.path(obstacle + "/full"), withIntermediateDirectories: true)
      let before = machine.text
      let remark = try machine.open().remark
      #expect(remark?.hasPrefix("it cannot be shortened: cannot ") == true, "\(remark ?? "")")
      #expect(machine.text.hasPrefix(before))
      #expect(machine.names == ["journal.jsonl", obstacle])
      #expect(try machine.run(JournalMachine.minute).exitCode == 0)
      _ = try machine.replayed()
    }
  }

  @Test func `a file of someone else stays, and a journal with another link is not shortened`()
    throws
  {
    for name in ["journal.jsonl.new", "journal.jsonl.1.new"] {
      let machine = try machine()
      try machine.folder.write("mine", to: name)
      let remark = try machine.open().remark
      #expect(
        remark?.hasPrefix("it cannot be shortened: cannot create ") == true
          && remark?.contains(name) == true, "\(remark ?? "")")
      #expect(try machine.folder.read(name) == "mine")
      #expect(machine.names == ["journal.jsonl", name])
    }
    let machine = try machine()
    link(machine.path(), machine.path("link"))
    #expect(try machine.open().remark?.contains("hard link") == true)
    #expect(machine.names == ["journal.jsonl", "link"])
    #expect(try machine.folder.read("link") == machine.text)
    unlink(machine.path("link"))
    #expect(try machine.open().remark == nil)
    #expect(machine.names == ["journal.jsonl", "journal.jsonl.1"])
  }

  @Test func `a crash between the steps of the replacement loses nothing`() throws {
    // The files after each of the three steps.
    for step in 0..<3 {
      let machine = try machine()
      let (path, before) = (machine.path(), machine.text)
      try machine.folder.write(step == 0 ? "" : #"{"curfew":"tr"#, to: "journal.jsonl.new")
      if step == 1 { link(path, path + ".1.new") }
      if step == 2 { link(path, path + ".1") }
      #expect(try machine.run(JournalMachine.minute).exitCode == 0)
      #expect(machine.names == ["journal.jsonl", "journal.jsonl.1"])
      #expect(try machine.folder.read("journal.jsonl.1") == before)
      #expect(try machine.replayed().header.continues == "journal.jsonl.1")
      #expect(machine.text.utf8.count < before.utf8.count)
    }
  }

  @Test func `a lock is held by one while files are replaced`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("count").path
    try folder.write("0", to: "count")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var left = 50
          do {
            while left > 0 { if try JournalCutTests.increment(path) { left -= 1 } }
          } catch { Issue.record(error) }
        }
      }
    }
    #expect(try folder.read("count") == "200")
  }

  @Test func `a lock that is released is free, even if its descriptor has a copy`() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("count").path
    guard let lock = try FileLock.take(path) else {
      Issue.record("A new file is locked")
      return
    }
    let copies = try JournalCutTests.copies(ofDescriptorsOf: path)
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    if try FileLock.take(path) != nil { Issue.record("A lock was given twice") }
    lock.release()
    if try FileLock.take(path) == nil { Issue.record("The copy holds the lock") }
  }

  /// Copies the descriptors of a file, as a fork does.
  private static func copies(ofDescriptorsOf path: String) throws -> [Int32] {
    var (file, other) = (stat(), stat())
    guard stat(path, &file) == 0 else { return [] }
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
    return descriptors.compactMap { Int32($0) }.filter {
      fstat($0, &other) == 0 && other.st_ino == file.st_ino && other.st_dev == file.st_dev
    }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
  }

  /// Replaces a file by one with the next number.
  /// - Returns: Whether the lock was free.
  private static func increment(_ path: String) throws -> Bool {
    guard var lock = try FileLock.take(path) else { return false }
    let count = try #require(Int(try String(contentsOfFile: path, encoding: .utf8)))
    let next = try lock.successor(at: path + ".new")
    try "\(count + 1)".write(toFile: path + ".new", atomically: false, encoding: .utf8)
    try FileLock.replace(path, by: path + ".new", keeping: path + ".1")
    lock = next
    lock.release()
    return true
  }

  @Test func `a trace with events that exec does not say is not shortened`() throws {
    let machine = try JournalMachine()
    _ = try machine.run(JournalMachine.minute)
    guard var lock = try FileLock.take(machine.path()) else {
      Issue.record("the journal is locked")
      return
    }
    var state = try machine.journal().open(holding: &lock)
    state.say(.lock)
    lock.release()
    machine.leastCut = 20
    for _ in 0..<30 {
      machine.pass(JournalMachine.hour)
      #expect(try machine.run(JournalMachine.minute).exitCode == 0)
    }
    #expect(try machine.replayed().header.continues == nil && machine.names == ["journal.jsonl"])
  }
}
