// `import Curfew` is enough: it also exports the names of the modules for files, manifests,
// policies and traces that its users need, and no others.

@_exported public import enum CurfewEngine.AppCall
// States, kinds, reasons and time. Names that only drive the engine (`Event`, `Action`, `Engine`,
// `TaskID` …) are left out: many programs have types of those names.
@_exported public import enum CurfewEngine.AppState
@_exported public import struct CurfewEngine.BackgroundModes
@_exported public import enum CurfewEngine.BackgroundRefreshStatus
@_exported public import enum CurfewEngine.Callback
@_exported public import enum CurfewEngine.CrashReason
@_exported public import struct CurfewEngine.Denials
@_exported public import struct CurfewEngine.DeviceFacts
@_exported public import enum CurfewEngine.Diagnostic
@_exported public import enum CurfewEngine.ExitDetail
@_exported public import enum CurfewEngine.ExpirationReason
@_exported public import enum CurfewEngine.IllegalEventReason
@_exported public import struct CurfewEngine.Instant
@_exported public import struct CurfewEngine.Interval
@_exported public import struct CurfewEngine.KindName
@_exported public import enum CurfewEngine.LocalNotificationFate
@_exported public import enum CurfewEngine.RequestChange
@_exported public import enum CurfewEngine.SessionChange
@_exported public import enum CurfewEngine.SpawnError
@_exported public import enum CurfewEngine.TaskRequestError
@_exported public import struct CurfewEngine.TerminationCode
@_exported public import enum CurfewEngine.TerminationReason
@_exported public import enum CurfewEngine.ThermalState
@_exported public import struct CurfewEngine.WakeID
@_exported public import enum CurfewEngine.WakeResult
// Manifests.
@_exported public import struct CurfewManifest.InfoPlist
// Policies and their explanations.
@_exported public import struct CurfewPolicy.AdmissionAnswer
@_exported public import enum CurfewPolicy.AdmissionChange
@_exported public import struct CurfewPolicy.AdmissionQuestion
@_exported public import struct CurfewPolicy.AppManifest
@_exported public import struct CurfewPolicy.Explanation
@_exported public import struct CurfewPolicy.PolicyEntry
@_exported public import struct CurfewPolicy.PolicyFile
// Files and their diagnostics.
@_exported public import struct CurfewText.FileDiagnostic
@_exported public import struct CurfewText.FileErrors
@_exported public import struct CurfewText.SourceFile
@_exported public import struct CurfewText.SourcePlace
// Traces.
@_exported public import enum CurfewTrace.CallbackNames
@_exported public import struct CurfewTrace.DeviceChange
@_exported public import struct CurfewTrace.EngineInput
@_exported public import struct CurfewTrace.HostClocks
@_exported public import enum CurfewTrace.InputVerb
@_exported public import class CurfewTrace.MemorySink
@_exported public import struct CurfewTrace.RecordedProcessEnd
@_exported public import struct CurfewTrace.Standstill
public import struct CurfewTrace.Trace
@_exported public import struct CurfewTrace.TraceHeader
@_exported public import struct CurfewTrace.TraceLine
@_exported public import protocol CurfewTrace.TraceSink

extension Device {
  /// The result of `recordedTrace(name:seed:)`: `Trace` of the module `CurfewTrace`, under a name
  /// that no other module can hide.
  public typealias Trace = CurfewTrace.Trace
}

// Operators are looked up by module, and the export of a type does not export its operators.
// Without these operators, a test that adds to an instant would use the operators of `Duration`.
// They are in a protocol extension so that they rank below the engine's own operators if
// `CurfewEngine` is imported too. With `@_disfavoredOverload` they would rank below the operators
// of `Duration`.
extension Comparable where Self == Instant {
  /// `start` moved by `interval`; saturates at both ends instead of wrapping.
  public static func + (start: Self, interval: Interval) -> Instant { start.moved(by: interval) }

  /// `end` moved back by `interval`; saturates.
  public static func - (end: Self, interval: Interval) -> Instant { end.moved(backBy: interval) }

  /// The time from `start` to `end`; saturates.
  public static func - (end: Self, start: Instant) -> Interval { end.interval(since: start) }
}
