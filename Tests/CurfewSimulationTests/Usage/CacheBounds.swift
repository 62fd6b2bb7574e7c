/// How well a cache of so many places can do on a sequence of uses: what an experiment with real
/// memory is compared with.
enum CacheBounds {
  /// How many uses find their thing absent where the least recently used one makes room.
  ///
  /// - Complexity: O(uses × places).
  static func leastRecentlyUsedMisses(_ uses: [Int], places: Int) -> Int {
    precondition(places > 0, "A cache of \(places) places keeps nothing")
    // The most recently used one is the last.
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

  /// How many uses find their thing absent where whoever makes room knows the future, and lets go
  /// what is used again last (Belady 1966): no other choice misses fewer.
  ///
  /// - Complexity: O(uses × places).
  static func clairvoyantMisses(_ uses: [Int], places: Int) -> Int {
    precondition(places > 0, "A cache of \(places) places keeps nothing")
    // For each use when its thing is used again.
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
