// One laid-out figure body: where everything is, how it is drawn, what a point means. A layout refers to the
// figure and the style it was made from.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "app/figures/painter.h"
#include "app/figures/pen.h"

namespace mog::figures {

class Body {
 public:
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  virtual ~Body() = default;
  virtual void draw(Pen& pen) const = 0;
  virtual void draw_highlight(Pen& pen, const Highlight& highlight) const = 0;
  virtual std::optional<Hit> hit(QPointF point) const = 0;
  // Where a part is seen: some things stand at its edges.
  virtual std::optional<Hit> hit_seen(QPointF point, const QRectF& /*seen*/) const { return hit(point); }
  virtual void draw_leaders(Pen& /*pen*/, const std::vector<Leader>& /*leaders*/) const {}
  virtual void draw_marks(Pen& /*pen*/, const std::vector<NoteMark>& /*marks*/) const {}
  // The height of what stands at the lower edge of what is seen, and is not to be covered.
  virtual double foot(const QRectF& /*seen*/) const { return 0; }
  // The upper left corner of what a view shows at first that has no room for all.
  virtual QPointF opening(QSizeF /*view*/) const { return {}; }
  virtual std::optional<MapFrame> map_frame() const { return std::nullopt; }
  // The scale of the colours alone, of a map that has one beside its cells.
  virtual void draw_scale_in(Pen& /*pen*/, const QRectF& /*area*/) const {}
  // What this size leaves no room for, in words: it stands in the figure, too.
  virtual QStringList notes() const { return {}; }
};

// What a plot of lines draws by itself, and what its surroundings draw for it.
struct LineFraming {
  bool y_title = true;
  bool y_labels = true;  // at the ticks
  bool x_title = true;
  bool series_labels = true;     // at the lines, or a legend below
  std::optional<double> left{};  // widths of the margins, to line up the plots of several panels
  std::optional<double> right{};
};
struct LineMargins {
  double labels = 0;  // at the left, without the title
  double title = 0;   // at the left
  double bottom = 0;
};
std::unique_ptr<Body> lay_out(const analysis::LinePlot& plot, const Style& style, const QRectF& area,
                              const LineFraming& framing = {});
LineMargins line_margins(const analysis::LinePlot& plot, const Style& style, double width,
                         const LineFraming& framing);

// What a map keeps to, so that it lines up with others; 0: what it asks for itself.
struct MapFraming {
  bool scale = true;
  bool scale_below = false;  // even where there is room for it beside the cells
  bool turned = false;       // the labels of the columns
  double beside = 0;         // least width of the row labels
  double above = 0;          // least height of the column labels
  double scale_width = 0;    // least one of the scale beside the cells
  double note = 0;           // least height of the note
  double cell = 0;           // greatest side of square cells
};
std::unique_ptr<Body> lay_out(const analysis::HeatMap& map, const Style& style, const QRectF& area,
                              const MapFraming& framing = {});
std::unique_ptr<Body> lay_out(const analysis::TreeFigure& tree, const Style& style, const QRectF& area,
                              bool with_key = true);
std::unique_ptr<Body> lay_out(const analysis::ArcFigure& figure, const Style& style, const QRectF& area);
std::unique_ptr<Body> lay_out(const analysis::GraphFigure& figure, const Style& style, const QRectF& area);
std::unique_ptr<Body> lay_out(const analysis::BarPlot& plot, const Style& style, const QRectF& area);
std::unique_ptr<Body> lay_out(const analysis::FlowFigure& figure, const Style& style, const QRectF& area);
std::unique_ptr<Body> lay_out(const analysis::PanelFigure& figure, const Style& style, const QRectF& area);
std::unique_ptr<Body> lay_out_body(const analysis::FigureData& figure, const Style& style,
                                   const QRectF& area);

// The height that a body wants for a width, and the width it wants on a screen.
double wanted_height(const analysis::LinePlot& plot, const Style& style, double width);
double wanted_height(const analysis::HeatMap& map, const Style& style, double width,
                     const MapFraming& framing = {});
double wanted_height(const analysis::TreeFigure& tree, const Style& style, double width,
                     bool with_key = true);
double wanted_height(const analysis::ArcFigure& figure, const Style& style, double width);
double wanted_height(const analysis::GraphFigure& figure, const Style& style, double width);
double wanted_height(const analysis::BarPlot& plot, const Style& style, double width);
double wanted_height(const analysis::FlowFigure& figure, const Style& style, double width);
double wanted_height(const analysis::PanelFigure& figure, const Style& style, double width);
double wanted_height(const analysis::FigureData& figure, const Style& style, double width);
double wanted_width(const analysis::FigureData& figure, const Style& style);

// Below it, words and lines of a body run into each other; 0 for bodies that thin out by themselves.
double least_body_height(const analysis::FigureData& figure, const Style& style, double width);
double least_body_height(const analysis::TreeFigure& tree, const Style& style, double width,
                         bool with_key = true);
double least_body_height(const analysis::PanelFigure& figure, const Style& style, double width);
// On a screen a tree is as wide as its words ask for.
double least_body_width(const analysis::TreeFigure& tree, const Style& style);
// The same of arcs that are a tree, with a root; 0: of others.
double least_body_width(const analysis::ArcFigure& figure, const Style& style);

}  // namespace mog::figures
