/// The name that somebody probably meant.
package enum NearestName {
  /// Names are shorter; and the comparison costs the product of both lengths.
  private static let longest = 64

  /// The one of `names` that is closest to `name`, if one is close: a third of its letters changed at most. The first among equals.
  package static func to(_ name: String, among names: [String]) -> String? {
    guard name.count <= longest else { return nil }
    let wanted = Array(name.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in names where candidate.count <= longest {
      let distance = distance(wanted, Array(candidate.lowercased()))
      guard distance <= max(1, max(wanted.count, candidate.count) / 3), distance < best?.distance ?? .max else { continue }
      best = (candidate, distance)
    }
    return best?.name
  }

  /// `; did you mean 'x'?` where a name is near, else `; ` and what is allowed.
  package static func hint(for name: String, among names: [String], _ allowed: String) -> String {
    if let near = to(name, among: names) { return "; did you mean '\(near)'?" }
    return names.isEmpty ? "" : "; \(allowed): \(names.joined(separator: ", "))"
  }

  /// Letters to insert, drop, replace or swap with their neighbour to make `a` into `b`.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
