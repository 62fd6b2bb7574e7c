/// The frame of every chart: a heading, a sentence, the drawing, notes, and a collapsed table
/// of its data.
struct PageFigure {
  let title: String
  /// The sentence below the heading, which is also the text alternative of the drawing.
  let text: String
  var notes: [String] = []
  let table: Table?

  /// - Parameter draw: Draws the chart. It receives the identifiers of the heading and of
  ///   the sentence.
  func write(
    _ page: inout Markup,
    _ draw: (_ page: inout Markup, _ name: String, _ description: String) -> Void
  ) {
    let (name, description) = (page.identifier(), page.identifier())
    page.element("figure") { figure in
      figure.element("figcaption") { caption in
        caption.element("h3", ["id": name], text: title)
        caption.element("p", ["id": description], text: text)
      }
      draw(&figure, name, description)
      for note in notes where !note.isEmpty { figure.element("p", ["class": "note"], text: note) }
      table?.writeFolded(&figure)
    }
  }
}

/// The appearance of each series: six colours that colour-blind people can distinguish, six dashes
/// and four shapes.
enum SeriesLook {
  static func name(_ place: Int) -> String { "c\(place % 6)" }

  /// The dashes of a series' line, so that lines differ by more than their colour.
  static func dashes(_ place: Int) -> String? {
    [nil, "7 3", "2 3", "9 3 2 3", "12 4", "4 2"][place % 6]
  }

  /// The mark of a series, around 0, 0.
  static func shape(_ place: Int) -> String {
    switch place % 4 {
    case 0: "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0Z"
    case 1: "M-4,-4H4V4H-4Z"
    case 2: "M0,-5.2L5,4H-5Z"
    default: "M0,-5.5L5.5,0L0,5.5L-5.5,0Z"
    }
  }

  /// Writes the shapes and lines of several series with their names.
  static func writeLegend(
    _ names: [String], _ page: inout Markup, hasLines: Bool, class name: String = "legend"
  ) {
    page.element("ul", ["class": name]) { list in
      for (place, label) in names.enumerated() {
        list.element("li") { item in
          item.element(
            "svg",
            ["width": "30", "height": "14", "aria-hidden": "true", "class": SeriesLook.name(place)]
          ) { drawing in
            if hasLines {
              drawing.empty(
                "line",
                [
                  "class": "curve", "x1": "0", "x2": "30", "y1": "7", "y2": "7",
                  "stroke-dasharray": dashes(place),
                ])
            }
            drawing.empty(
              "path", ["class": "point", "d": shape(place), "transform": "translate(15 7)"])
          }
          item.element("bdi", text: label)
        }
      }
    }
  }
}
