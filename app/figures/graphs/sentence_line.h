// Words on a baseline, shared by trees and arcs.
#pragma once

#include <QRectF>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "app/figures/pen.h"

namespace mog::figures {

QColor box_colour(Theme theme);  // of filled boxes

// Places for words: as large as fits; turned where words in a row are too long; thinned where even turned
// words are too many, which a line under them says. Special tokens are small and grey; the pieces of a word
// share an under-bar. Tags stand below words in a row; turned words have none. Boxes are round their words.
class SentenceLine {
 public:
  // Words between `left` and `right`; `top` is where the words begin. Where not all of them can be labelled,
  // those of `first` are before the others: what the figure is about.
  SentenceLine(const std::vector<analysis::WordLabel>& words, const Style& style, double left, double right,
               const std::vector<std::int64_t>& first = {});
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
  // A word without a label gets one, in the place of the labels that it would meet; of two such words that
  // meet each other the earlier one of `words` does.
  void light(Pen& pen, double top, const std::vector<std::int64_t>& words) const;
  QRectF area(std::int64_t word, double top) const;
  // -1: none.
  std::int64_t word_at(QPointF point, double top) const;
  // The width at which all words stand in a row at full size.
  static double natural_width(const std::vector<analysis::WordLabel>& words, const Style& style);

 private:
  bool has_tags() const;
  void draw_boxes(Pen& pen, double top) const;
  void draw_tags(Pen& pen, double top) const;
  bool place_in_a_row(double left, double right, double size);
  void place_turned(double left, double right, const std::vector<std::int64_t>& first);
  void choose_labels(double letters, const std::vector<std::int64_t>& first);
  // Of turned words.
  TypeFace turned_face(const analysis::WordLabel& word) const;
  void draw_turned(Pen& pen, double top, std::size_t word) const;
  void leave_out_labels(Pen& pen, double top, const std::vector<std::size_t>& named,
                        const std::vector<std::size_t>& fresh) const;
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
  std::vector<bool> labelled_;  // of turned words; the others all are
  bool turned_ = false;
  double tags_height_ = 0;  // of words in a row
};

}  // namespace mog::figures
