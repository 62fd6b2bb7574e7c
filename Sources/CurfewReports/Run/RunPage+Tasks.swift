import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The background tasks of a run: each of them, or a summary if there are many.
extension RunRecord {
  private static let mostSingle = 60

  /// The background tasks, in the order in which they began.
  var tasks: [Run] { runs.filter { $0.track == .tasks } }

  var taskContent: [Page.Content] {
    let tasks = tasks
    var content: [Page.Content] = []
    if tasks.count >= 30 { content.append(.distribution(taskDistribution(tasks))) }
    if tasks.count <= RunRecord.mostSingle {
      return content + [.table(table(of: tasks, "Each task"))]
    }
    content.append(.table(tableByName(tasks)))
    let others = tasks.filter { !$0.isEndedInTime }
    return others.isEmpty
      ? content : content + [.table(table(of: others, "Tasks that did not end in time"))]
  }

  private func table(of tasks: [Run], _ caption: String) -> Table {
    Table(
      caption,
      [
        .words("app"), .words("task"), .numbers("begun at"), .numbers("handler called"),
        .numbers("open for"), .words("outcome"),
      ],
      tasks.map { task in
        [
          apps[task.app].name, task.name, words(task.span.begin),
          task.handlerCalled.map { words($0) } ?? "–",
          words(ofNanoseconds: task.length), task.fate,
        ]
      }, mostRows: 200)
  }

  private func tableByName(_ tasks: [Run]) -> Table {
    let byName = Dictionary(grouping: tasks, by: \.name)
    return Table(
      "Tasks by name",
      [
        .words("task"), .numbers("begun"), .numbers("ended in time"), .numbers("ended late"),
        .numbers("not ended"),
        .numbers("median"), .numbers("longest"),
      ],
      byName.keys.sorted().map { name in
        let tasks = byName[name] ?? []
        let lengths = tasks.map(\.length).sorted()
        let inTime = tasks.count(where: \.isEndedInTime)
        let ended = tasks.count { $0.span.ending == .app }
        return [name]
          + [tasks.count, inTime, ended - inTime, tasks.count - ended].map { HumanCount.text($0) }
          + [HumanTime.rounded(lengths[lengths.count / 2]), HumanTime.rounded(lengths.last)]
      })
  }

  private func taskDistribution(_ tasks: [Run]) -> DistributionChart {
    func lengths(_ name: String, where isMeant: (Run) -> Bool) -> (name: String, lengths: [Int64]) {
      (name, tasks.filter(isMeant).map(\.length).sorted())
    }
    let groups = [
      lengths("ended in time", where: \.isEndedInTime),
      lengths("ended late") { $0.span.ending == .app && !$0.isEndedInTime },
      lengths("not ended") { $0.span.ending != .app },
    ].filter { $0.lengths.count >= 10 }
    let variants = groups.map { group in
      DistributionChart.Variant(
        "\(group.name) (\(HumanCount.text(group.lengths.count)))",
        RunRecord.quantiles(of: group.lengths))
    }
    let all = tasks.map(\.length).sorted()
    let low = all.first { $0 > 0 } ?? 1
    let isWide = (all.first ?? 0) > 0 && (all.last ?? 1) / low >= 50
    return DistributionChart(
      "How long tasks were open",
      text:
        "Half of all \(HumanCount.text(all.count)) tasks were open for \(HumanTime.rounded(all[all.count / 2])) or less, the longest for "
        + "\(HumanTime.rounded(all.last)).", AxisMeasure("open for", .seconds),
      isLogarithmic: isWide,
      variants,
      notes: groups.count < 3 ? [] : ["Groups of fewer than ten tasks are left out."])
  }

  /// The quantiles of sorted lengths that a curve shows.
  private static func quantiles(of lengths: [Int64]) -> [(share: Double, value: Double)] {
    [1, 5, 10, 25, 50, 75, 90, 95, 99, 100].map { percent in
      (
        Double(percent) / 100,
        Double(lengths[max(0, (lengths.count * percent + 99) / 100 - 1)]) / 1e9
      )
    }
  }
}

extension Run {
  /// The time for which it was open, in nanoseconds.
  fileprivate var length: Int64 { span.length?.nanoseconds ?? 0 }

  /// Whether its app ended it before its time ran out.
  var isEndedInTime: Bool { span.ending == .app && !span.isExpired }

  fileprivate var fate: String {
    switch span.ending {
    case .app where !span.isExpired: "ended in time"
    case .app: handlerCalled == nil ? "ended after its time" : "ended after its handler"
    case .process(_, isGrant: true): "left open: its process was terminated"
    case .process(let reason, isGrant: false): "ended with its process: \(reason.fileName)"
    default: "still open at the end"
    }
  }
}
