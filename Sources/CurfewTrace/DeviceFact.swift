package import CurfewEngine
import CurfewPolicy
package import CurfewText

/// A fact of a device: its name, its notation in files, and its place among the engine's facts.
/// Scenarios, traces and texts for people share the table `all`.
package struct DeviceFact: Sendable {
  package let attribute: Attribute<DeviceFacts>
  /// The value at a scenario's start if the file does not write it; nil for a fact that cannot be
  /// written at the start.
  package let atStart: String?
  /// The value in words.
  package let words: @Sendable (DeviceFacts) -> String
  let path: any PartialKeyPath<DeviceFacts> & Sendable
  let copy: @Sendable (DeviceFacts, inout DeviceFacts) -> Void
  let isEqual: @Sendable (DeviceFacts, DeviceFacts) -> Bool

  package var name: String { attribute.name }

  private init<Value: Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<DeviceFacts, Value> & Sendable,
    _ notation: Notation<Value>, _ about: String,
    atStart: String?, words: @escaping @Sendable (Value) -> String
  ) {
    attribute = Attribute(name, always: path, notation, about)
    self.path = path
    self.atStart = atStart
    self.words = { "\(name) \(words($0[keyPath: path]))" }
    copy = { from, to in to[keyPath: path] = from[keyPath: path] }
    isEqual = { $0[keyPath: path] == $1[keyPath: path] }
  }

  /// All facts, in the order of files.
  package static let all: [DeviceFact] = [
    DeviceFact(
      "backgroundRefresh", \.backgroundRefresh, .refreshSwitch,
      "The device's Background App Refresh switch", atStart: "true",
      words: { $0 == .restricted ? "restricted" : "\($0 == .available)" }),
    DeviceFact(
      "lowPowerMode", \.lowPowerMode, .boolean, "Low Power Mode", atStart: "false",
      words: { "\($0)" }),
    DeviceFact(
      "battery", \.battery, .percentage,
      "The battery; it is low below the policy's 'lowBattery', unless it is charging",
      atStart: "100%",
      words: { "\($0)%" }),
    DeviceFact(
      "charging", \.charging, .boolean, "Whether the device is charging", atStart: "false",
      words: { "\($0)" }),
    DeviceFact(
      "network", \.network, .word("network"), "The network connection", atStart: "wifi",
      words: \.fileName),
    DeviceFact(
      "memory", \.memory, .memory, "The memory that apps share", atStart: "the policy's capacity",
      words: { $0.map(HumanSize.text) ?? "as the policy says" }),
    DeviceFact(
      "thermal", \.thermal, .word("thermal state"), "The thermal state", atStart: nil,
      words: \.fileName
    ),
  ]

  /// The keys at the start of a device.
  package static let starts = all.compactMap { fact in
    fact.atStart.map { usual in
      Field(
        name: fact.name, shape: fact.attribute.field.shape, presence: .optional,
        description: "\(fact.attribute.field.description); \(usual) where absent.")
    }
  }
}

extension Notation<BackgroundRefreshStatus> {
  /// On or off. In a program the switch may also be `restricted`: off, and the user cannot turn it
  /// on. No scenario writes this status.
  fileprivate static var refreshSwitch: Notation {
    Notation(.boolean) { plain throws(Refusal) in
      switch plain {
      case .flag(let isOn): return isOn ? .available : .denied
      case .text(BackgroundRefreshStatus.restricted.fileName): return .restricted
      case .text(let word): throw Refusal("unknown status '\(word)'", unknownWord: word)
      case .number, .texts: return nil
      }
    } write: {
      $0 == .restricted ? .text($0.fileName) : .flag($0 == .available)
    }
  }
}

extension Notation<Int64?> {
  /// A size, or `policy` for the policy's capacity; no scenario writes `policy`.
  fileprivate static var memory: Notation {
    let size = Notation<Int64>.size
    return Notation(size.shape) { plain throws(Refusal) in
      if plain == .text("policy") { return .some(nil) }
      return try size.read(plain).map(Optional.some)
    } write: {
      $0.map(size.write) ?? .text("policy")
    }
  }
}
