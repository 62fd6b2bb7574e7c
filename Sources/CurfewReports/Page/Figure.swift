/// What every chart is put into: a heading, a sentence, the drawing, what qualifies it, and the
/// table of its data behind it.
struct Figure {
  let title: String
  /// What is to be seen: the text alternative, which everybody may read.
  let text: String
  var notes: [String] = []
  let table: Table?

  /// - Parameter draw: Is given what to call the heading and the sentence by.
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

/// The colours of series: six that people who are colour-blind tell apart, then the same again with
/// another dash and another shape.
enum SeriesLook {
  static func name(_ place: Int) -> String { "c\(place % 6)" }

  /// How its line is dashed, so that colour is not all that tells lines apart.
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

  /// The shapes and lines of several series with their names.
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
