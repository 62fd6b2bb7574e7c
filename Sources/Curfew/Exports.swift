// `import Curfew` alone is enough: states, kinds and reasons are the engine's, policies and manifests those of the files.
@_exported public import CurfewEngine
@_exported public import CurfewManifest
@_exported public import CurfewPolicy
@_exported public import CurfewText
@_exported public import CurfewTrace
