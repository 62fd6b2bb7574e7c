import Foundation
import Testing

/// Accepts connections on a port of this machine. It answers only the first, after `answerOnce`.
struct SilentServer {
  let socket: Int32
  let port: UInt16

  init() throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    socket = Foundation.socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let error = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) | listen(socket, 4) | getsockname(socket, $0, &length)
      }
    }
    try #require(error == 0)
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Answers the first request, on a new thread, so many seconds after the request.
  func answerOnce(after seconds: Double = 0) {
    let socket = socket
    Thread.detachNewThread {
      let connection = accept(socket, nil, nil)
      var request = [UInt8](repeating: 0, count: 4096)
      _ = read(connection, &request, request.count)
      usleep(UInt32(seconds * 1e6))
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
      _ = write(connection, answer, answer.count)
      _ = Foundation.close(connection)
    }
  }

  func close() { _ = Foundation.close(socket) }
}
