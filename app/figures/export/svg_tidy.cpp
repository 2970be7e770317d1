// One pass with Qt's XML reader and writer. Groups of QSvgGenerator only carry state (pen, brush, font,
// transform): the state is kept on a stack, and each mark says what differs from SVG's own defaults and
// shows. Groups that a mark cannot replace, a clip or an effect, stay. O(bytes), a third of the size is left
// (decision 26). Elements that are no marks are copied with all that is in them.
//
// Traps: a property is compared with SVG's initial value as text, so it must be spelled as Qt spells it; one
// that is not known as state makes its group stay, which is longer but right. A transform replaces that of
// the group around instead of being multiplied with it: Qt gives each group the whole matrix.
#include "app/figures/export/svg_tidy.h"

#include <QHash>
#include <QString>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>
#include <array>
#include <vector>

namespace mog::figures {
namespace {

struct Property {
  QLatin1StringView name;
  QLatin1StringView initial;  // SVG's own value
};
using namespace Qt::StringLiterals;

constexpr QLatin1StringView kSpace = "xml:space"_L1;

// In the order in which they are written.
constexpr std::array kPaint{
    Property{"fill"_L1, "#000000"_L1},        Property{"fill-opacity"_L1, "1"_L1},
    Property{"fill-rule"_L1, "nonzero"_L1},   Property{"stroke"_L1, "none"_L1},
    Property{"stroke-opacity"_L1, "1"_L1},    Property{"stroke-width"_L1, "1"_L1},
    Property{"stroke-linecap"_L1, "butt"_L1}, Property{"stroke-linejoin"_L1, "miter"_L1},
    Property{"stroke-miterlimit"_L1, "4"_L1}, Property{"stroke-dasharray"_L1, "none"_L1},
    Property{"stroke-dashoffset"_L1, "0"_L1}};
constexpr std::array kFont{Property{"font-family"_L1, {}}, Property{"font-size"_L1, {}},
                           Property{"font-weight"_L1, "400"_L1}, Property{"font-style"_L1, "normal"_L1}};
constexpr std::array kOther{Property{"transform"_L1, "matrix(1,0,0,1,0,0)"_L1},
                            Property{"vector-effect"_L1, "none"_L1}};

template <class List>
bool holds(const List& list, QStringView name) {
  for (const Property& property : list) {
    if (property.name == name) {
      return true;
    }
  }
  return false;
}
bool is_state(QStringView name) {
  return holds(kPaint, name) || holds(kFont, name) || holds(kOther, name);
}

using State = QHash<QString, QString>;

class Tidier {
 public:
  Tidier(const QByteArray& svg, const QString& title, const QString& description)
      : reader_(svg), writer_(&bytes_), title_(title), description_(description) {
    reader_.setNamespaceProcessing(false);
    writer_.setAutoFormatting(false);
  }

  QByteArray run() {
    states_.emplace_back();
    writer_.writeStartDocument();
    while (!reader_.atEnd()) {
      switch (reader_.readNext()) {
        case QXmlStreamReader::StartElement:
          start();
          break;
        case QXmlStreamReader::EndElement:
          end();
          break;
        case QXmlStreamReader::Characters:
          if (copied_ > 0) {
            writer_.writeCharacters(reader_.text().toString());
          }
          break;
        default:
          break;
      }
    }
    writer_.writeEndDocument();
    return bytes_;
  }

 private:
  void start() {
    const QStringView name = reader_.qualifiedName();
    const QXmlStreamAttributes attributes = reader_.attributes();
    const bool known =
        name == "svg"_L1 || name == "title"_L1 || name == "desc"_L1 || name == "g"_L1 || holds_marks(name);
    if (copied_ > 0 || !known) {
      copy();
    } else if (name == "svg"_L1) {
      writer_.writeStartElement(name.toString());
      for (const QXmlStreamAttribute& attribute : attributes) {
        if (attribute.qualifiedName() != "baseProfile"_L1) {  // not Tiny: clips and effects are allowed
          writer_.writeAttribute(attribute.qualifiedName().toString(), attribute.value().toString());
        }
      }
      text_element("title", title_);
      text_element("desc", description_);
    } else if (name == "title"_L1 || name == "desc"_L1) {
      reader_.skipCurrentElement();
    } else if (name == "g"_L1) {
      open_group(attributes);
    } else {
      mark(attributes);
    }
  }

  static bool holds_marks(QStringView name) {
    for (const auto mark : {"path"_L1, "polyline"_L1, "polygon"_L1, "line"_L1, "rect"_L1, "circle"_L1,
                            "ellipse"_L1, "text"_L1, "image"_L1}) {
      if (name == mark) {
        return true;
      }
    }
    return false;
  }

  void end() {
    if (copied_ > 0) {
      --copied_;
      writer_.writeEndElement();
      return;
    }
    if (reader_.qualifiedName() == "g"_L1) {
      if (written_.back()) {
        line();
        writer_.writeEndElement();
      }
      written_.pop_back();
      states_.pop_back();
      return;
    }
    line();
    writer_.writeEndElement();
  }

  // Everything below an element that is no mark, as it is.
  void copy() {
    if (copied_ == 0) {
      line();
    }
    ++copied_;
    writer_.writeStartElement(reader_.qualifiedName().toString());
    for (const QXmlStreamAttribute& attribute : reader_.attributes()) {
      writer_.writeAttribute(attribute.qualifiedName().toString(), attribute.value().toString());
    }
  }

  // A group is kept for what no mark can say itself, a clip or an effect.
  void open_group(const QXmlStreamAttributes& attributes) {
    State state = states_.back();
    std::vector<QXmlStreamAttribute> others;
    for (const QXmlStreamAttribute& attribute : attributes) {
      if (is_state(attribute.qualifiedName())) {
        state[attribute.qualifiedName().toString()] = attribute.value().toString();
      } else {
        others.push_back(attribute);
      }
    }
    states_.push_back(std::move(state));
    written_.push_back(!others.empty());
    if (!others.empty()) {
      line();
      writer_.writeStartElement(QStringLiteral("g"));
      for (const QXmlStreamAttribute& attribute : others) {
        writer_.writeAttribute(attribute.qualifiedName().toString(), attribute.value().toString());
      }
    }
  }

  void mark(const QXmlStreamAttributes& attributes) {
    const QString name = reader_.qualifiedName().toString();
    State state = states_.back();
    line();
    writer_.writeStartElement(name);
    bool preserve = false;
    for (const QXmlStreamAttribute& attribute : attributes) {
      if (is_state(attribute.qualifiedName())) {
        state[attribute.qualifiedName().toString()] = attribute.value().toString();
      } else if (attribute.qualifiedName() == kSpace) {
        preserve = true;
      } else {
        writer_.writeAttribute(attribute.qualifiedName().toString(),
                               attribute.value().toString().simplified());
      }
    }
    const bool text = name == "text"_L1;
    if (name != "image"_L1) {
      paint(state, name);
    }
    if (text) {
      write(state, kFont);
    }
    write(state, kOther);
    if (!text) {
      ++copied_;  // closed by end()
      return;
    }
    const QString letters = reader_.readElementText();
    if (preserve && letters != letters.simplified()) {
      writer_.writeAttribute(kSpace.toString(), QStringLiteral("preserve"));
    }
    writer_.writeCharacters(letters);
    writer_.writeEndElement();
  }

  // What does not show is not said: the width of no stroke, the rule of no filling.
  void paint(const State& state, const QString& name) {
    const bool filled = state.value(QStringLiteral("fill")) != "none"_L1;
    const bool stroked = state.value(QStringLiteral("stroke"), QStringLiteral("none")) != "none"_L1;
    const bool areas = name == "path"_L1 || name == "polygon"_L1;
    const bool round = name == "circle"_L1 || name == "ellipse"_L1;
    const bool dashed = state.value(QStringLiteral("stroke-dasharray"), QStringLiteral("none")) != "none"_L1;
    for (const Property& property : kPaint) {
      const bool of_filling = property.name.startsWith("fill-"_L1);
      const bool of_stroke = property.name.startsWith("stroke-"_L1);
      const bool of_ends = property.name == "stroke-linecap"_L1 || property.name == "stroke-linejoin"_L1 ||
                           property.name == "stroke-miterlimit"_L1;
      if ((of_filling && !filled) || (of_stroke && !stroked) || (property.name == "fill-rule"_L1 && !areas) ||
          (of_ends && round && !dashed)) {
        continue;
      }
      write(state, property);
    }
  }

  template <class List>
  void write(const State& state, const List& list) {
    for (const Property& property : list) {
      write(state, property);
    }
  }
  void write(const State& state, const Property& property) {
    const auto found = state.constFind(property.name.toString());
    if (found != state.constEnd() && *found != property.initial) {
      writer_.writeAttribute(property.name.toString(), *found);
    }
  }

  void text_element(const char* name, const QString& text) {
    if (!text.isEmpty()) {
      line();
      writer_.writeTextElement(QString::fromLatin1(name), text);
    }
  }

  void line() { writer_.writeCharacters(QStringLiteral("\n")); }

  QXmlStreamReader reader_;
  QByteArray bytes_;
  QXmlStreamWriter writer_;
  QString title_;
  QString description_;
  std::vector<State> states_;
  std::vector<bool> written_;
  int copied_ = 0;  // open elements that are copied
};

}  // namespace

QByteArray tidy_svg(const QByteArray& svg, const QString& title, const QString& description) {
  return Tidier(svg, title, description).run();
}

}  // namespace mog::figures
