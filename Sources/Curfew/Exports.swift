// `import Curfew` alone is enough: states, kinds and reasons are the engine's, policies and manifests those of the files.
@_exported public import CurfewEngine
@_exported public import CurfewFiles
