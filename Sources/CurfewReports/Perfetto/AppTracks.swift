import CurfewEngine
import CurfewTrace

/// A slice of an app's tracks.
enum AppSlice: Hashable, Sendable {
  case span(LifeSpan.Subject)
  /// A callback, by its number, because several callbacks may be in progress.
  case call(Int)
}

/// An app's group of tracks, and the state that later lines need.
struct AppTracks: Sendable {
  var lanes: PerfettoLanes<AppSlice>
  /// The callbacks that have not returned, the oldest first.
  var calls: [(moment: AppCall, number: Int)] = []
  var callCount = 0
  /// The admitted wakes that have not begun, with the flows from their decisions.
  var admitted: [WakeID: UInt64] = [:]
  /// The session that was admitted last, with its step and the flow from its decision.
  var allowed: (kind: KindNumber, step: Int, flow: UInt64)?
  /// The flows of slices that were warned, or overran, and ended in this step. They are the causes
  /// if the process ends.
  var ranOut: (step: Int, flows: [UInt64]) = (0, [])

  init(_ name: String, into packets: inout PerfettoPackets) {
    lanes = PerfettoLanes(under: packets.addTrack(name, .group))
  }

  /// The flows of slices that ran out in this step.
  func causes(in step: Int) -> [UInt64] { ranOut.step == step ? ranOut.flows : [] }

  /// Records that a slice ran out in this step. If the process ends for that reason, the slice's
  /// flow leads to the end.
  mutating func note(ranOut flow: UInt64?, in step: Int) {
    if ranOut.step != step { ranOut = (step, []) }
    if let flow, !ranOut.flows.contains(flow) { ranOut.flows.append(flow) }
  }
}
