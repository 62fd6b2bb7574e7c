/// The instructions that a fixed amount of work takes.
package struct InstructionCount: Hashable, Sendable {
  /// A function and its own instructions.
  package struct FunctionCost: Hashable, Sendable {
    package var name: String
    package var instructions: Int64

    package init(name: String, instructions: Int64) {
      (self.name, self.instructions) = (name, instructions)
    }
  }

  /// The work, such as `cycle-10000`.
  package var name: String
  package var instructions: Int64
  /// The functions, most instructions first.
  package var functions: [FunctionCost]

  package init(name: String, instructions: Int64, functions: [FunctionCost]) {
    (self.name, self.instructions, self.functions) = (name, instructions, functions)
  }

  /// The count of a work from its profile, with names of functions for people. Specializations of
  /// one function have one name, and their instructions are added.
  package init(name: String, _ profile: CallgrindProfile) {
    var costs: [String: Int64] = [:]
    for (symbol, cost) in profile.functions {
      costs[SwiftSymbol.name(of: symbol), default: 0] += cost
    }
    self.init(
      name: name, instructions: profile.total,
      functions: costs.map { FunctionCost(name: $0, instructions: $1) }.sorted {
        ($1.instructions, $0.name) < ($0.instructions, $1.name)
      })
  }
}

/// The compiler and the processor architecture on which counts depend.
package struct CountBuild: Hashable, Sendable, CustomStringConvertible {
  /// The first line of `swift --version`.
  package var compiler: String
  package var architecture: String

  package init(compiler: String, architecture: String) {
    (self.compiler, self.architecture) = (compiler, architecture)
  }

  /// Reads the output of `swift --version`: the version, and `Target: x86_64-unknown-linux-gnu`.
  package init?(versionText text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
    let mark = "Target: "
    guard let compiler = lines.first(where: { $0.contains("Swift version") }),
      let target = lines.first(where: { $0.hasPrefix(mark) })
    else { return nil }
    self.init(
      compiler: String(compiler),
      architecture: String(target.dropFirst(mark.count).prefix { $0 != "-" }))
  }

  package var description: String { "\(compiler) on \(architecture)" }
}
