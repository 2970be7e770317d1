// A gold dependency tree below the words of a sentence: dashed arcs from the head to the dependent, their
// relations at the lowest point where there is room.
#pragma once

#include <QPainterPath>
#include <QPointF>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/figures/graphs/sentence_line.h"

namespace mog::figures {

class GoldArcs {
 public:
  // `top`: the lower end of the words; `height`: what there is for the arcs. All are borrowed.
  GoldArcs(const analysis::ArcFigure& figure, const SentenceLine& line, const Style& style, double top,
           double height);
  // What the arcs of a figure want, 0 without any.
  static double wanted_height(const analysis::ArcFigure& figure, const SentenceLine& line,
                              const Style& style);

  void draw(Pen& pen) const;
  // How many relations have no label; empty: all have one.
  QString note() const;
  void light(Pen& pen, std::size_t arc) const;
  // The arc within `reach` of a point.
  std::optional<std::size_t> at(QPointF point, double reach) const;
  QRectF bounds(std::size_t arc) const { return shapes_[arc].path.boundingRect(); }

 private:
  struct Shape {
    QPainterPath path;
    QPointF tip;  // of the arrowhead, at the dependent
    QPointF lowest;
    double width = 0;  // between the feet
    QRectF label;      // of the relation; empty: there is no room
    bool there = false;
  };
  void shape(double height);
  void place_labels();
  std::vector<double> head_feet() const;
  void draw_arc(Pen& pen, std::size_t arc, const QColor& colour, double width) const;

  const analysis::ArcFigure& figure_;
  const SentenceLine& line_;
  const Style& style_;
  double top_ = 0;
  std::vector<Shape> shapes_;
  int relations_ = 0;
  int labelled_ = 0;
};

}  // namespace mog::figures
