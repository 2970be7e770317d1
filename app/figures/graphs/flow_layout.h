// Where the states and edges of an information flow stand, and what lies at a point.
#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/figures/graphs/sentence_line.h"

namespace mog::figures {

// The curve of one edge.
struct FlowShape {
  std::array<QPointF, 4> control;
  double share = 0;  // of the full width
  bool there = false;

  QPointF at(double t) const;
  QPainterPath path() const;
  QRectF bounds() const;  // of the control points
};

class FlowLayout {
 public:
  // Words under the states, between them and `bottom`; the labels of the rows at the left.
  FlowLayout(const analysis::FlowFigure& figure, const Style& style, const QRectF& area, double bottom);
  static double margin(const analysis::FlowFigure& figure, const Style& style, double width);

  const SentenceLine& line() const noexcept { return line_; }
  const std::vector<FlowShape>& shapes() const noexcept { return shapes_; }
  double margin() const noexcept { return margin_; }
  double words_top() const noexcept { return words_top_; }
  double row_pitch() const noexcept { return row_pitch_; }
  double word_pitch() const noexcept { return word_pitch_; }
  double radius() const noexcept { return radius_; }  // of a state
  double row_y(std::int64_t row) const { return base_ - static_cast<double>(row) * row_pitch_; }
  QPointF place(std::int64_t row, std::int64_t word) const { return {line_.x(word), row_y(row)}; }

  struct State {
    std::int64_t row = 0;
    std::int64_t word = 0;
    double reach = 0;
  };
  std::optional<State> state_at(QPointF point) const;
  std::optional<std::size_t> edge_at(QPointF point) const;

 private:
  std::int64_t words() const { return static_cast<std::int64_t>(figure_.words.size()); }
  bool valid(const analysis::FlowEdge& edge) const;
  bool within_rows() const;
  std::vector<double> fan() const;
  void shape_edges();

  const analysis::FlowFigure& figure_;
  const Style& style_;
  double margin_ = 0;
  SentenceLine line_;
  double words_top_ = 0;
  double base_ = 0;
  double row_pitch_ = 1;
  double word_pitch_ = 1;
  double radius_ = 1;
  std::vector<FlowShape> shapes_;
};

}  // namespace mog::figures
