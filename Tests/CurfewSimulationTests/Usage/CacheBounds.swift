/// Bounds for a cache of a given size on a sequence of uses, for comparison with an experiment with
/// real memory.
enum CacheBounds {
  /// The number of misses if the least recently used entry is evicted.
  ///
  /// - Complexity: O(uses × places).
  static func leastRecentlyUsedMisses(_ uses: [Int], places: Int) -> Int {
    precondition(places > 0, "A cache of \(places) places keeps nothing")
    // The most recently used entry is the last.
    var cache: [Int] = []
    var misses = 0
    for use in uses {
      if let place = cache.firstIndex(of: use) {
        cache.remove(at: place)
      } else {
        misses += 1
        if cache.count == places { cache.removeFirst() }
      }
      cache.append(use)
    }
    return misses
  }

  /// The number of misses if the future is known and the entry whose next use is latest is evicted
  /// (Belady 1966). No other choice has fewer misses.
  ///
  /// - Complexity: O(uses × places).
  static func clairvoyantMisses(_ uses: [Int], places: Int) -> Int {
    precondition(places > 0, "A cache of \(places) places keeps nothing")
    // The next use of the same entry, for each use.
    var again = [Int](repeating: uses.count, count: uses.count)
    var next: [Int: Int] = [:]
    for (place, use) in uses.enumerated().reversed() {
      again[place] = next[use] ?? uses.count
      next[use] = place
    }
    var cache: [(thing: Int, again: Int)] = []
    var misses = 0
    for (place, use) in uses.enumerated() {
      if let kept = cache.firstIndex(where: { $0.thing == use }) {
        cache[kept].again = again[place]
        continue
      }
      misses += 1
      if cache.count == places,
        let last = cache.indices.max(by: { cache[$0].again < cache[$1].again })
      {
        cache.remove(at: last)
      }
      cache.append((use, again[place]))
    }
    return misses
  }
}
