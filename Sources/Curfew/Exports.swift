// `import Curfew` alone is enough: and of files, manifests, policies and traces only what a user
// of it names comes along.

// States, kinds and reasons, and time. What the engine alone is driven with (`Event`, `Action`,
// `Engine`, `TaskID` …) is not among them: many a program has types of those names.
@_exported public import enum CurfewEngine.AppState
@_exported public import struct CurfewEngine.BackgroundModes
@_exported public import enum CurfewEngine.BackgroundRefreshStatus
@_exported public import enum CurfewEngine.Callback
@_exported public import enum CurfewEngine.CrashReason
@_exported public import struct CurfewEngine.Denials
@_exported public import struct CurfewEngine.DeviceFacts
@_exported public import enum CurfewEngine.Diagnostic
@_exported public import enum CurfewEngine.ExpirationReason
@_exported public import struct CurfewEngine.Instant
@_exported public import struct CurfewEngine.Interval
@_exported public import struct CurfewEngine.KindName
@_exported public import enum CurfewEngine.LocalNotificationFate
@_exported public import enum CurfewEngine.Moment
@_exported public import enum CurfewEngine.Objection
@_exported public import enum CurfewEngine.RequestChange
@_exported public import enum CurfewEngine.SessionChange
@_exported public import enum CurfewEngine.TaskRequestError
@_exported public import struct CurfewEngine.TerminationCode
@_exported public import enum CurfewEngine.TerminationReason
@_exported public import enum CurfewEngine.ThermalState
@_exported public import struct CurfewEngine.WakeID
@_exported public import enum CurfewEngine.WakeResult
// Manifests.
@_exported public import struct CurfewManifest.InfoPlist
// Policies, and why.
@_exported public import struct CurfewPolicy.AdmissionAnswer
@_exported public import enum CurfewPolicy.AdmissionChange
@_exported public import struct CurfewPolicy.AdmissionQuestion
@_exported public import struct CurfewPolicy.AppManifest
@_exported public import struct CurfewPolicy.Explanation
@_exported public import struct CurfewPolicy.PolicyEntry
@_exported public import struct CurfewPolicy.PolicyFile
// Files, and what is wrong with them.
@_exported public import struct CurfewText.FileDiagnostic
@_exported public import struct CurfewText.FileErrors
@_exported public import struct CurfewText.SourceFile
@_exported public import struct CurfewText.SourcePlace
// Traces.
@_exported public import enum CurfewTrace.CallbackNames
@_exported public import struct CurfewTrace.Deed
@_exported public import struct CurfewTrace.DeviceChange
@_exported public import struct CurfewTrace.Standstill
@_exported public import struct CurfewTrace.TerminatedProcess
public import struct CurfewTrace.Trace
@_exported public import struct CurfewTrace.TraceHeader
@_exported public import struct CurfewTrace.TraceLine
@_exported public import enum CurfewTrace.Verb

extension Device {
  /// What `recordedTrace(name:seed:)` gives; `Trace` of the module `CurfewTrace`, under a name that
  /// no other module's hides.
  public typealias Trace = CurfewTrace.Trace
}

// Operators are looked up by module, and those of a type that is exported by its name stay
// behind: without these a sum of instants in a test would be one of `Duration`. In a protocol's
// extension they stand back where `CurfewEngine` is imported too, with the engine's own; as
// `@_disfavoredOverload`s they would stand back for those of `Duration`.
extension Comparable where Self == Instant {
  /// `start` moved by `interval`; saturates at both ends instead of wrapping.
  public static func + (start: Self, interval: Interval) -> Instant { start.moved(by: interval) }

  /// `end` moved back by `interval`; saturates.
  public static func - (end: Self, interval: Interval) -> Instant { end.moved(backBy: interval) }

  /// The time from `start` to `end`; saturates.
  public static func - (end: Self, start: Instant) -> Interval { end.interval(since: start) }
}
