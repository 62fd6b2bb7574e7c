import TestRuns
import Testing

@Suite(.inTurn) struct CacheBoundsTests {
  @Test
  func
    `a cyclic sequence one longer than the cache misses always, and not where the future is known`()
  {
    let uses = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    #expect(CacheBounds.leastRecentlyUsedMisses(uses, places: 2) == 9)
    // 0 and 1 are fetched. Then 2 replaces 1, 1 replaces 0, 0 replaces 2, and 2 replaces 1. Each
    // replaced entry is the one whose next use is latest.
    #expect(CacheBounds.clairvoyantMisses(uses, places: 2) == 6)
  }

  @Test func `a cache with a place for each entry misses each once`() {
    let uses = [4, 4, 1, 4, 2, 1, 1, 4]
    #expect(CacheBounds.leastRecentlyUsedMisses(uses, places: 3) == 3)
    #expect(CacheBounds.clairvoyantMisses(uses, places: 3) == 3)
    #expect(
      CacheBounds.leastRecentlyUsedMisses([], places: 1) == 0
        && CacheBounds.clairvoyantMisses([], places: 1) == 0)
  }
}
