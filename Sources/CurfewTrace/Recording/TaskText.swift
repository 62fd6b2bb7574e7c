import CurfewEngine
import CurfewText

/// A line about a task, which `StepWriter` writes without a `TraceLine`. Begins and ends are most
/// of a busy trace, and a `TraceLine` costs ten times the device's own work for them.
enum TaskText {
  case beginning(AppID, label: UInt32, ExpirationHandler)
  case ending(AppID, TaskID)
  case changed(TraceLine.TaskChange, AppID, BackgroundTask)

  /// Returns nil for any other event.
  init?(_ event: Event) {
    switch event {
    case .beginTask(let app, let label, let handler): self = .beginning(app, label: label, handler)
    case .endTask(let app, let task): self = .ending(app, task.id)
    default: return nil
    }
  }

  /// Returns nil for any other action.
  @inline(__always)
  init?(_ action: Action) {
    switch action {
    case .taskBegan(let app, let task): self = .changed(.begin, app, task)
    case .taskEnded(let app, let task): self = .changed(.end, app, task)
    default: return nil
    }
  }

  var app: AppID {
    switch self {
    case .beginning(let app, _, _), .ending(let app, _), .changed(_, let app, _): app
    }
  }
}

/// The texts of a recording as JSON, in bytes.
struct QuotedTexts {
  /// The number of labels that are kept; further ones are made again for each line.
  private static let limit: UInt32 = 1 << 12

  private var apps: [[UInt8]] = []
  private var labels: [[UInt8]] = []

  /// `,"app":"com.example.mail","type":"`
  mutating func app(_ app: AppID, _ coder: borrowing TraceCoder) -> [UInt8] {
    while apps.count <= Int(app.rawValue) {
      apps.append(Array(",\"app\":\(JSONLine.quoted(coder.apps[apps.count])),\"type\":\"".utf8))
    }
    return apps[Int(app.rawValue)]
  }

  /// `"upload"`
  mutating func label(_ number: UInt32, _ coder: borrowing TraceCoder) -> [UInt8] {
    guard number < QuotedTexts.limit else {
      return Array(JSONLine.quoted(coder.text(number)).utf8)
    }
    while labels.count <= Int(number) {
      labels.append(Array(JSONLine.quoted(coder.text(UInt32(labels.count))).utf8))
    }
    return labels[Int(number)]
  }
}

extension [UInt8] {
  /// Appends a literal of ASCII characters.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a number in decimal.
  mutating func append(decimal number: UInt64) {
    var digits: (UInt64, UInt64, UInt32) = (0, 0, 0)
    Swift.withUnsafeMutableBytes(of: &digits) { place in
      var (rest, first) = (number, place.count)
      repeat {
        first -= 1
        place[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      append(contentsOf: place[first...])
    }
  }
}

extension StepWriter {
  /// Adds a line about a task to the current step: the bytes of its `TraceLine`.
  mutating func append(_ text: TaskText, at now: Instant, _ coder: borrowing TraceCoder) {
    beginLine()
    guard isOpen else { return }
    pending.append("{\"t\":")
    pending.append(decimal: UInt64(max(0, now.nanoseconds)))
    pending += quoted.app(text.app, coder)
    switch text {
    case .beginning(_, let label, let handler):
      pending.append("event\",\"do\":\"beginTask\",\"task\":")
      pending += quoted.label(label, coder)
      if handler == .absent { pending.append(",\"handler\":\"none\"") }
    case .ending(_, let task):
      pending.append("event\",\"do\":\"endTask\",\"task\":")
      pending.append(decimal: UInt64(task.rawValue))
    case .changed(let change, _, let task):
      if change == .begin {
        pending.append("task\",\"event\":\"begin\",\"task\":")
      } else {
        pending.append("task\",\"event\":\"end\",\"task\":")
      }
      pending.append(decimal: UInt64(task.id.rawValue))
      pending.append(",\"name\":")
      pending += quoted.label(task.label, coder)
    }
    pending.append("}\n")
  }
}
