// Does one fixed amount of work, for `bench count`, which counts its instructions.
// `counts --list` prints the names; `counts NAME` does the work and checks its results.
// Exit codes: 6 for a wrong result, 64 for another name.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A work behind a reference. The compiler would specialize a function for a closure that it gets,
/// and the specialization has another symbol.
final class Call {
  let work: Work

  init(_ work: @escaping Work) { self.work = work }
}

/// The only function whose instructions are counted, with everything that it calls. `CountTools` in
/// CurfewBench gives its symbol to callgrind, so that set-up is not counted.
@inline(never) @_optimize(none) @_silgen_name("curfew_counted")
func counted(_ call: Call) throws -> String? { try call.work() }

func tell(_ message: String) {
  let line = Array("counts: \(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
}

func main() -> Int32 {
  let arguments = CommandLine.arguments.dropFirst()
  if arguments == ["--list"] {
    for work in works() { print(work.name) }
    return 0
  }
  guard let name = arguments.first, arguments.count == 1,
    let work = works().first(where: { $0.name == name })
  else {
    tell("expected --list, or one of: \(works().map(\.name).joined(separator: ", "))")
    return 64
  }
  do {
    guard let mistake = try counted(Call(try work.make())) else { return 0 }
    tell("\(name): \(mistake)")
  } catch {
    tell("\(name): \(error)")
  }
  return 6
}

exit(main())
