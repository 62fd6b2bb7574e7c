/// A function that must not escape, lent to a captured body that may never come to its end.
///
/// Such a body is given up, and does not go on. But it still refers to the function, and Swift
/// stops the process where a function that is not to escape has. So its references are taken
/// from it.
package final class Loan: @unchecked Sendable {
  /// What a test is to its trait.
  package typealias Function = @Sendable () async throws -> Void

  /// As it lies in memory: passed by itself to a generic function it would be wrapped up.
  private struct Held {
    let function: Function
    var context: UnsafeRawPointer {
      unsafeBitCast(self, to: (UnsafeRawPointer, UnsafeRawPointer).self).1
    }
  }

  private var held: Held?
  private let context: UnsafeRawPointer
  private var isUnderWay = false

  /// Calls `body` with a loan of `function`, which nobody has any more when this returns.
  /// - Precondition: What calls the loan has returned when `body` has, or is a captured body that
  ///   was given up.
  package static func of<Result>(_ function: Function, _ body: (Loan) async throws -> Result)
    async rethrows -> Result
  {
    try await withoutActuallyEscaping(function) { function in
      let loan = Loan(function)
      defer { loan.takeBack() }
      return try await body(loan)
    }
  }

  private init(_ function: @escaping Function) {
    context = Held(function: function).context
    held = Held(function: function)
  }

  /// Calls the function.
  package func callAsFunction() async throws {
    isUnderWay = true
    defer { isUnderWay = false }
    try await held!.function()
  }

  private func takeBack() {
    held = nil
    guard isUnderWay else { return }
    // One is the caller's, and the one that Swift looks for.
    while retainCount(context) > 1 { Unmanaged<AnyObject>.fromOpaque(context).release() }
  }
}

@_silgen_name("swift_retainCount") private func retainCount(_ object: UnsafeRawPointer) -> UInt
