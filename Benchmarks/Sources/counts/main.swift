// Does one named, fixed amount of work, for `bench count`, which counts its instructions.
// `counts --list` prints the names; `counts NAME` does the work and checks its results.
// Exit codes: 6 for a wrong result, 64 for another name.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The only function whose instructions are counted, with everything that it calls. The symbol is
/// the one that `CountRun` in CurfewBench gives to callgrind, so that set-up is not counted.
@inline(never) @_optimize(none) @_silgen_name("curfew_counted")
func counted(_ work: any Work) { work.run() }

func tell(_ message: String) {
  let line = Array("counts: \(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
}

func main() -> Int32 {
  let arguments = CommandLine.arguments.dropFirst()
  if arguments == ["--list"] {
    for work in NamedWork.all { print(work.name) }
    return 0
  }
  guard let name = arguments.first, arguments.count == 1,
    let named = NamedWork.all.first(where: { $0.name == name })
  else {
    tell("expected --list, or one of: \(NamedWork.all.map(\.name).joined(separator: ", "))")
    return 64
  }
  do {
    let work = try named.make()
    counted(work)
    guard let mistake = work.mistake else { return 0 }
    tell("\(name): \(mistake)")
  } catch {
    tell("\(name): \(error)")
  }
  return 6
}

exit(main())
