import Foundation
import Testing

@testable import CurfewReports

struct PageTests {
  @Test func `the gallery is written`() throws {
    let html = Gallery.page.html()
    if let folder = ProcessInfo.processInfo.environment["CURFEW_PAGES"] {
      try html.write(toFile: folder + "/gallery.html", atomically: true, encoding: .utf8)
    }
    #expect(html == Gallery.page.html())
  }
}
