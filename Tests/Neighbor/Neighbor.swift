// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A module whose types have everyday names, as a program's own types do. In files that import it
// beside Curfew, these names refer to this module's types.

public struct Event: Equatable { public init() {} }
public struct Trace: Equatable { public init() {} }
public struct TaskID: Equatable { public init() {} }
public struct Action: Equatable { public init() {} }
public struct Engine: Equatable { public init() {} }
public struct Driver: Equatable { public init() {} }
public struct Policy: Equatable { public init() {} }
public struct Manifest: Equatable { public init() {} }
public struct Budget: Equatable { public init() {} }
public struct Post: Equatable { public init() {} }
public struct Answer: Equatable { public init() {} }
public struct TimerQueue: Equatable { public init() {} }
