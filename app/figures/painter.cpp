// One layout serves drawing, the pointer and what is lit, for every kind of figure (decision 6). The
// functions lay out anew at each call, some milliseconds, and have no state; LaidOut keeps the layout where
// the same figure is asked again and again, as under a moving pointer.
//
// Sizes go from the outside in: title and caption take their lines from the page, the body gets the rest,
// and with less than 8 points left it is not drawn. Heights are asked the other way round, from the width:
// what the body wants, and below which it would run into itself. A short caption loses clauses before it
// loses letters.
//
// Trap: only raster images are clipped here. SVG ignores clipping, so each kind must cut its own lines and
// areas (clipped_line, clipped_polygon).
#include "app/figures/painter.h"

#include <QPaintEngine>
#include <algorithm>
#include <cmath>

#include "analysis/figure_data/captions.h"
#include "app/figures/body.h"
#include "app/figures/frame.h"
#include "app/figures/graphs/sentence_line.h"
#include "app/figures/maps/heat_map_layout.h"

namespace mog::figures {
namespace {

template <class Value>
std::optional<Value> when(bool there, Value value) {
  return there ? std::optional<Value>(value) : std::nullopt;
}

// The painter is left as it was found.
class Saved {
 public:
  explicit Saved(QPainter& painter) : painter_(painter) { painter_.save(); }
  ~Saved() { painter_.restore(); }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;

 private:
  QPainter& painter_;
};

struct WantedHeight {
  const Style& style;
  double width;
  template <class Kind>
  double operator()(const Kind& body) const {
    return wanted_height(body, style, width);
  }
};

struct LayOut {
  const Style& style;
  const QRectF& area;
  template <class Kind>
  std::unique_ptr<Body> operator()(const Kind& body) const {
    return lay_out(body, style, area);
  }
};

// Trees keep some height for every layer, line plots for their axis; maps and arcs adapt to any.
struct LeastHeight {
  const Style& style;
  double width;
  template <class Kind>
  double operator()(const Kind&) const {
    return 0;
  }
  double operator()(const analysis::TreeFigure& tree) const { return least_body_height(tree, style, width); }
  double operator()(const analysis::LinePlot& plot) const {
    return std::min(wanted_height(plot, style, width), 5 * style.body_pt);
  }
  double operator()(const analysis::PanelFigure& figure) const {
    return least_body_height(figure, style, width);
  }
};

// The short caption loses clauses from its end until it fits two lines, and letters only where its first
// clause alone does not fit.
QStringList caption_lines(const std::string& caption, const Style& style, const TypeFace& face,
                          double width) {
  if (style.caption == Caption::none) {
    return {};
  }
  if (style.caption == Caption::full) {
    return face.wrapped(drawable(caption), width);
  }
  constexpr qsizetype kMostLines = 2;
  QStringList clauses = drawable(analysis::short_caption(caption)).split(QStringLiteral("; "));
  QStringList lines = face.wrapped(clauses.join(QStringLiteral("; ")), width);
  while (lines.size() > kMostLines && clauses.size() > 1) {
    clauses.removeLast();
    lines = face.wrapped(clauses.join(QStringLiteral("; ")), width);
  }
  if (lines.size() > kMostLines) {
    lines = {lines[0], face.elided(lines[1] + QStringLiteral(" ") + lines[2], width)};
  }
  return lines;
}

double words_width(const std::vector<analysis::WordLabel>& words, const Style& style) {
  return SentenceLine::natural_width(words, style) + static_cast<double>(words.size()) * style.body_pt;
}

struct WantedWidth {
  const Style& style;
  double operator()(const analysis::LinePlot&) const { return 560; }
  double operator()(const analysis::HeatMap& map) const {
    return 150 + static_cast<double>(map.columns.size()) * (map.square_cells ? 16 : 10);
  }
  double operator()(const analysis::TreeFigure& tree) const { return 80 + words_width(tree.words, style); }
  double operator()(const analysis::ArcFigure& figure) const { return 40 + words_width(figure.words, style); }
  double operator()(const analysis::GraphFigure&) const { return 300; }
  double operator()(const analysis::BarPlot&) const { return 420; }
  double operator()(const analysis::FlowFigure& figure) const {
    return 100 + words_width(figure.words, style);
  }
  double operator()(const analysis::PanelFigure& figure) const {
    return static_cast<double>(std::max<std::int64_t>(figure.columns, 1)) * 220;
  }
};

}  // namespace

Highlight Hit::highlight() const {
  Highlight result;
  result.panel = when(panel >= 0, panel);
  result.row = when(row >= 0, row);
  result.column = when(column >= 0, column);
  result.series = when(series >= 0, series);
  result.word = when(word >= 0 && kind == Kind::word, word);
  result.node = when(node >= 0, node);
  result.arc = when(arc >= 0, arc);
  return result;
}

Frame frame_of(const analysis::FigureData& figure, const Style& style, QSizeF size) {
  Frame frame;
  const double width = std::max(10.0, size.width() - 2 * kMargin);
  frame.title_top = kMargin;
  double top = kMargin;
  double bottom = size.height() - kMargin;
  if (style.show_title && !figure.title.empty()) {
    const TypeFace face(style, style.body_pt, true);
    frame.title = face.wrapped(drawable(figure.title), width);
    top += face.height() * static_cast<double>(frame.title.size()) + kGap;
  }
  const TypeFace face(style, style.caption_pt);
  frame.caption = caption_lines(figure.caption, style, face, width);
  if (!frame.caption.isEmpty()) {
    bottom -= face.height() * static_cast<double>(frame.caption.size());
    frame.caption_top = bottom;
    bottom -= kGap;
  }
  frame.body = QRectF(kMargin, top, width, std::max(0.0, bottom - top));
  return frame;
}

double frame_height(const analysis::FigureData& figure, const Style& style, double width) {
  const Frame frame = frame_of(figure, style, QSizeF(width, 1000));
  return 1000 - frame.body.height();
}

std::unique_ptr<Body> lay_out_body(const analysis::FigureData& figure, const Style& style,
                                   const QRectF& area) {
  return std::visit(LayOut{style, area}, figure.body);
}

double wanted_height(const analysis::FigureData& figure, const Style& style, double width) {
  return std::visit(WantedHeight{style, width}, figure.body);
}

double wanted_width(const analysis::FigureData& figure, const Style& style) {
  return std::visit(WantedWidth{style}, figure.body);
}

double least_body_height(const analysis::FigureData& figure, const Style& style, double width) {
  return std::visit(LeastHeight{style, width}, figure.body);
}

double least_height(const analysis::FigureData& figure, const Style& style, double width) {
  const double body = least_body_height(figure, style, width - 2 * kMargin);
  return body <= 0 ? 0 : std::ceil(body + frame_height(figure, style, width));
}

double least_width(const analysis::FigureData& figure, const Style& style) {
  const auto* tree = std::get_if<analysis::TreeFigure>(&figure.body);
  const auto* arcs = std::get_if<analysis::ArcFigure>(&figure.body);
  const double body = tree != nullptr   ? least_body_width(*tree, style)
                      : arcs != nullptr ? least_body_width(*arcs, style)
                                        : 0;
  return body <= 0 ? 0 : std::ceil(body + 2 * kMargin);
}

QSizeF size_with_cells(const analysis::FigureData& figure, const Style& style, double side) {
  const auto* map = std::get_if<analysis::HeatMap>(&figure.body);
  if (map == nullptr || (!map->square_cells && map->texts.empty()) || map->thumbnail || map->rows.empty() ||
      map->columns.empty()) {
    return {};
  }
  const QSizeF area = area_of_cells(*map, style, side);
  const double width = area.width() + 2 * kMargin;
  return {width, std::ceil(area.height() + frame_height(figure, style, width))};
}

namespace {

// `body`: nullptr where there is no room for one.
void paint_all(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
               const Body* body, const Highlight& highlight, PenOptions options) {
  const Saved saved(painter);
  Pen pen(painter, style, options);
  if (pen.raster()) {
    painter.setClipRect(QRectF(QPointF(0, 0), size), Qt::IntersectClip);
  }
  painter.setFont(TypeFace(style, style.body_pt).font());
  pen.fill(QRectF(QPointF(0, 0), size), background(style.theme));
  const Frame frame = frame_of(figure, style, size);
  const auto lines = [&](const QStringList& text, double top, const TypeFace& face, const QColor& colour) {
    double baseline = top + face.ascent();
    for (const QString& line : text) {
      pen.text({kMargin, baseline}, line, face, colour);
      baseline += face.height();
    }
  };
  lines(frame.title, frame.title_top, TypeFace(style, style.body_pt, true), ink(style.theme));
  lines(frame.caption, frame.caption_top, TypeFace(style, style.caption_pt), soft_ink(style.theme));
  if (body != nullptr) {
    body->draw(pen);
    body->draw_highlight(pen, highlight);
  }
}

// nullptr: there is no room.
std::unique_ptr<Body> body_of(const analysis::FigureData& figure, const Style& style, QSizeF size) {
  const Frame frame = frame_of(figure, style, size);
  return frame.body.height() < 8 ? nullptr : lay_out_body(figure, style, frame.body);
}

}  // namespace

void paint_figure(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
                  const Highlight& highlight, PenOptions options) {
  paint_all(painter, figure, style, size, body_of(figure, style, size).get(), highlight, options);
}

LaidOut::LaidOut(std::shared_ptr<const analysis::FigureData> figure, const Style& style, QSizeF size)
    : figure_(std::move(figure)), style_(style), size_(size), body_(body_of(*figure_, style_, size_)) {}

LaidOut::~LaidOut() = default;

bool LaidOut::of(const analysis::FigureData* figure, const Style& style, QSizeF size) const {
  return figure == figure_.get() && style == style_ && size == size_;
}

void LaidOut::paint(QPainter& painter) const {
  paint_all(painter, *figure_, style_, size_, body_.get(), {}, {});
}

void LaidOut::paint_highlight(QPainter& painter, const Highlight& highlight, const QRectF& seen) const {
  if (body_ != nullptr) {
    const Saved saved(painter);
    Pen pen(painter, style_);
    if (!seen.isEmpty()) {
      pen.see(seen);
    }
    body_->draw_highlight(pen, highlight);
  }
}

std::optional<Hit> LaidOut::hit_test(QPointF point, const QRectF& seen) const {
  return body_ == nullptr ? std::nullopt : seen.isEmpty() ? body_->hit(point) : body_->hit_seen(point, seen);
}

void LaidOut::paint_leaders(QPainter& painter, const std::vector<Leader>& leaders) const {
  if (body_ != nullptr) {
    const Saved saved(painter);
    Pen pen(painter, style_);
    body_->draw_leaders(pen, leaders);
  }
}

void LaidOut::paint_marks(QPainter& painter, const std::vector<NoteMark>& marks) const {
  if (body_ != nullptr) {
    const Saved saved(painter);
    Pen pen(painter, style_);
    body_->draw_marks(pen, marks);
  }
}

void LaidOut::paint_scale(QPainter& painter, const QRectF& area) const {
  if (body_ != nullptr) {
    const Saved saved(painter);
    Pen pen(painter, style_);
    body_->draw_scale_in(pen, area);
  }
}

double LaidOut::foot(const QRectF& seen) const {
  return body_ == nullptr ? 0 : body_->foot(seen);
}

QPointF LaidOut::opening(QSizeF view) const {
  return body_ == nullptr ? QPointF() : body_->opening(view);
}

std::optional<MapFrame> LaidOut::map_frame() const {
  return body_ == nullptr ? std::nullopt : body_->map_frame();
}

void paint(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
           const Highlight& highlight) {
  paint_figure(painter, figure, style, size, highlight, {});
}

void paint_highlight(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
                     const Highlight& highlight) {
  if (const auto body = body_of(figure, style, size)) {
    const Saved saved(painter);
    Pen pen(painter, style);
    body->draw_highlight(pen, highlight);
  }
}

QSizeF preferred_size(const analysis::FigureData& figure, const Style& style) {
  const double width = style.paper == Paper::screen ? std::clamp(wanted_width(figure, style), 240.0, 4000.0)
                                                    : width_pt(style.paper);
  return preferred_size(figure, style, width);
}

QSizeF preferred_size(const analysis::FigureData& figure, const Style& style, double width) {
  if (style.paper == Paper::slide) {
    return {width, width * 9 / 16};
  }
  const double height =
      wanted_height(figure, style, width - 2 * kMargin) + frame_height(figure, style, width);
  return {width, std::ceil(height)};
}

QStringList notes(const analysis::FigureData& figure, const Style& style, QSizeF size) {
  const auto body = body_of(figure, style, size);
  return body == nullptr ? QStringList() : body->notes();
}

std::optional<Hit> hit_test(const analysis::FigureData& figure, const Style& style, QSizeF size,
                            QPointF point) {
  const auto body = body_of(figure, style, size);
  return body == nullptr ? std::nullopt : body->hit(point);
}

}  // namespace mog::figures
