import Foundation
import TestRuns
import Testing

@testable import CurfewCommand
@testable import CurfewExperiments
@testable import CurfewRelease

/// A build names its sources, and results name the build that produced them.
@Suite(.inTurn) struct BuildIDTests {
  @Test func `a build is named by its commit, by its sources, or by both`() throws {
    #expect(Release.name(commit: "11a6ab597d09", sources: nil) == "0.1.0 (11a6ab597d09)")
    #expect(
      Release.name(commit: "11a6ab597d09", sources: "3fa9c2d41b07")
        == "0.1.0 (11a6ab597d09, Sources changed: 3fa9c2d41b07)")
    #expect(Release.name(commit: nil, sources: "3fa9c2d41b07") == "0.1.0 (Sources: 3fa9c2d41b07)")
    let version = try CurfewProcess.run("--version")
    #expect(version.output == "curfew \(Release.build)\n")
    #expect(
      version.output.contains(
        /^curfew 0\.1\.0 \(([0-9a-f]{12}|[0-9a-f]{12}, Sources changed: [0-9a-f]{12}|Sources: [0-9a-f]{12})\)\n$/
      ))
  }

  /// `id` prints the two values that the plugin's script writes.
  private static let script = """
    set -eu
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
    git() { command git -c user.name=a -c user.email=a@b -c init.defaultBranch=main "$@"; }
    id() { sh "$BUILD_ID" "$1" "$2" "$PWD/state.swift"; grep -o '"[0-9a-f]*"\\|nil' state.swift | tr -d '"' | paste -s -d ' '; }
    head() { git -C r rev-parse --short=12 HEAD; }
    is() { [ "$2" = "$3" ] || echo "$1: $2 instead of $3"; }
    git init -q r
    mkdir -p r/Sources/A r/Sources/A.b r/Sources/empty
    echo x >r/Sources/A/x.swift
    echo y >r/Sources/A.b/y.swift
    echo z >r/Sources/A-b
    chmod +x r/Sources/A-b
    ln -s A/x.swift r/Sources/link
    printf '%0200000d' 0 >r/Sources/large
    git -C r add -A && git -C r commit -qm one
    first=$(head)
    is "a commit" "$(id clone r)" "$first nil"
    archive=$(id archive r)
    is "an archive" "$(test "${archive#nil }" != "$archive" -a ${#archive} = 16 && echo named)" "named"
    touch r/Sources/.hidden
    is "a hidden file" "$(id clone r)" "$first nil"
    echo more >>r/Sources/A/x.swift
    changed=$(id clone r)
    is "an edit" "${changed% *} $(test "${changed#* }" != nil && echo changed)" "$first changed"
    git -C r commit -qam two
    is "the edit, committed" "$(id clone r)" "$(head) nil"
    is "its digest" "${changed#* }" "$(id archive r | cut -d ' ' -f 2)"
    git -C r checkout -q HEAD~1
    is "a checkout" "$(id clone r)" "$first nil"
    echo new >r/Sources/new
    is "an untracked file" "$(id clone r | cut -d ' ' -f 1) $(test "$(id clone r)" != "$first nil" && echo changed)" "$first changed"
    rm r/Sources/new
    rm r/Sources/A-b
    is "a file that is gone" "$(test "$(id clone r)" != "$first nil" && echo changed)" "changed"
    git -C r checkout -q .
    is "in a hook" "$(export GIT_DIR=/nonexistent && id clone r)" "$first nil"
    mkdir -p r/vendor && cp -r r/Sources r/vendor/
    is "in another repository" "$(id clone r/vendor)" "$archive"
    mv r/Sources/A/x.swift r/Sources/A.b/x.swift
    is "a file that has moved" "$(test "$(id archive r)" != "$archive" && echo changed)" "changed"
    """

  @Test
  func `the id reflects edits, commits and checkouts, and the digest reflects names and contents`()
    throws
  {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let script =
      "BUILD_ID='\(repository.appendingPathComponent("Sources/BuildID/build-id.sh").path)'\n"
      + Self.script
    let run = try CurfewProcess.shell(script, in: TemporaryFolder())
    #expect(run.exitCode == 0 && run.output.isEmpty, "\(run.output)\(run.messages)")
  }

  private static let experiment = """
    curfew: experiment/1
    name: Grants
    workload: w.yaml
    for: 2h
    devices: 1
    repetitions: 2
    parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}
    measure: {opens: {figure: opens}}

    """

  @Test
  func
    `a sweep refuses another build's file and names both builds, and warns if a file has two builds`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "curfew: workload/1\nname: W\npolicy: ios13\nuser: {unlocks: 100, visit: 10s}\napps: {camera: {}}\n",
      to: "w.yaml")
    try folder.write(Self.experiment, to: "e.yaml")
    let experiment = try Experiment.load(folder.url.appendingPathComponent("e.yaml").path)
    let results = try ResultsFile.open(
      folder.url.appendingPathComponent("e.sqlite").path, for: experiment)
    results.build = "0.1.0 (0123456789ab)"
    _ = try Sweep(experiment, shard: .init(1, of: 4)).run(into: results)

    let refused = try CurfewProcess.run("sweep", "e.yaml", in: folder)
    #expect(refused.exitCode == 4 && refused.output.isEmpty)
    #expect(
      refused.messages == """
        e.sqlite: error: 1 run in it was made by curfew 0.1.0 (0123456789ab), but this is curfew \(Release.build): no run is added; \
        '--mixed-builds' adds runs anyway, '--output' names another file

        """, "\(refused.messages)")

    let mixed = try CurfewProcess.run("sweep", "e.yaml", "--mixed-builds", "--json", in: folder)
    let warning = "made by 2 builds; differences between builds may affect the comparisons"
    #expect(mixed.messages.contains(warning), "\(mixed.messages)")
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(mixed.output.utf8)) as? [String: Any])
    #expect(
      (json["builds"] as? [[String: Any]])?.compactMap { $0["runs"] as? Int }.reduce(0, +) == 4)
    for arguments in [
      ["compare", "e.sqlite", "grant=30s"], ["merge", "all.sqlite", "e.sqlite"],
      ["report", "e.sqlite", "--output", "p.html"],
    ] {
      let run = try CurfewProcess.run(arguments, in: folder)
      #expect(run.messages.contains(warning), "\(arguments): \(run.messages)")
    }
    #expect(try folder.read("p.html").contains("made by 2 builds"))
  }
}
