import CurfewPolicy
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Policies as text, read and written.
@Suite(.inTurn) struct PolicyWritingTests {
  @Test(arguments: PolicyFile.builtInNames)
  func `a written policy is a file that loads to the same policy`(_ name: String) throws {
    let policy = try PolicyFile.load(name)
    let again = try PolicyFile.decode(policy.text, name: "again.yaml")
    #expect(again.digest == policy.digest && again.policy == policy.policy && again.parents.isEmpty)
    #expect(again.name == policy.name && again.about == policy.about && again.text == policy.text)
  }

  @Test func `set values of a policy are written too, lists and sizes and all`() throws {
    var policy = try PolicyFile.load("ios13")
    try policy.set("wakes.fetch.mode", "[processing, fetch]")
    try policy.set("memory.capacity", "3GiB")
    try policy.set("wakes.voipPush", "{admissions: 3, window: 1h}")
    let text = policy.text
    #expect(
      text.contains("    mode: [fetch, processing]\n") && text.contains("  capacity: 3GiB\n")
        && text.contains("    admissions: 3\n"))
    #expect(try PolicyFile.decode(text).digest == policy.digest)
  }

  @Test(arguments: ["no", "a: b", "\"quoted\" \\ back", "ž # x", "true", "null", "12", "ios13"])
  func `a name is quoted if necessary`(
    _ name: String
  ) throws {
    let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let policy = try PolicyFile.decode(
      "curfew: policy/1\nname: \"\(quoted)\"\nextends: ios13\nabout: |\n  One\n  two\n")
    let again = try PolicyFile.decode(policy.text)
    #expect(again.name == name && again.about == "One two")
  }

  @Test func `errors of a text use the name that was given`() {
    let errors = #expect(throws: FileErrors.self) {
      _ = try PolicyFile.decode(
        "curfew: policy/1\nname: x\nextends: ios13\ntasks: {grant: 40}\n", name: "a string")
    }
    #expect(
      errors?.diagnostics.map(\.description) == [
        "a string:4:16: error: '40' has no unit; durations are whole numbers with a unit: 30s, 250ms"
      ])
  }

  @Test func `a policy knows its parents, the nearest first`() throws {
    let policy = try PolicyFile.decode("curfew: policy/1\nname: mine\nextends: ios13\n")
    #expect(policy.parents == ["ios13", "ios7", "ios4", "ios3"])
    #expect(try PolicyFile.load("ios3").parents.isEmpty)
  }
}
