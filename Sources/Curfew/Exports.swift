// `import Curfew` alone is enough: and of files, manifests, policies and traces only what a user of it names comes along.

// States, kinds and reasons, and time: the whole of the engine, because operators are looked up by module, and without those of `Instant` a sum in a test would be one of `Duration`.
@_exported public import CurfewEngine

// Manifests.
@_exported public import struct CurfewManifest.AppManifest
@_exported public import struct CurfewManifest.InfoPlist
// Policies, and why.
@_exported public import struct CurfewPolicy.AdmissionAnswer
@_exported public import enum CurfewPolicy.AdmissionChange
@_exported public import struct CurfewPolicy.AdmissionQuestion
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
@_exported public import enum CurfewTrace.Replay
@_exported public import struct CurfewTrace.TerminatedProcess
@_exported public import struct CurfewTrace.Trace
@_exported public import struct CurfewTrace.TraceHeader
@_exported public import struct CurfewTrace.TraceLine
@_exported public import enum CurfewTrace.Verb
@_exported public import struct CurfewTrace.Why
