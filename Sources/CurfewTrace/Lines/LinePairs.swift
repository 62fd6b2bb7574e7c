import CurfewEngine
package import CurfewText

extension TraceLine {
  /// The keys and values of the line after its time, app and type, as in files and in their order.
  /// An event's `do` is not included.
  ///
  /// Callbacks have UIKit's names.
  package var pairs: [(key: String, value: Plain)] {
    if case .event(let deed) = body {
      return (deed.verb.row.values + deed.verb.row.traced).compactMap { value in
        value.write(deed).map { (value.name, $0) }
      }
    }
    var values = LineValues()
    return LineType.of(body, &values)?.values.compactMap { value in
      value.write(values).map { (value.name, $0) }
    } ?? []
  }

  /// The `type` in files.
  package var typeName: String {
    var values = LineValues()
    return LineType.of(body, &values)?.name ?? "event"
  }
}
