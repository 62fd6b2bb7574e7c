package import CurfewText

/// An earlier run that is to be run again, from its results file: `bench run --repeat`.
package struct RepeatedRun: Sendable {
  package let report: BenchReport
  /// The options of the earlier run that decide what it measured.
  package private(set) var options = RunOptions()

  /// Reads the results of `source`, whose contestants are those of `suite`.
  ///
  /// - Throws: Everything in the file that cannot be run again, with its place.
  package init(_ source: SourceFile, in suite: Suite) throws(FileErrors) {
    let (report, root) = try BenchReport.read(source)
    self.report = report
    let earlier = report.record.options
    (options.repetitions, options.until) = (earlier.repetitions, earlier.until)
    (options.seed, options.only, options.without) = (earlier.seed, earlier.only, earlier.without)
    var findings = Findings()
    for (workload, node) in zip(report.record.workloads, root["workloads"]?.elements ?? []) {
      add(workload, node, &findings)
    }
    if report.record.workloads.isEmpty {
      findings.error(at: root["workloads"]?.place ?? root.place, "there is no workload to repeat")
    }
    let names = suite.contestants.map(\.name)
    for key in ["only", "without"] {
      for node in root["options"]?[key]?.elements ?? [] where !names.contains(node.text ?? "") {
        findings.error(at: node.place) { search in
          "unknown contestant \(node.found)"
            + search.hint(for: node.text ?? "", among: names, "the contestants are")
        }
      }
    }
    do { try options.check() } catch {
      findings.error(at: root["options"]?["repetitions"]?.place ?? root.place, error.message)
    }
    try findings.throwIfAny(in: source.name)
  }

  private mutating func add(
    _ workload: WorkloadRecord, _ node: SourceNode, _ findings: inout Findings
  ) {
    guard let kind = WorkloadKind.all.first(where: { $0.name == workload.name }) else {
      return findings.error(at: node["name"]?.place ?? node.place) { search in
        "unknown workload '\(workload.name.prefix(80))'"
          + search.hint(
            for: workload.name, among: WorkloadKind.all.map(\.name), "the workloads are")
      }
    }
    if kind.shapes.isEmpty ? workload.shape != nil : !kind.shapes.contains(workload.shape ?? "") {
      let place = node["shape"]?.place ?? node.place
      return findings.error(at: place, kind.complaint(aboutShape: workload.shape))
    }
    let known = options.selections.firstIndex {
      $0.kind.name == kind.name && $0.shape == workload.shape
    }
    if let known {
      options.selections[known].sizes.append(workload.size)
    } else {
      options.selections.append(
        RunOptions.Selection(kind: kind, sizes: [workload.size], shape: workload.shape))
    }
  }
}
