// Words on a baseline, shared by trees and arcs.
#pragma once

#include <QRectF>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "app/figures/pen.h"

namespace mog::figures {

// Places for words: as large as fits; turned where words in a row are too long; thinned where even turned
// words are too many, which a line under them says. Special tokens are small and grey; the pieces of a word
// share an under-bar.
class SentenceLine {
 public:
  // Words between `left` and `right`; `top` is where the words begin.
  SentenceLine(const std::vector<analysis::WordLabel>& words, const Style& style, double left, double right);
  double height() const noexcept { return height_; }
  std::size_t size() const noexcept { return words_.size(); }
  // How many words have no label; empty: all have one.
  const QString& note() const noexcept { return note_; }
  // Middle of a word.
  double x(std::int64_t word) const;
  // Of a place between words: 1.5 is halfway from word 1 to word 2.
  double x(double place) const;
  double half_width(std::int64_t word) const;
  void draw(Pen& pen, double top) const;
  void light(Pen& pen, double top, std::int64_t word) const;
  QRectF area(std::int64_t word, double top) const;
  // -1: none.
  std::int64_t word_at(QPointF point, double top) const;
  // The width at which all words stand in a row at full size.
  static double natural_width(const std::vector<analysis::WordLabel>& words, const Style& style);

 private:
  bool place_in_a_row(double left, double right, double size);
  void place_turned(double left, double right);
  const std::vector<analysis::WordLabel>& words_;
  const Style& style_;
  std::vector<double> centre_;
  std::vector<double> half_;
  double size_ = 0;
  double height_ = 0;
  double words_height_ = 0;  // without the note
  QString note_;
  QStringList note_lines_;
  double note_left_ = 0;
  std::size_t every_ = 1;
  bool turned_ = false;
};

}  // namespace mog::figures
