/// Numbers of things as a person reads them: `12,345 lines`, `1 event`.
package enum HumanCount {
  package static func text(_ count: Int, _ thing: String) -> String { "\(text(count)) \(thing)\(count == 1 ? "" : "s")" }

  package static func text(_ count: Int) -> String {
    var groups = String(count)
    var end = groups.endIndex
    while let start = groups.index(end, offsetBy: -3, limitedBy: groups.startIndex), start > groups.startIndex {
      groups.insert(",", at: start)
      end = start
    }
    return groups
  }
}
