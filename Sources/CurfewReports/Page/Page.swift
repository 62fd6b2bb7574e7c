import CurfewText

/// A page for people: one self-contained HTML file that needs no network and no scripts.
///
/// A page does not depend on its subject. Equal pages have equal bytes.
package struct Page: Sendable {
  /// The title.
  package var title: String
  /// The first sentence, which answers the reader's main question.
  package var lead: String
  /// The context below the first sentence.
  package var subtitle: String?
  /// The sections, in their order.
  package var sections: [Section]
  /// The origin of the data: names with values.
  package var provenance: [(name: String, value: String)]

  /// A page of these parts.
  package init(
    title: String, lead: String, subtitle: String? = nil, sections: [Section] = [],
    provenance: [(name: String, value: String)] = []
  ) {
    (self.title, self.lead, self.subtitle, self.sections, self.provenance) = (
      title, lead, subtitle, sections, provenance
    )
  }

  /// A part of a page, with its own heading.
  package struct Section: Sendable {
    /// The heading.
    package var title: String
    /// The paragraphs before the content.
    package var text: [String]
    /// The content, in its order.
    package var content: [Content]

    /// A section of these parts.
    package init(_ title: String, text: [String] = [], _ content: [Content] = []) {
      (self.title, self.text, self.content) = (title, text, content)
    }
  }

  /// A part of a section's content.
  package enum Content: Sendable {
    /// A paragraph.
    case text(String)
    /// A note in small letters.
    case note(String)
    /// Points over a numeric axis or over cases.
    case curve(CurveChart)
    /// Differences, row by row.
    case difference(DifferenceChart)
    /// A bar for each row.
    case bars(BarChart)
    /// Distributions of values.
    case distribution(DistributionChart)
    /// A dot for each measurement, row by row.
    case dots(DotChart)
    /// Lanes of events over a common time axis.
    case lanes(LaneChart)
    /// Rows and columns.
    case table(Table)
  }

  /// The file's text, without a final line break.
  package func html() -> String {
    var page = Markup()
    page.literal("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en"]) { html in
      head(&html)
      html.literal("\n")
      html.element("body") { body in
        body.element("main") { main in
          main.element("header") { header in
            header.element("h1", text: title)
            header.element("p", ["class": "lead"], text: lead)
            if let subtitle { header.element("p", ["class": "subtitle"], text: subtitle) }
          }
          for section in sections { section.write(&main) }
        }
        if !provenance.isEmpty { foot(&body) }
      }
    }
    return page.text
  }

  /// The content security policy forbids everything except this file's style sheet: scripts,
  /// pictures, fonts, network.
  private func head(_ html: inout Markup) {
    html.element("head") { head in
      head.empty("meta", ["charset": "utf-8"])
      head.empty(
        "meta",
        [
          "http-equiv": "Content-Security-Policy",
          "content":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ])
      head.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
      head.empty("meta", ["name": "color-scheme", "content": "light dark"])
      head.element("title", text: title)
      head.element("style") { $0.literal(PageStyle.sheet) }
    }
  }

  private func foot(_ body: inout Markup) {
    body.element("footer") { footer in
      footer.element("h2", text: "Origin of the data")
      footer.element("dl") { list in
        for row in provenance {
          list.element("div") {
            $0.element("dt", text: row.name)
            $0.element("dd", text: row.value)
          }
        }
      }
    }
  }
}

extension Page.Section {
  fileprivate func write(_ main: inout Markup) {
    main.literal("\n")
    let name = main.identifier()
    main.element("section", ["aria-labelledby": name]) { section in
      section.element("h2", ["id": name], text: title)
      for paragraph in text { section.element("p", text: paragraph) }
      for item in content {
        section.literal("\n")
        switch item {
        case .text(let words): section.element("p", text: words)
        case .note(let words): section.element("p", ["class": "note"], text: words)
        case .curve(let chart): chart.write(&section)
        case .difference(let chart): chart.write(&section)
        case .bars(let chart): chart.write(&section)
        case .distribution(let chart): chart.write(&section)
        case .dots(let chart): chart.write(&section)
        case .lanes(let chart): chart.write(&section)
        case .table(let table): table.write(&section)
        }
      }
    }
  }
}
