extension TimerQueue {
  /// Walks the whole queue and traps if an invariant is broken. For tests.
  /// - Complexity: O(n).
  package func checkInvariants() {
    var seen = 0
    precondition(heap.isRun || heap.start == 0, "a heap does not begin at its first entry")
    for index in heap.start..<heap.start + heap.count {
      let entry = heap.entries[index]
      precondition(
        places[entry.id].isInHeap && places[entry.id].index == index,
        "the table of places does not follow the heap")
      precondition(entry.deadline <= horizon, "a deadline after the horizon is in the heap")
      precondition(
        index == heap.start
          || !entry.precedes(heap.entries[heap.isRun ? index - 1 : (index - 1) >> 2]),
        "an entry precedes the one before it, or its parent")
      seen += 1
    }
    wheel.checkInvariants { entry, index in
      let place = places[entry.id]
      precondition(
        !place.isInHeap && !place.isFree && place.index == index,
        "the table of places does not follow the wheel")
      precondition(entry.deadline > horizon, "a deadline up to the horizon is in the wheel")
      seen += 1
    }
    precondition(seen == count, "\(seen) deadlines found, \(count) counted")
    precondition(heap.count > 0 || count == 0, "the heap is empty and the wheel is not")
  }
}
