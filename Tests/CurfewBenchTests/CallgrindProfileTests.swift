import CurfewBench
import CurfewText
import Testing

/// Output of callgrind for a main function that calls two others, with compressed names.
private let output = """
  # callgrind format
  version: 1
  creator: callgrind-3.19.0
  pid: 71
  cmd:  counts cycle-10000
  part: 1

  desc: Option: --toggle-collect=curfew_counted
  positions: line
  events: Ir
  summary: 190

  ob=(1) /build/counts
  fl=(1) /build/main.swift
  fn=(1) curfew_counted
  16 10
  +3 20
  cfi=(2) /build/TimerQueue.swift
  cfn=(2) $s12CurfewEngine10TimerQueueV6cancelyyAC2IDVF
  calls=5 120
  * 100
  fi=(2)
  cob=(2) /usr/lib/libc.so.6
  cfi=(3) ???
  cfn=(3) malloc
  calls=2 0
  -4 60

  fn=(2)
  120 70
  fe=(1)
  20 30

  ob=(2)
  fl=(3)
  fn=(3)
  0 60

  totals: 190
  """

@Suite struct CallgrindProfileTests {
  @Test("a function has its own instructions, from all files, without those of called functions")
  func ownCosts() throws {
    let profile = try CallgrindProfile(output, name: "out")
    #expect(profile.total == 190)
    #expect(
      profile.functions == [
        "curfew_counted": 30, "$s12CurfewEngine10TimerQueueV6cancelyyAC2IDVF": 100, "malloc": 60,
      ])
  }

  @Test("a work of the engine may not allocate memory for its events")
  func allocations() throws {
    var profile = try CallgrindProfile(output, name: "out")
    #expect(profile.allocation == 60)
    for function in ["calloc", "realloc", "posix_memalign", "aligned_alloc"] {
      profile.functions[function] = 1_000
    }
    profile.functions["malloc"] = 1_000
    profile.functions["free"] = 1_000
    #expect(CountTools.complaint(about: profile, of: "cycle-10000") == nil)
    profile.functions["malloc"] = 1_001
    #expect(
      CountTools.complaint(about: profile, of: "cycle-10000")
        == "cycle-10000: allocations take 5001 instructions, not 5000")
    #expect(CountTools.complaint(about: profile, of: "policy") == nil)
  }

  @Test("a count names functions as the source does, most instructions first")
  func names() throws {
    let count = InstructionCount(
      name: "cycle-10000", try CallgrindProfile(output, name: "out"))
    #expect(count.instructions == 190)
    #expect(
      count.functions.map(\.name) == [
        "CurfewEngine.TimerQueue.cancel(CurfewEngine.TimerQueue.ID) -> ()", "malloc",
        "curfew_counted",
      ])
  }

  @Test(
    "output that is cut, contradicts itself or has another event is refused with its place",
    arguments: [
      ("totals: 190", "", "out: the file has no 'totals' line"),
      (
        "totals: 190", "totals: 191",
        "out: the functions have 190 instructions, but the total is 191"
      ),
      ("events: Ir", "events: Dr Ir", "out:10:1: expected the event 'Ir' first"),
      ("+3 20", "+3 x", "out:17:1: expected a number of instructions, found 'x'"),
      ("fn=(3)\n0", "fn=(4)\n0", "out:36:1: the name (4) is not defined"),
      ("fn=(1) curfew_counted\n", "", "out:15:1: a cost before the first function"),
      ("part: 1", "nonsense", "out:6:1: expected a cost or a key, found 'nonsense'"),
    ])
  func refusals(old: String, new: String, message: String) throws {
    let text = output.replacing(old, with: new, maxReplacements: 1)
    let errors = #expect(throws: FileErrors.self) { try CallgrindProfile(text, name: "out") }
    let found = try #require(errors?.diagnostics.first)
    #expect("\(found)".replacing(" error:", with: "").hasPrefix(message))
  }
}
