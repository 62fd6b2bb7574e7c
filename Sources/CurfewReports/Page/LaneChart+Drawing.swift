import CurfewText

/// The drawing of the lanes. Horizontal places are shares of the width, so the same drawing fits
/// screens of any width.
extension LaneChart {
  /// The pieces of a lane that are drawn.
  private struct Pieces {
    let lane: Lane
    let states: [LaneMerging.Piece<Int>]
    let bars: [LaneMerging.Piece<Int>]
    let signs: [LaneMerging.Piece<Int>]

    init(_ lane: Lane, _ chart: LaneChart, grain: Double) {
      let merging = LaneMerging(grain: grain)
      self.lane = lane
      states = merging.states(lane.spans) { chart.states[$0].look != .none }
      bars = merging.items(lane.bars.map { (key: $0.track, start: $0.start, end: $0.end) })
      signs = merging.items(lane.marks.map { (key: $0.sign, start: $0.time, end: $0.time) })
    }

    var drawn: Int { states.count + bars.count + signs.count }
    var told: Int { (states + bars + signs).reduce(0) { $0 + $1.count } }
  }

  func write(_ page: inout Markup) {
    let whole = duration.isFinite && duration > 0 ? duration : 1
    let axis = Scale(LaneChart.time, [0, whole], isTight: true)
    let shown = lanes.prefix(LaneChart.mostLanes)
    // The grain is as fine as a wide screen can show. It doubles while there are too many marks.
    var grain = whole / 1_000
    var pieces = shown.map { Pieces($0, self, grain: grain) }
    while pieces.reduce(0, { $0 + $1.drawn }) > LaneChart.mostMarks, grain < whole {
      grain *= 2
      pieces = shown.map { Pieces($0, self, grain: grain) }
    }
    let (drawn, told) = (pieces.reduce(0) { $0 + $1.drawn }, pieces.reduce(0) { $0 + $1.told })
    let merged =
      drawn < told
      ? "Items shorter than \(LaneChart.time.text(grain)) are drawn that long, or merged into their neighbours: "
        + "\(HumanCount.text(told)) spans, bars and signs are drawn as \(HumanCount.text(drawn)) here, each with its count."
      : ""
    let left =
      shown.count < lanes.count
      ? "\(HumanCount.text(shown.count)) of \(HumanCount.text(lanes.count, "lane")) are drawn." : ""
    PageFigure(title: title, text: text, notes: [left, merged] + notes, table: table).write(&page) {
      page, name, description in
      writeLegend(&page)
      page.element(
        "div",
        [
          "class": "lanes", "role": "group", "aria-labelledby": name,
          "aria-describedby": description, "data-lanes": "\(lanes.count)",
        ]
      ) { group in
        writeAxis(axis, "axis first", &group)
        for piece in pieces { write(piece, axis, whole, grain, &group) }
        if shown.count > 8 { writeAxis(axis, "axis", &group) }
      }
    }
  }

  private func write(
    _ pieces: Pieces, _ axis: Scale, _ whole: Double, _ grain: Double, _ group: inout Markup
  ) {
    let lane = pieces.lane
    let row = { (row: inout Markup) in
      row.element("span", ["class": "name"]) { $0.element("bdi", text: lane.name) }
      draw(pieces, axis, whole, grain, &row)
    }
    if lane.events.isEmpty {
      group.element("div", ["class": "lane"]) { $0.element("div", ["class": "head"]) { row(&$0) } }
    } else {
      group.element("details", ["class": "lane"]) { details in
        details.element("summary", ["class": "head"]) { row(&$0) }
        details.element("ol", ["class": "events"]) { list in
          for event in lane.events.prefix(LaneChart.mostEvents) {
            list.element("li", ["class": event.isGrave ? "grave" : nil]) { item in
              item.element("span", ["class": "when"], text: LaneChart.exactly(event.time))
              item.write(" ")
              item.element("bdi", text: event.text)
            }
          }
          let more = lane.eventsLeftOut + max(0, lane.events.count - LaneChart.mostEvents)
          if more > 0 {
            list.element("li", text: "and \(HumanCount.text(more)) more in the trace")
          }
        }
      }
    }
    group.literal("\n")
  }

  private func draw(
    _ pieces: Pieces, _ axis: Scale, _ whole: Double, _ grain: Double, _ row: inout Markup
  ) {
    let lines = lines(of: pieces.bars, grain: grain)
    let name = row.identifier()
    row.element(
      "svg",
      [
        "role": "img", "width": "100%", "height": "\(28 + 6 * ((lines.max() ?? -1) + 1))",
        "aria-labelledby": name,
      ]
    ) { drawing in
      drawing.element(
        "title", ["id": name], text: "\(pieces.lane.name): \(summary(of: pieces.lane))")
      for tick in axis.ticks {
        let x = MarkupPlace.percent(tick.position)
        drawing.empty(
          "line",
          ["class": tick.isMain ? "grid" : "grid fine", "x1": x, "x2": x, "y1": "0", "y2": "100%"])
      }
      for piece in pieces.states { draw(piece, whole, grain, &drawing) }
      for (piece, line) in zip(pieces.bars, lines) {
        let y = 28 + 6 * line
        let words =
          piece.count == 1
          ? pieces.lane.bars[piece.first].text : "\(tracks[piece.key]): \(piece.count)"
        rectangle(
          piece, "bar k\(piece.key)", "bar-\(piece.key)", y: "\(y)", height: "4", words, whole,
          grain, &drawing)
      }
      for piece in pieces.signs {
        let sign = signs[piece.key]
        let words =
          piece.count == 1 ? pieces.lane.marks[piece.first].text : "\(sign.name): \(piece.count)"
        drawing.element(
          "svg",
          [
            "class": "mark sign \(sign.shape.rawValue)", "data-kind": "sign-\(piece.key)",
            "data-count": "\(piece.count)",
            "x": MarkupPlace.percent(piece.start / whole), "y": "6",
          ]
        ) {
          $0.element("title", text: "\(words), at \(LaneChart.exactly(piece.start))")
          $0.empty("path", ["d": LaneChart.path(sign.shape)])
        }
      }
    }
  }

  /// The line on which each bar is drawn. Each track has its own lines, up to three for bars that
  /// overlap in time.
  private func lines(of bars: [LaneMerging.Piece<Int>], grain: Double) -> [Int] {
    var lines = [Int](repeating: 0, count: bars.count)
    var first = 0
    for track in tracks.indices {
      var ends: [Double] = []
      for (place, bar) in bars.enumerated() where bar.key == track {
        let free = ends.firstIndex { $0 <= bar.start }
        let line = free ?? min(ends.count, 2)
        if line == ends.count { ends.append(0) }
        ends[line] = max(ends[line], bar.end, bar.start + grain)
        lines[place] = first + line
      }
      first += ends.count
    }
    return lines
  }

  private func draw(
    _ piece: LaneMerging.Piece<Int>, _ whole: Double, _ grain: Double, _ drawing: inout Markup
  ) {
    let state = states[piece.key]
    let (y, height) =
      switch state.look {
      case .strong: ("12", "14")
      case .middle: ("15", "11")
      case .warm: ("18", "8")
      case .quiet, .none: ("23", "3")
      }
    let length = LaneChart.exactly(piece.end - piece.start)
    let others =
      piece.count > 1
      ? ", with \(HumanCount.text(piece.count - 1)) more that \(piece.count == 2 ? "is" : "are") too short to draw"
      : ""
    rectangle(
      piece, state.look.rawValue, "state-\(piece.key)", y: y, height: height,
      "\(state.name) for \(length)\(others)", whole, grain, &drawing
    )
  }

  private func rectangle(
    _ piece: LaneMerging.Piece<Int>, _ name: String, _ kind: String, y: String, height: String,
    _ words: String, _ whole: Double,
    _ grain: Double,
    _ drawing: inout Markup
  ) {
    let start = min(max(piece.start / whole, 0), 1)
    let width = min(max((piece.end - piece.start) / whole, grain / whole), 1)
    drawing.element(
      "rect",
      [
        "class": "mark \(name)", "data-kind": kind, "data-count": "\(piece.count)",
        "x": MarkupPlace.percent(start), "y": y,
        "width": MarkupPlace.percent(width), "height": height,
      ]
    ) { $0.element("title", text: "\(words), from \(LaneChart.exactly(piece.start))") }
  }

  private func writeAxis(_ axis: Scale, _ name: String, _ group: inout Markup) {
    group.element("div", ["class": "head \(name)", "aria-hidden": "true"]) { row in
      row.element("span", ["class": "name"], text: name == "axis" ? "" : "time")
      row.element("svg", ["width": "100%", "height": "22"]) { drawing in
        for tick in axis.ticks {
          let x = MarkupPlace.percent(tick.position)
          drawing.empty(
            "line",
            [
              "class": tick.isMain ? "grid" : "grid fine", "x1": x, "x2": x, "y1": "0",
              "y2": "100%",
            ])
          tick.write(&drawing, y: 14)
        }
      }
    }
  }

  // MARK: Legend

  private func writeLegend(_ page: inout Markup) {
    page.element("ul", ["class": "legend"]) { list in
      func item(_ name: String, _ draw: (inout Markup) -> Void) {
        list.element("li") { item in
          item.element("svg", ["width": "20", "height": "16", "aria-hidden": "true"]) { draw(&$0) }
          item.element("span", text: name)
        }
      }
      for state in states where state.look != .none {
        let height = ["strong": 14, "middle": 11, "warm": 8][state.look.rawValue] ?? 3
        item(state.name) {
          $0.empty(
            "rect",
            [
              "class": state.look.rawValue, "x": "0", "y": "\(15 - height)", "width": "20",
              "height": "\(height)",
            ])
        }
      }
      let used = tracks.indices.filter { track in
        lanes.contains { $0.bars.contains { $0.track == track } }
      }
      for track in used {
        item(tracks[track]) {
          $0.empty(
            "rect", ["class": "bar k\(track)", "x": "0", "y": "6", "width": "20", "height": "4"])
        }
      }
      for (place, sign) in signs.enumerated()
      where lanes.contains(where: { $0.marks.contains { $0.sign == place } }) {
        item(sign.name) { drawing in
          drawing.element("svg", ["class": "sign \(sign.shape.rawValue)", "x": "10", "y": "8"]) {
            $0.empty("path", ["d": LaneChart.path(sign.shape)])
          }
        }
      }
    }
  }

  private static func path(_ shape: Sign.Shape) -> String {
    switch shape {
    case .cross: "M-4,-4L4,4M4,-4L-4,4"
    case .triangle: "M-5,-4H5L0,4.5Z"
    case .ring: "M-3.2,0a3.2,3.2 0 1,0 6.4,0a3.2,3.2 0 1,0 -6.4,0Z"
    }
  }
}
