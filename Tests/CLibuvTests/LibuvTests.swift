import CLibuv
import CurfewSystem
import TestRuns
import Testing

@Suite(.inTurn) struct LibuvTests {
  @Test func `libuv is installed and says which version it is`() throws {
    let version = try #require(uv_version_string().map { String(cString: $0) })
    #expect(version.hasPrefix("1."))
  }

  #if os(Linux)
    @Test func `a monotonic timerfd can be made`() throws {
      let timer = try TimerDescriptor(on: .monotonic)
      #expect(timer.descriptor >= 0)
    }
  #endif
}
