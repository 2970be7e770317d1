#include "app/figures/sentence_line.h"

#include <algorithm>
#include <cmath>

namespace mog::figures {
namespace {

constexpr double kLongestTurned = 86;
constexpr double kUnderBar = 4;

double word_gap(double size, bool same_word) {
  return same_word ? size * 0.25 : size * 0.9;
}

bool joined(const std::vector<analysis::WordLabel>& words, std::size_t i) {
  return i + 1 < words.size() && words[i].word >= 0 && words[i].word == words[i + 1].word;
}

double type_size(const analysis::WordLabel& word, const Style& style, double size) {
  return word.special ? std::max(smallest_type(style), size - 2) : size;
}

double row_width(const std::vector<analysis::WordLabel>& words, const Style& style, double size) {
  double result = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += std::max(size * 0.8,
                       TypeFace(style, type_size(words[i], style, size)).width(drawable(words[i].text)));
    result += i + 1 < words.size() ? word_gap(size, joined(words, i)) : 0;
  }
  return result;
}

}  // namespace

SentenceLine::SentenceLine(const std::vector<analysis::WordLabel>& words, const Style& style, double left,
                           double right)
    : words_(words), style_(style) {
  for (double size = style.body_pt; size >= std::max(smallest_type(style), style.body_pt - 2); --size) {
    if (place_in_a_row(left, right, size)) {
      return;
    }
  }
  place_turned(left, right);
}

bool SentenceLine::place_in_a_row(double left, double right, double size) {
  const double needed = row_width(words_, style_, size);
  if (needed > right - left) {
    return false;
  }
  size_ = size;
  centre_.clear();
  half_.clear();
  // Spare room widens the gaps, up to a few letters, and the rest is left at both sides.
  const double gaps = static_cast<double>(std::max<std::size_t>(words_.size(), 2) - 1);
  const double more = std::min((right - left - needed) / gaps, size * 2.2);
  double x = left + (right - left - needed - more * (words_.size() > 1 ? gaps : 0)) / 2;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const double wide = std::max(
        size * 0.8, TypeFace(style_, type_size(words_[i], style_, size)).width(drawable(words_[i].text)));
    centre_.push_back(x + wide / 2);
    half_.push_back(wide / 2);
    x += wide + word_gap(size, joined(words_, i)) + more;
  }
  words_height_ = height_ = TypeFace(style_, size).height() + kUnderBar;
  return true;
}

void SentenceLine::place_turned(double left, double right) {
  turned_ = true;
  const double pitch = (right - left) / static_cast<double>(std::max<std::size_t>(words_.size(), 1));
  size_ = std::clamp(std::floor(pitch / 1.15), smallest_type(style_), style_.body_pt);
  const TypeFace face(style_, size_);
  const double line = face.cap_height() + 1.2;
  every_ = pitch >= line ? 1 : static_cast<std::size_t>(std::ceil(line / std::max(pitch, 1e-3)));
  double longest = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    centre_.push_back(left + (static_cast<double>(i) + 0.5) * pitch);
    half_.push_back(std::min(pitch / 2, face.height() / 2));
    longest =
        std::max(longest, std::min(kLongestTurned * unit(style_), face.width(drawable(words_[i].text))));
  }
  height_ = longest + 2 + kUnderBar;
  words_height_ = height_;
  if (every_ > 1) {
    note_ = QStringLiteral("%1 of %2 words are not labelled: there is no room at this width")
                .arg(words_.size() - (words_.size() + every_ - 1) / every_)
                .arg(words_.size());
    const TypeFace small(style_, smallest_type(style_));
    note_lines_ = small.wrapped(note_, right - left);
    note_left_ = left;
    height_ += small.height() * static_cast<double>(note_lines_.size()) + 2;
  }
}

double SentenceLine::x(std::int64_t word) const {
  return centre_.empty() ? 0
                         : centre_[static_cast<std::size_t>(std::clamp<std::int64_t>(
                               word, 0, static_cast<std::int64_t>(centre_.size()) - 1))];
}

double SentenceLine::x(double place) const {
  const double below = std::floor(place);
  const auto word = static_cast<std::int64_t>(below);
  return x(word) + (x(word + 1) - x(word)) * (place - below);
}

double SentenceLine::half_width(std::int64_t word) const {
  return half_[static_cast<std::size_t>(word)];
}

void SentenceLine::draw(Pen& pen, double top) const {
  for (std::size_t i = 0; i < words_.size(); i += every_) {
    const analysis::WordLabel& word = words_[i];
    const TypeFace face(
        style_, turned_ ? (word.special ? smallest_type(style_) : size_) : type_size(word, style_, size_));
    const QColor colour = word.special ? soft_ink(pen.theme()) : ink(pen.theme());
    const QString text = drawable(word.text);
    if (turned_) {
      // Reads upwards; its end lies at the top, near what stands above.
      pen.turned_text({centre_[i] + face.cap_height() / 2, top + kUnderBar / 2},
                      face.elided(text, kLongestTurned * unit(style_)), face, colour, Across::right);
    } else {
      pen.text({centre_[i], top + TypeFace(style_, size_).ascent()}, text, face, colour, Across::centre);
    }
  }
  const double y = turned_ ? top : top + words_height_ - kUnderBar / 2;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::size_t last = i;
    while (joined(words_, last)) {
      ++last;
    }
    if (last > i) {
      pen.line({centre_[i] - half_[i] * 0.9, y}, {centre_[last] + half_[last] * 0.9, y},
               soft_ink(pen.theme()), 0.8);
    }
    i = last;
  }
  const TypeFace small(style_, smallest_type(style_));
  double baseline = top + words_height_ + 2 + small.ascent();
  for (const QString& line : note_lines_) {
    pen.text({note_left_, baseline}, line, small, soft_ink(pen.theme()));
    baseline += small.height();
  }
}

QRectF SentenceLine::area(std::int64_t word, double top) const {
  const auto i = static_cast<std::size_t>(word);
  const double half = std::max(half_[i], 3.0) + 1.5;
  return {centre_[i] - half, top - 1, 2 * half, words_height_ + 1};
}

void SentenceLine::light(Pen& pen, double top, std::int64_t word) const {
  if (word >= 0 && word < static_cast<std::int64_t>(words_.size())) {
    QColor glow = accent(pen.theme());
    glow.setAlphaF(0.3F);
    pen.fill(area(word, top), glow);
    const auto i = static_cast<std::size_t>(word);
    if (turned_ && i % every_ != 0) {
      // It has no label: there is room for the one that is looked at, over its neighbours.
      const TypeFace face(style_, std::max(size_, style_.tick_pt));
      const QString text = face.elided(drawable(words_[i].text), kLongestTurned * unit(style_));
      const double wide = face.cap_height() + 4;
      pen.fill({centre_[i] - wide / 2, top, wide, face.width(text) + 4}, background(pen.theme()));
      pen.turned_text({centre_[i] + face.cap_height() / 2, top + kUnderBar / 2}, text, face, ink(pen.theme()),
                      Across::right);
    }
  }
}

std::int64_t SentenceLine::word_at(QPointF point, double top) const {
  if (point.y() < top - 2 || point.y() > top + words_height_ + 2 || centre_.empty()) {
    return -1;
  }
  const auto after = std::lower_bound(centre_.begin(), centre_.end(), point.x()) - centre_.begin();
  for (std::int64_t word = std::max<std::int64_t>(after - 1, 0);
       word <= std::min<std::int64_t>(after, static_cast<std::int64_t>(centre_.size()) - 1); ++word) {
    const QRectF where = area(word, top);
    if (point.x() >= where.left() && point.x() <= where.right()) {
      return word;
    }
  }
  return -1;
}

double SentenceLine::natural_width(const std::vector<analysis::WordLabel>& words, const Style& style) {
  return row_width(words, style, style.body_pt);
}

}  // namespace mog::figures
