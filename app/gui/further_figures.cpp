#include "app/gui/further_figures.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <iterator>

#include "analysis/figure_data/quantity_figures.h"
#include "analysis/statistics/entry_means.h"
#include "app/gui/figures_view.h"
#include "app/workflow/figure_job.h"

namespace mog::gui {
namespace {

using Needs = FurtherFigure::Needs;

constexpr std::array<FurtherFigure, 9> kFigures = {{{"leaves-by-layer", Needs::maps, false},
                                                    {"order-bands", Needs::maps, false},
                                                    {"leaves-distribution", Needs::maps, false},
                                                    {"joins-by-part", Needs::maps, false},
                                                    {"quantity-by-layer", Needs::any_quantity, false},
                                                    {"share-bars", Needs::shares, false},
                                                    {"quantity-map", Needs::token_map, true},
                                                    {"forest", Needs::maps, true},
                                                    {kExpectedJoins, Needs::maps, true}}};

bool is_known(std::string_view name) {
  const auto kinds = app::figure_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [name](const auto& kind) { return kind.name == name; });
}

// Values of tokens or sentences, one or several entries; of the encoder's layers.
bool has_layers(const QuantitySchema& schema) {
  return !schema.of_target() && schema.name.layer() > 0 && analysis::has_entry_means(schema);
}

}  // namespace

std::vector<FurtherFigure> further_figures() {
  std::vector<FurtherFigure> figures;
  std::copy_if(kFigures.begin(), kFigures.end(), std::back_inserter(figures),
               [](const FurtherFigure& figure) { return is_known(figure.name); });
  return figures;
}

FurtherFigure further_figure(const QString& name) {
  const auto at = std::find_if(kFigures.begin(), kFigures.end(), [&name](const FurtherFigure& figure) {
    return name == as_qstring(figure.name);
  });
  return at == kFigures.end() ? kFigures.front() : *at;
}

QString further_figure_text(std::string_view name) {
  if (name == "leaves-by-layer") {
    return FiguresView::tr("Expected leaves by layer");
  }
  if (name == "order-bands") {
    return FiguresView::tr("Order bands of the parts");
  }
  if (name == "leaves-distribution") {
    return FiguresView::tr("Distribution of leaves");
  }
  if (name == "joins-by-part") {
    return FiguresView::tr("Expected joins by part");
  }
  if (name == "quantity-by-layer") {
    return FiguresView::tr("A quantity by layer");
  }
  if (name == "share-bars") {
    return FiguresView::tr("Shares by layer (bars)");
  }
  if (name == "quantity-map") {
    return FiguresView::tr("A recorded map");
  }
  if (name == "forest") {
    return FiguresView::tr("The best graphs, as a forest");
  }
  return FiguresView::tr("Expected joins of the sentence");
}

bool serves(const QuantitySchema& schema, FurtherFigure::Needs needs) {
  return needs == Needs::token_map
             ? analysis::is_token_map(schema)
             : has_layers(schema) && (needs == Needs::any_quantity ||
                                      (needs == Needs::shares && analysis::entries_add_up(schema)));
}

QString over_layers(const QuantityName& name) {
  QStringList pieces = QString::fromStdString(name.text()).split(QLatin1Char('.'));
  if (pieces.size() > 1) {
    pieces[1] = QStringLiteral("*");
  }
  return pieces.join(QLatin1Char('.'));
}

QString as_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace mog::gui
