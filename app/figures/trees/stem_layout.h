// The word × layer picture laid out: lanes, rows, key edges and labels, without painting.
#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/text.h"
#include "app/figures/trees/stem_measures.h"
#include "app/figures/trees/stems.h"

namespace mog::figures {

// A piece of a stem, of a key edge or of what is carried on; all are level or upright.
struct Stretch {
  QPointF from;
  QPointF to;
  bool carried = false;  // over layers without a join: dotted
};

// From the disc of its join to the top of the stem that it takes in, or, where that was made in the same row
// (recurrent layers take in the state of another word there), to the side of its disc. Corners are where they
// would be if they were sharp.
struct KeyEdge {
  QPolygonF line;
  double corner = 0;      // radius
  double carried_at = 0;  // below this height it is dotted; at its end: nowhere
  bool in_row = false;    // ends at a disc of its own row
};

struct StemLabel {
  enum class Kind : std::uint8_t {
    word,
    gap,     // of unused words; where all have columns, one of them
    number,  // of a word, below it
    owner,
    weight,
    detail,
    carried,
    goal,  // of which word and layer the graph is
  };
  Kind kind = Kind::word;
  QString text;
  QPointF at;          // on the baseline: its left end; of a turned one its right end
  double size = 0;     // of its type
  QPolygonF outline;   // four corners; of a level word on a screen its box
  std::size_t of = 0;  // stem, gap or join
};

class StemLayout {
 public:
  // Words at the bottom of `area`, names of rows at its left.
  StemLayout(const analysis::TreeFigure& tree, const Style& style, const QRectF& area);
  // The height that it takes with rows of full height, or of a share of it.
  static double wanted_height(const analysis::TreeFigure& tree, const Style& style, double width,
                              double share = 1);
  // On a screen: below it lanes would be narrower than their words. 0 on paper, where all thins out.
  static double least_width(const analysis::TreeFigure& tree, const Style& style);

  Stems stems;
  StemMeasures measures;
  QRectF area;
  double left = 0;  // of the lanes
  double radius = 0;
  double words_top = 0;
  double words_bottom = 0;
  bool turned = false;  // words
  std::vector<double> lane_x;
  std::vector<double> lane_width;
  std::vector<double> gap_x;
  std::vector<double> gap_width;
  std::vector<double> row_y;        // 0: the words' upper end
  double band_top = 0;              // of what is carried on; row_y.back() where nothing is
  double goal_bottom = 0;           // on a screen: of what says whose graph it is
  std::vector<QPointF> joins;       // middles of discs
  std::vector<Stretch> stretches;   // query edges and what is carried
  std::vector<std::size_t> owner;   // of each stretch: its stem
  std::vector<std::int64_t> makes;  // of each stretch: the join that it leads to; -1: carried beyond
  std::vector<KeyEdge> keys;        // of each join
  std::vector<StemLabel> labels;
  std::int64_t unlabelled = 0;  // words without a label
  double word_size = 0;         // of type

  double x(const Stem& stem) const { return lane_x[stem.lane]; }
  // The column of a word: of its main stem, else of the gap that it is in.
  std::optional<double> column(std::int64_t word) const;
  QString word(const Stem& stem) const { return word(stem.word); }
  QString word(std::int64_t index) const;
  QString gap_text(const WordGap& gap) const;
  // "layer 3"; on a screen "Layer 3", "L3" where it is narrow; 0: the words; the empty text on paper.
  QString row_text(std::int64_t row) const;
  // Of the layers above the last join.
  QString band_text() const;
  QRectF word_area(const Stem& stem) const;
  QRectF gap_area(std::size_t gap) const;
  // Of a word that has no label: where it would stand.
  StemLabel word_label(std::size_t stem) const;

 private:
  struct Room {
    double least;
    double most;
  };
  static std::vector<double> shared_out(const std::vector<Room>& rooms, double width);
  // Words: stem_words.cpp.
  void turn_words();
  double words_height() const;
  double box_height() const;
  void place_words();
  StemLabel turned_label(const QString& text, double x, double size, StemLabel::Kind kind) const;

  double names_width() const;
  void place_lanes();
  bool always_turned() const;
  std::vector<Room> rooms(double size, double longest) const;
  bool in_a_row(double size, double longest);
  double row_height(std::int64_t row) const;
  double head_height() const;
  void place_rows();
  void place_edges();
  void place_stem(std::size_t index);
  double stem_top(const Stem& stem) const;

  const analysis::TreeFigure& tree_;
  const Style& style_;
};

QString row_name(const analysis::TreeFigure& tree, std::int64_t row);
// Owners, weights and what else is said beside joins, where it meets nothing.
void place_labels(StemLayout& layout, const analysis::TreeFigure& tree, const Style& style);

}  // namespace mog::figures
