// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A module with types of everyday names, like a program's own. Files that import it beside Curfew
// mean these types.

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
