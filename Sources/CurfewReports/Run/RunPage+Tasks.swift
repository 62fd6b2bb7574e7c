import CurfewEngine
import CurfewManifest
import CurfewText
import CurfewTrace

/// The background tasks of a run: each, or where there are many, what became of all.
extension RunRecord {
  private static let mostSingle = 60

  var taskContent: [Page.Content] {
    var content: [Page.Content] = []
    if tasks.count >= 30 { content.append(.distribution(taskDistribution)) }
    if tasks.count <= RunRecord.mostSingle { return content + [.table(table(of: tasks, "Each task"))] }
    content.append(.table(tableByName))
    let others = tasks.filter { !$0.isEnded }
    return others.isEmpty ? content : content + [.table(table(of: others, "Tasks that did not end in time"))]
  }

  private func table(of tasks: [TaskRecord], _ caption: String) -> Table {
    Table(
      caption,
      [.words("app"), .words("task"), .numbers("begun at"), .numbers("handler called"), .numbers("open for"), .words("what became of it")],
      tasks.map { task in
        [
          apps[task.app].name, task.name, words(task.begun), task.expired.map { words($0) } ?? "–",
          words(ofNanoseconds: task.length), task.words,
        ]
      }, mostRows: 200)
  }

  private var tableByName: Table {
    let byName = Dictionary(grouping: tasks, by: \.name)
    return Table(
      "Tasks by name",
      [
        .words("task"), .numbers("begun"), .numbers("ended in time"), .numbers("of those after their handler"), .numbers("not ended"),
        .numbers("median"), .numbers("longest"),
      ],
      byName.keys.sorted().map { name in
        let tasks = byName[name] ?? []
        let lengths = tasks.map(\.length).sorted()
        let ended = tasks.count(where: \.isEnded)
        let late = tasks.count { $0.isEnded && $0.expired != nil }
        return [name] + [tasks.count, ended, late, tasks.count - ended].map { HumanCount.text($0) }
          + [HumanTime.rounded(lengths[lengths.count / 2]), HumanTime.rounded(lengths.last)]
      })
  }

  private var taskDistribution: DistributionChart {
    func lengths(_ name: String, where isMeant: (TaskRecord) -> Bool) -> (name: String, lengths: [Int64]) {
      (name, tasks.filter(isMeant).map(\.length).sorted())
    }
    let groups = [
      lengths("ended") { $0.isEnded && $0.expired == nil }, lengths("ended after their handler") { $0.isEnded && $0.expired != nil },
      lengths("not ended") { !$0.isEnded },
    ].filter { $0.lengths.count >= 10 }
    let variants = groups.map { group in
      DistributionChart.Variant("\(group.name) (\(HumanCount.text(group.lengths.count)))", RunRecord.quantiles(of: group.lengths))
    }
    let all = tasks.map(\.length).sorted()
    let low = all.first { $0 > 0 } ?? 1
    let isWide = (all.first ?? 0) > 0 && (all.last ?? 1) / low >= 50
    return DistributionChart(
      "How long tasks were open",
      text:
        "Half of all \(HumanCount.text(all.count)) tasks were open for \(HumanTime.rounded(all[all.count / 2])) or less, the longest for "
        + "\(HumanTime.rounded(all.last)).", Measure("open for", .seconds), isLogarithmic: isWide, variants,
      notes: groups.count < 3 ? [] : ["What became of fewer than ten is left out."])
  }

  /// Of sorted lengths, so many as a curve needs.
  private static func quantiles(of lengths: [Int64]) -> [(share: Double, value: Double)] {
    [1, 5, 10, 25, 50, 75, 90, 95, 99, 100].map { percent in
      (Double(percent) / 100, Double(lengths[max(0, (lengths.count * percent + 99) / 100 - 1)]) / 1e9)
    }
  }
}

extension TaskRecord {
  /// How long it was open, in nanoseconds.
  fileprivate var length: Int64 { (end ?? begun).nanoseconds - begun.nanoseconds }

  fileprivate var words: String {
    switch fate {
    case .open: "still open at the end"
    case .ended: expired == nil ? "ended" : "ended after its handler"
    case .leftOpen: "left open: its process was terminated"
    case .lost(let reason): "went with its process: \(reason.fileName)"
    }
  }
}
