import CurfewBench
import CurfewText
import Foundation
import Testing

@Suite struct ContestantFileTests {
  private func read(_ text: String) throws(FileErrors) -> ContestantFile {
    try ContestantFile.decode(
      SourceFile(name: "contestant.yaml", bytes: Array(text.utf8)), in: "/suite/Contestants/go")
  }

  private let whole = """
    about: Go's time.AfterFunc
    role: peer
    division: closed
    workloads: [deadlines/1, restart/1]
    needs: [go]
    install: apt-get install golang-go
    build: go build -o "$OUT/go" main.go
    run: '"$OUT/go"'
    version: go version
    atMost: 100000
    ownCode: true

    """

  private func errors(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch { return error.diagnostics.map(\.description) }
  }

  @Test func `a file says how a contestant is built and run`() throws {
    let file = try read(whole)
    #expect(file.name == "go" && file.role == .peer && file.division == .closed)
    #expect(file.workloads == ["deadlines/1", "restart/1"] && file.needs == ["go"])
    #expect(file.run == "\"$OUT/go\"" && file.build == "go build -o \"$OUT/go\" main.go")
    #expect(file.atMost == 100_000 && file.ownCode && file.notes == nil)
    #expect(try read("name: go-open\n" + whole).name == "go-open")
  }

  @Test func `mistakes are told with their places`() {
    #expect(
      errors(whole.replacing("role: peer", with: "role: rival")) == [
        "contestant.yaml:2:7: error: unknown role 'rival'; allowed here: floor, peer, subject"
      ])
    #expect(
      errors(whole + "colour: red\n").first?.hasPrefix(
        "contestant.yaml:12:1: error: unknown key 'colour'; allowed here: ") == true)
    #expect(
      errors(whole.replacing("restart/1", with: "restarts/1")) == [
        "contestant.yaml:4:26: error: unknown workload 'restarts/1'; did you mean 'restart/1'?"
      ])
    #expect(
      errors(whole.replacing("run: '\"$OUT/go\"'\n", with: "")) == [
        "contestant.yaml:1:1: error: missing key 'run'"
      ])
    #expect(
      errors(whole.replacing("install: apt-get install golang-go\n", with: "")) == [
        "contestant.yaml:5:8: error: missing key 'install': a contestant with needs names the command that installs them"
      ])
    #expect(
      errors("name: go.fast\n" + whole) == [
        "contestant.yaml:1:7: error: a contestant's name has letters, digits, '-' and '_' only; found 'go.fast'"
      ])
    #expect(
      errors(whole.replacing("[deadlines/1, restart/1]", with: "[]")) == [
        "contestant.yaml:4:12: error: a contestant takes part in at least one workload"
      ])
    #expect(
      errors(whole.replacing("restart/1", with: "deadlines/1")) == [
        "contestant.yaml:4:26: error: 'deadlines/1' is in 'workloads' twice"
      ])
  }

  private var floor: String { whole.replacing("role: peer", with: "role: floor") }

  @Test func `a workload has one floor and at most one subject`() throws {
    func mistakes(_ roles: [(name: String, role: String)]) throws -> [String] {
      let folder = try ScratchFolder()
      for (name, role) in roles {
        try folder.write(
          "Contestants/\(name)/contestant.yaml",
          whole.replacing("role: peer", with: "role: \(role)"))
      }
      do {
        _ = try CurfewBench.Suite(reading: folder.path)
        return []
      } catch {
        return error.diagnostics.map {
          $0.description.replacing("\(folder.path)/Contestants/", with: "")
        }
      }
    }
    #expect(try mistakes([("a", "floor"), ("b", "subject"), ("c", "peer"), ("d", "peer")]) == [])
    #expect(
      try mistakes([("a", "floor"), ("b", "floor")]) == [
        "b/contestant.yaml:2:7: error: a is the floor of deadlines/1, which has only one",
        "b/contestant.yaml:2:7: error: a is the floor of restart/1, which has only one",
      ])
    #expect(
      try mistakes([("a", "floor"), ("b", "subject"), ("c", "subject")]).first
        == "c/contestant.yaml:2:7: error: b is the subject of deadlines/1, which has only one")
    #expect(
      try mistakes([("b", "peer"), ("c", "subject")]) == [
        "b/contestant.yaml:4:13: error: no contestant of the suite is the floor of deadlines/1",
        "b/contestant.yaml:4:26: error: no contestant of the suite is the floor of restart/1",
      ])
  }

  @Test func `a suite has all files, and refuses two of one name`() throws {
    let folder = try ScratchFolder()
    try folder.write("Contestants/b/contestant.yaml", whole)
    try folder.write("Contestants/b/contestant-open.yaml", "name: b-open\n" + whole)
    try folder.write("Contestants/a/contestant.yaml", floor)
    try folder.write("Contestants/Shared/bench.py", "")
    let suite = try CurfewBench.Suite(reading: folder.path)
    #expect(suite.contestants.map(\.name) == ["a", "b", "b-open"])
    try folder.write("Contestants/c/contestant.yaml", "name: b\n" + whole + "x: y\n")
    try folder.write("Contestants/d/contestant.yaml", "name: b\n" + whole)
    #expect {
      try CurfewBench.Suite(reading: folder.path)
    } throws: {
      let errors = ($0 as? FileErrors)?.diagnostics ?? []
      return errors.count == 2 && errors[0].message.hasPrefix("unknown key 'x'")
        && errors[1].message.hasSuffix("b/contestant.yaml has the same name, 'b'")
    }
  }
}
