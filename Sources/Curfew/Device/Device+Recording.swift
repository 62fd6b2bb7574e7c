public import CurfewFiles
internal import CurfewEngine

extension Device {
  public func startRecording() { core.withState { $0.recording = Recording() } }
  public func recordedTrace(name: String, seed: UInt64 = 0) -> Trace { fatalError() }
}
