/// Where sets and small numbers are packed into bits: that they fit is looked at when an engine is made, and again by a test.
enum BitBudgets {
  static func check() {
    precondition(AppReasons.fits, "A reason does not fit the four bits that an app keeps of it")
    precondition(DenialReasons.all.count <= UInt32.bitWidth, "\(DenialReasons.all.count) denial reasons in 32 bits")
    precondition(AssertionKind.allCases.enumerated().allSatisfy { $0 == $1.rawValue }, "A kind's number is not its row's")
  }
}
