/// Merges items of a lane that are shorter than `grain` with their neighbours, and counts them.
struct LaneMerging {
  /// A piece that is drawn, and the number of items that it stands for.
  struct Piece<Key: Equatable> {
    var key: Key
    var start: Double
    var end: Double
    var count: Int
    /// The index of its first item.
    let first: Int
  }

  let grain: Double

  /// The pieces of a lane's states. `isDrawn` says which states are visible. A state with a smaller
  /// number is livelier.
  ///
  /// A short span next to a long, livelier span becomes part of that span. Drawing short spans
  /// separately was rejected: the short time for which every leaving app is inactive then covered
  /// the end of each visit.
  func states(_ spans: [LaneChart.Span], isDrawn: (Int) -> Bool) -> [Piece<Int>] {
    var pieces: [Piece<Int>] = []
    var pile: Piece<Int>?
    func settle(before next: Int?) {
      guard let short = pile else { return }
      pile = nil
      if let last = pieces.last, last.end == short.start, last.end - last.start >= grain,
        last.key <= short.key
      {
        pieces[pieces.count - 1].count += short.count
        pieces[pieces.count - 1].end = next == nil || next == short.key ? short.end : last.end
      } else {
        pieces.append(short)
      }
    }
    for (place, span) in spans.enumerated() where isDrawn(span.state) {
      guard span.end - span.start < grain else {
        var piece = Piece(key: span.state, start: span.start, end: span.end, count: 1, first: place)
        if let short = pile, short.end == span.start, span.state <= short.key {
          (piece.count, pile) = (piece.count + short.count, nil)
        }
        settle(before: span.state)
        pieces.append(piece)
        continue
      }
      if let short = pile, span.end - short.start <= grain {
        pile = Piece(
          key: min(short.key, span.state), start: short.start, end: span.end,
          count: short.count + 1, first: short.first)
      } else {
        settle(before: span.state)
        pile = Piece(key: span.state, start: span.start, end: span.end, count: 1, first: place)
      }
    }
    settle(before: nil)
    return pieces
  }

  /// The pieces of bars or signs, which are in order within each kind.
  func items<Key: Hashable>(_ items: [(key: Key, start: Double, end: Double)]) -> [Piece<Key>] {
    var pieces: [Piece<Key>] = []
    var piles: [Key: Int] = [:]
    for (place, item) in items.enumerated() {
      let isShort = item.end - item.start < grain
      if isShort, let pile = piles[item.key], item.end - pieces[pile].start <= grain {
        pieces[pile].end = max(pieces[pile].end, item.end)
        pieces[pile].count += 1
      } else {
        if isShort { piles[item.key] = pieces.count }
        pieces.append(
          Piece(key: item.key, start: item.start, end: item.end, count: 1, first: place))
      }
    }
    return pieces
  }
}
