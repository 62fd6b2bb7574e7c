import CurfewEngine
import CurfewTrace

/// A slice of an app's tracks.
enum AppSlice: Hashable, Sendable {
  case span(LifeSpan.Subject)
  /// A callback, by its number: several may wait for their returns.
  case call(Int)
}

/// An app's group of tracks, and what of it is to be known for what comes.
struct AppTracks: Sendable {
  var lanes: Lanes<AppSlice>
  /// Callbacks that have not returned, the oldest first.
  var calls: [(moment: Moment, number: Int)] = []
  var callCount = 0
  /// Wakes that were admitted and have not begun, with the flows from their decisions.
  var admitted: [WakeID: UInt64] = [:]
  /// A session that was admitted in this step, and the flow from its decision.
  var allowed: (kind: KindNumber, step: Int, flow: UInt64)?
  /// What had been warned, or had run out, when the process ended in this step: the end's causes.
  var ranOut: (step: Int, flows: [UInt64]) = (0, [])

  init(_ name: String, into packets: inout PerfettoPackets) {
    lanes = Lanes(under: packets.addTrack(name, .group))
  }

  /// The flows from what ran out in this step.
  func causes(in step: Int) -> [UInt64] { ranOut.step == step ? ranOut.flows : [] }

  /// Something ran out in this step, and its flow leads to the end of the process, where that
  /// is its end.
  mutating func note(ranOut flow: UInt64?, in step: Int) {
    if ranOut.step != step { ranOut = (step, []) }
    if let flow, !ranOut.flows.contains(flow) { ranOut.flows.append(flow) }
  }
}
