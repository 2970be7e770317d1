#include "app/figures/readout.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>
#include <vector>

#include "analysis/figure_data/no_cell.h"
#include "analysis/figure_data/ticks.h"
#include "app/figures/text.h"

namespace mog::figures {
namespace {

using analysis::WordLabel;

std::int64_t place_in(const std::vector<WordLabel>& labels, std::optional<std::int64_t> place) {
  const std::int64_t at = place.value_or(-1);
  return at < static_cast<std::int64_t>(labels.size()) ? at : -1;
}

QString text_of(const std::vector<WordLabel>& labels, std::int64_t index, const std::string& title = {}) {
  if (index < 0) {
    return {};
  }
  QString text = drawable(labels[static_cast<std::size_t>(index)].text);
  return title.empty() ? text : drawable(title) + QStringLiteral(" ") + text;
}

QString lit(const analysis::HeatMap& map, const Highlight& highlight) {
  if (!highlight.row && !highlight.column) {
    return text_of(map.rows, place_in(map.rows, highlight.word));
  }
  return readout(map, place_in(map.rows, highlight.row), place_in(map.columns, highlight.column));
}

// "telescope takes in sun, layer 3, middle 2, weight 0.016"; empty: it is no join.
QString text_of_join(const analysis::TreeFigure& tree, const std::optional<std::int64_t>& index) {
  const auto at = [&](std::int64_t node) -> const analysis::TreeNode& {
    return tree.nodes[static_cast<std::size_t>(node)];
  };
  const auto size = static_cast<std::int64_t>(tree.nodes.size());
  if (!index || *index < 0 || *index >= size || at(*index).right < 0 || at(*index).right >= size) {
    return {};
  }
  const analysis::TreeNode& join = at(*index);
  QString text =
      QStringLiteral("%1 takes in %2, %3 %4")
          .arg(text_of(tree.words, join.word), text_of(tree.words, at(join.right).word), drawable(tree.row))
          .arg(join.layer);
  if (join.part != Part::none) {
    text += QStringLiteral(", ") + drawable(std::string(join.part.label()));
  }
  if (std::isfinite(join.weight)) {
    text += QStringLiteral(", weight ") + drawable(analysis::readable(join.weight));
  }
  return text;
}

// Of panels beside each other the first that has it.
QString lit(const analysis::PanelFigure& figure, const Highlight& highlight) {
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    if (!highlight.panel || *highlight.panel == static_cast<std::int64_t>(i)) {
      QString text = readout(figure.panels[i], highlight);
      if (!text.isEmpty()) {
        return text;
      }
    }
  }
  return {};
}

}  // namespace

QString part_letters(Part part) {
  if (part == Part::none) {
    return {};
  }
  const std::string_view brief = part.short_name();
  QString letters = QString::fromUtf8(brief.data(), static_cast<qsizetype>(brief.size()));
  if (letters.size() > 2) {
    const std::string_view label = part.label();
    const QStringList words = QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size()))
                                  .split(QLatin1Char(' '), Qt::SkipEmptyParts);
    letters.clear();
    for (const QString& word : words.mid(0, 2)) {
      letters += word.left(1);
    }
  }
  return letters.toUpper();
}

QString readout(const analysis::HeatMap& map, std::int64_t row, std::int64_t column) {
  const QString of_row = text_of(map.rows, row, map.row_title);
  const QString of_column = text_of(map.columns, column, map.column_title);
  if (row < 0 || column < 0) {
    return of_row + of_column;
  }
  const QString place = of_row + QStringLiteral(", ") + of_column + QStringLiteral(": ");
  if (!map.details.empty()) {
    return place + drawable(map.details[static_cast<std::size_t>(row) * map.columns.size() +
                                        static_cast<std::size_t>(column)]);
  }
  const double value = map.value(row, column);
  return place + (value == analysis::kUnseen   ? QStringLiteral("not seen")
                  : value == analysis::kNoCell ? QStringLiteral("nothing here")
                                               : drawable(analysis::readable(value)));
}

QString readout(const analysis::FigureData& figure, const Highlight& highlight) {
  return std::visit(
      [&highlight](const auto& body) -> QString {
        using Kind = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Kind, analysis::HeatMap> ||
                      std::is_same_v<Kind, analysis::PanelFigure>) {
          return lit(body, highlight);
        } else if constexpr (std::is_same_v<Kind, analysis::TreeFigure>) {
          const QString join = text_of_join(body, highlight.node ? highlight.node : highlight.chosen);
          return join.isEmpty() ? text_of(body.words, place_in(body.words, highlight.word)) : join;
        } else if constexpr (std::is_same_v<Kind, analysis::ArcFigure> ||
                             std::is_same_v<Kind, analysis::FlowFigure>) {
          return text_of(body.words, place_in(body.words, highlight.word));
        } else {
          return {};
        }
      },
      figure.body);
}

}  // namespace mog::figures
