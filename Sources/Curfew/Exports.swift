// `import Curfew` alone is enough: what a user of it names, and nothing else of the rooms behind it.

// States, kinds and reasons.
@_exported public import struct CurfewEngine.AppID
@_exported public import enum CurfewEngine.AppState
@_exported public import enum CurfewEngine.AssertionKind
@_exported public import struct CurfewEngine.BackgroundModes
@_exported public import enum CurfewEngine.BackgroundRefreshStatus
@_exported public import enum CurfewEngine.Callback
@_exported public import enum CurfewEngine.CrashReason
@_exported public import struct CurfewEngine.DenialReasons
@_exported public import struct CurfewEngine.DeviceFacts
@_exported public import enum CurfewEngine.Diagnostic
@_exported public import enum CurfewEngine.ExpirationReason
@_exported public import struct CurfewEngine.Instant
@_exported public import struct CurfewEngine.Interval
@_exported public import enum CurfewEngine.LocalNotificationFate
@_exported public import enum CurfewEngine.Moment
@_exported public import enum CurfewEngine.RequestChange
@_exported public import enum CurfewEngine.SessionChange
@_exported public import struct CurfewEngine.TaskID
@_exported public import enum CurfewEngine.TaskRequestError
@_exported public import struct CurfewEngine.TerminationCode
@_exported public import enum CurfewEngine.TerminationReason
@_exported public import enum CurfewEngine.ThermalState
@_exported public import enum CurfewEngine.WakeResult
// Manifests.
@_exported public import struct CurfewManifest.AppManifest
@_exported public import struct CurfewManifest.InfoPlist
// Policies, and why.
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
@_exported public import struct CurfewTrace.Replay
@_exported public import struct CurfewTrace.TerminatedProcess
@_exported public import struct CurfewTrace.Trace
@_exported public import struct CurfewTrace.TraceHeader
@_exported public import struct CurfewTrace.TraceLine
@_exported public import enum CurfewTrace.Verb
