// Words in a row if they fit, at the type of the page or up to two points less; spare room widens the gaps.
// Else all are turned upright at even distances, and where even these would touch, labels are left out and a
// note says how many. Words that matter (those that joins reach) choose first and may stand closer; the
// others follow from the left. O(words), times the few neighbours that a label can meet.
//
// Lighting a word that has no label gives it one, and takes away whole those that it would cut: half a word
// reads as another word. What stood near a label that went is drawn again, since the background was filled
// under it.
//
// Trap: distances are compared with kRounding. Without it, whether a label fits would depend on the width of
// the page in its last bit, and files would differ.
#include "app/figures/graphs/sentence_line.h"

#include <algorithm>
#include <cmath>

namespace mog::figures {
namespace {

constexpr double kLongestTurned = 86;
constexpr double kUnderBar = 4;
constexpr double kLeastLit = 40;   // room for a word that gets its label when it is lit
constexpr double kLabelGap = 1.2;  // between turned words
// How close turned words may stand that have to have a label, in heights of their capitals: no letters meet.
constexpr double kTight = 1;
constexpr double kRounding = 1e-6;

double word_gap(double size, bool same_word) {
  return same_word ? size * 0.25 : size * 0.9;
}

bool joined(const std::vector<analysis::WordLabel>& words, std::size_t i) {
  return i + 1 < words.size() && words[i].word >= 0 && words[i].word == words[i + 1].word;
}

double type_size(const analysis::WordLabel& word, const Style& style, double size) {
  return word.special ? std::max(smallest_type(style), size - 2) : size;
}

// Of the word and its tag, the wider one; a box needs some more.
double word_width(const analysis::WordLabel& word, const Style& style, double size) {
  constexpr double kInBox = 6;
  const double text = TypeFace(style, type_size(word, style, size)).width(drawable(word.text));
  const double tag = word.tag.empty() ? 0 : TypeFace(style, smallest_type(style)).width(drawable(word.tag));
  return std::max({size * 0.8, text, tag}) + (word.box == analysis::WordLabel::Box::none ? 0 : kInBox);
}

double row_width(const std::vector<analysis::WordLabel>& words, const Style& style, double size) {
  double result = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += word_width(words[i], style, size);
    result += i + 1 < words.size() ? word_gap(size, joined(words, i)) : 0;
  }
  return result;
}

}  // namespace

QColor box_colour(Theme theme) {
  return palette_colour(PartColour::sky, theme);
}

SentenceLine::SentenceLine(const std::vector<analysis::WordLabel>& words, const Style& style, double left,
                           double right, const std::vector<std::int64_t>& first)
    : words_(words), style_(style) {
  for (double size = style.body_pt; size >= std::max(smallest_type(style), style.body_pt - 2); --size) {
    if (place_in_a_row(left, right, size)) {
      return;
    }
  }
  place_turned(left, right, first);
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
    const double wide = word_width(words_[i], style_, size);
    centre_.push_back(x + wide / 2);
    half_.push_back(wide / 2);
    x += wide + word_gap(size, joined(words_, i)) + more;
  }
  tags_height_ = has_tags() ? TypeFace(style_, smallest_type(style_)).height() : 0;
  words_height_ = height_ = TypeFace(style_, size).height() + tags_height_ + kUnderBar;
  return true;
}

bool SentenceLine::has_tags() const {
  return std::any_of(words_.begin(), words_.end(),
                     [](const analysis::WordLabel& word) { return !word.tag.empty(); });
}

void SentenceLine::draw_boxes(Pen& pen, double top) const {
  using Box = analysis::WordLabel::Box;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const QRectF box = area(static_cast<std::int64_t>(i), top).adjusted(0.5, 0, -0.5, 0);
    if (words_[i].box == Box::filled) {
      QColor fill = box_colour(pen.theme());
      fill.setAlphaF(0.35F);
      pen.fill(box, fill);
      pen.frame(box, box_colour(pen.theme()), style_.line_pt);
    } else if (words_[i].box == Box::framed) {
      pen.frame(box, soft_ink(pen.theme()), 0.7 * style_.line_pt);
    }
  }
}

void SentenceLine::draw_tags(Pen& pen, double top) const {
  if (turned_ || tags_height_ <= 0) {
    return;
  }
  const TypeFace small(style_, smallest_type(style_));
  const double baseline = top + TypeFace(style_, size_).height() + small.ascent();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    pen.text({centre_[i], baseline}, drawable(words_[i].tag), small, soft_ink(pen.theme()), Across::centre);
  }
}

void SentenceLine::place_turned(double left, double right, const std::vector<std::int64_t>& first) {
  turned_ = true;
  const double pitch = (right - left) / static_cast<double>(std::max<std::size_t>(words_.size(), 1));
  size_ = std::clamp(std::floor(pitch / 1.15), smallest_type(style_), style_.body_pt);
  const TypeFace face(style_, size_);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    centre_.push_back(left + (static_cast<double>(i) + 0.5) * pitch);
    half_.push_back(std::min(pitch / 2, face.height() / 2));
  }
  choose_labels(face.cap_height(), first);
  double longest = 0;  // of the labels
  double longest_lit = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const double wide =
        std::min(kLongestTurned * unit(style_), turned_face(words_[i]).width(drawable(words_[i].text)));
    double& own = labelled_[i] ? longest : longest_lit;
    own = std::max(own, wide);
  }
  height_ = std::max(longest, std::min(longest_lit, kLeastLit * unit(style_))) + 2 + kUnderBar;
  words_height_ = height_;
  const auto shown = std::count(labelled_.begin(), labelled_.end(), true);
  const bool all = static_cast<std::size_t>(shown) == words_.size();
  if (!all || has_tags()) {
    note_ = all ? QStringLiteral("parts of speech are left out: there is no room at this width")
                : QStringLiteral("%1 of %2 are not labelled: there is no room at this width")
                      .arg(static_cast<std::ptrdiff_t>(words_.size()) - shown)
                      .arg(words_.size());
    const TypeFace small(style_, smallest_type(style_));
    note_lines_ = small.wrapped(note_, right - left);
    note_left_ = left;
    height_ += small.height() * static_cast<double>(note_lines_.size()) + 2;
  }
}

// As many as do not meet: from the left, those of `first`, which may stand closer, before the others.
void SentenceLine::choose_labels(double letters, const std::vector<std::int64_t>& first) {
  labelled_.assign(words_.size(), false);
  const auto choose = [&](std::size_t word, double apart) {
    for (std::size_t step = 0; step < words_.size(); ++step) {
      const bool before = step <= word;
      const bool after = word + step < words_.size();
      const double distance = static_cast<double>(step) * (centre_.size() < 2 ? 0 : centre_[1] - centre_[0]);
      if ((!before && !after) || (step > 0 && distance >= apart - kRounding)) {
        break;
      }
      if ((before && labelled_[word - step]) || (after && labelled_[word + step])) {
        return;
      }
    }
    labelled_[word] = true;
  };
  for (const std::int64_t word : first) {
    if (word >= 0 && word < static_cast<std::int64_t>(words_.size())) {
      choose(static_cast<std::size_t>(word), kTight * letters);
    }
  }
  for (std::size_t word = 0; word < words_.size(); ++word) {
    choose(word, letters + kLabelGap);
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

TypeFace SentenceLine::turned_face(const analysis::WordLabel& word) const {
  return TypeFace(style_, word.special ? smallest_type(style_) : size_);
}

// Reads upwards; its end lies at the top, near what stands above.
void SentenceLine::draw_turned(Pen& pen, double top, std::size_t word) const {
  const TypeFace face = turned_face(words_[word]);
  const double room = labelled_[word] ? kLongestTurned * unit(style_) : words_height_ - kUnderBar;
  pen.turned_text({centre_[word] + face.cap_height() / 2, top + kUnderBar / 2},
                  face.elided(drawable(words_[word].text), room), face,
                  words_[word].special ? soft_ink(pen.theme()) : ink(pen.theme()), Across::right);
}

void SentenceLine::draw(Pen& pen, double top) const {
  draw_boxes(pen, top);
  draw_tags(pen, top);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const analysis::WordLabel& word = words_[i];
    if (turned_) {
      if (labelled_[i]) {
        draw_turned(pen, top, i);
      }
      continue;
    }
    const TypeFace face(style_, type_size(word, style_, size_));
    pen.text({centre_[i], top + TypeFace(style_, size_).ascent()}, drawable(word.text), face,
             word.special ? soft_ink(pen.theme()) : ink(pen.theme()), Across::centre);
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

// Labels that one of `fresh` would cut go whole, but those of `named`; no other one is cut with them.
void SentenceLine::leave_out_labels(Pen& pen, double top, const std::vector<std::size_t>& named,
                                    const std::vector<std::size_t>& fresh) const {
  if (!turned_) {
    return;
  }
  const double letters = TypeFace(style_, size_).cap_height();
  const auto near_one_of = [&](std::size_t word, const std::vector<std::size_t>& others, double apart) {
    return std::any_of(others.begin(), others.end(),
                       [&](std::size_t other) { return std::abs(centre_[word] - centre_[other]) < apart; });
  };
  std::vector<std::size_t> left_out;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const bool kept = std::find(named.begin(), named.end(), i) != named.end();
    if (labelled_[i] && !kept && near_one_of(i, fresh, letters - kRounding)) {
      left_out.push_back(i);
      pen.fill({centre_[i] - letters / 2 - 0.3, top + 1, letters + kLabelGap, words_height_},
               background(pen.theme()));
    }
  }
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const bool gone = std::find(left_out.begin(), left_out.end(), i) != left_out.end();
    if (labelled_[i] && !gone && near_one_of(i, left_out, letters + kLabelGap - kRounding)) {
      draw_turned(pen, top, i);  // stood close to it
    }
  }
}

void SentenceLine::light(Pen& pen, double top, const std::vector<std::int64_t>& words) const {
  std::vector<std::size_t> lit;
  for (const std::int64_t word : words) {
    const auto i = static_cast<std::size_t>(word);
    if (word >= 0 && i < words_.size() && std::find(lit.begin(), lit.end(), i) == lit.end()) {
      lit.push_back(i);
    }
  }
  std::vector<std::size_t> named;  // of `lit`, those that have a label now
  std::vector<std::size_t> fresh;  // and had none
  const double apart = turned_ ? kTight * TypeFace(style_, size_).cap_height() - kRounding : 0;
  for (const bool with_label : {true, false}) {
    for (const std::size_t i : lit) {
      const bool free = std::none_of(named.begin(), named.end(), [&](std::size_t other) {
        return std::abs(centre_[i] - centre_[other]) < apart;
      });
      if (turned_ && labelled_[i] == with_label && (with_label || free)) {
        named.push_back(i);
        fresh.insert(fresh.end(), with_label ? 0 : 1, i);
      }
    }
  }
  leave_out_labels(pen, top, named, fresh);
  QColor glow = accent(pen.theme());
  glow.setAlphaF(0.3F);
  for (const std::size_t i : lit) {
    pen.fill(area(static_cast<std::int64_t>(i), top), glow);
  }
  for (const std::size_t i : fresh) {
    draw_turned(pen, top, i);
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
