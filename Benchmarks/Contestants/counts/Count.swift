import Glibc

/// A fixed amount of work after its set-up. Returns the difference between the result and
/// the expected result; nil for none.
typealias Work = @MainActor () throws -> String?

/// A work behind a reference. The compiler would specialize a function for a closure that it gets,
/// and the specialization has another symbol.
private final class Call {
  let work: Work

  init(_ work: @escaping Work) { self.work = work }
}

/// The only function whose instructions are counted, with everything that it calls. `CountTools` in
/// CurfewBench gives its symbol to callgrind, so that set-up is not counted.
@MainActor @inline(never) @_optimize(none) @_silgen_name("curfew_counted")
private func counted(_ call: Call) throws -> String? { try call.work() }

/// Does one fixed amount of work, for `bench count`, which counts its instructions. `--list`
/// prints the names of all works.
/// - Returns: The exit code: 6 for a wrong result, 64 for an unknown name.
@MainActor func count(_ name: String) -> Int32 {
  if name == "--list" {
    for work in works() { print(work.name) }
    return 0
  }
  guard let work = works().first(where: { $0.name == name }) else {
    complain("expected --list, or one of: \(works().map(\.name).joined(separator: ", "))")
    return 64
  }
  do {
    guard let mistake = try counted(Call(try work.make())) else { return 0 }
    complain("\(name): \(mistake)")
  } catch {
    complain("\(name): \(error)")
  }
  return 6
}
