extension TimerQueue {
  /// Walks the whole queue and stops the program where its structure contradicts itself. For tests.
  /// - Complexity: O(n).
  package func checkInvariants() {
    var seen = 0
    for index in 0..<heap.count {
      let entry = heap.entries[index]
      let node = nodes[Int(entry.node)]
      precondition(node.position == UInt32(index) | Node.inHeap, "a heap member does not know its place")
      precondition(node.deadline == entry.deadline && node.sequence == entry.sequence, "a heap key differs from its node")
      precondition(node.deadline <= horizon, "a deadline after the horizon is in the heap")
      precondition(index == 0 || !entry.precedes(heap.entries[(index - 1) >> 2]), "a child precedes its parent")
      seen += 1
    }
    for slot in 0..<Wheel.slots {
      let level = wheel.level(of: slot)
      let isOccupied = wheel.occupied[level] & 1 << UInt64(slot & 63) != 0
      precondition(isOccupied == (wheel.heads[slot] != TimerQueue.nobody), "a slot's bit contradicts its list")
      precondition(!isOccupied || wheel.occupiedLevels & 1 << UInt32(level) != 0, "a level's bit contradicts its slots")
      var index = wheel.heads[slot]
      var previous = TimerQueue.nobody
      while index != TimerQueue.nobody {
        let node = nodes[Int(index)]
        precondition(node.position == UInt32(slot) && node.previous == previous, "a list is broken")
        precondition(node.deadline > horizon, "a deadline up to the horizon is in the wheel")
        precondition(UInt64(node.deadline) >= wheel.firstInstant(of: slot) && node.deadline <= wheel.lastInstant(of: slot), "wrong slot")
        (previous, index) = (index, node.next)
        seen += 1
      }
    }
    precondition(seen == count, "\(seen) deadlines found, \(count) counted")
    precondition(heap.count > 0 || count == 0, "the heap is empty and the wheel is not")
  }
}
