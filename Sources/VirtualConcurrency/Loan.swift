/// A loan of a non-escaping function to a captured body that may never end.
///
/// Such a body is abandoned, and does not continue. But it still refers to the function,
/// and Swift stops the process if a non-escaping function has escaped. So the loan releases
/// the body's references.
package final class Loan: @unchecked Sendable {
  /// The type of a test's function in its trait.
  package typealias Function = @Sendable () async throws -> Void

  /// The function as it is stored. If it were passed directly to a generic function, it would
  /// be wrapped.
  private struct Held {
    let function: Function
    var context: UnsafeRawPointer {
      unsafeBitCast(self, to: (UnsafeRawPointer, UnsafeRawPointer).self).1
    }
  }

  private var held: Held?
  private let context: UnsafeRawPointer
  private var isUnderWay = false

  /// Calls `body` with a loan of `function`. When this call returns, no reference to `function`
  /// is left.
  /// - Precondition: When `body` returns, each caller of the loan has returned too, or is a
  ///   captured body that was abandoned.
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
    // The caller owns one reference, and Swift checks for it.
    while retainCount(context) > 1 { Unmanaged<AnyObject>.fromOpaque(context).release() }
  }
}

@_silgen_name("swift_retainCount") private func retainCount(_ object: UnsafeRawPointer) -> UInt
