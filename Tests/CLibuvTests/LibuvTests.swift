import CLibuv
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct LibuvTests {
  @Test func `libuv is installed and says which version it is`() throws {
    let version = try #require(uv_version_string().map { String(cString: $0) })
    #expect(version.hasPrefix("1."))
  }

  #if os(Linux)
    @Test func `a monotonic timerfd can be made`() {
      let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
      #expect(descriptor >= 0)
      close(descriptor)
    }
  #endif
}
