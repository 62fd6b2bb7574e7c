import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import Testing

@testable import CurfewCommand

/// `curfew exec` under every built-in policy and every kind of wake that has a length.
@Suite struct ExecKindTests {
  @Test(arguments: PolicyFile.builtInNames)
  func `W7 a command runs under the grant of any kind, or it is denied`(_ name: String) throws {
    let file = try PolicyFile.load(name)
    let names = file.policy.names
    var manifest = AppManifest()
    let modes = file.policy.wakes.values.map(\.modes)
    for mode in names.names(of: modes.reduce([]) { $0.union($1) }) { manifest.declare(mode) }
    for kind in names.kinds {
      guard let number = names.kind(kind), let row = file.policy.wakes[number],
        row.length > .zero
      else { continue }
      let times = RunTimes(length: row.length, warning: .zero)
      let run = ExecRun(
        policy: ExecPolicy(file),
        request: GrantedCommand.Request(
          words: [Array("cmd".utf8)], name: "cmd", kind: number, times: times, manifest: manifest),
        requiresCgroup: false, console: Console())
      let world = FakeWorld()
      let result = try run.perform(in: world).0
      if result.exitCode == 75 {
        #expect(result.denial?.reason.isEmpty == false && result.run.hasStarted == false)
      } else {
        #expect(result.exitCode == 137 && result.run.grantedAt == 1_000, "\(name) \(kind)")
      }
      #expect(world.members.isEmpty && world.cgroups.isEmpty, "\(name) \(kind)")
    }
  }
}
