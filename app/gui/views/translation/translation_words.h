// A sentence above its translation, every word a button: the chosen one is framed, and words of the other
// side (or of its own) are shaded by how much the two have to do with each other.
#pragma once

#include <QString>
#include <QToolButton>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

class QLabel;

namespace mog::gui {

class WrappingLayout;

// One word; its shade is a share, 0 to 1.
class WordButton : public QToolButton {
  Q_OBJECT
 public:
  explicit WordButton(const QString& text, QWidget* parent = nullptr);
  void setShade(double share, const QString& spoken);  // spoken: the share in words
  double shade() const { return shade_; }
  QSize sizeHint() const override;

 Q_SIGNALS:
  void entered();
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  double shade_ = 0;
};

class TranslationWords : public QWidget {
  Q_OBJECT
 public:
  enum class Side : std::uint8_t { source, target };
  explicit TranslationWords(QWidget* parent = nullptr);
  void setWords(const std::vector<QString>& source, const std::vector<QString>& target);
  // [target word, word of `on`], not negative; empty: nothing is shaded. Rows and columns are shaded by the
  // share of their greatest value.
  void setWeights(std::vector<double> weights, Side on = Side::source);
  // Shades the words of the source by these while they are given, one a word; empty: by the weights again.
  void shadeSource(std::vector<double> values);
  // Another one of the same side, or nullopt, lets go of it.
  void choose(Side side, std::optional<std::int64_t> word);
  std::optional<std::int64_t> chosen(Side side) const {
    return side == chosen_side_ ? chosen_ : std::nullopt;
  }
  const std::vector<WordButton*>& buttons(Side side) const {
    return side == Side::source ? source_ : target_;
  }

 Q_SIGNALS:
  void chosenChanged();
  void pointed(const QString& text);  // what is under the pointer, in words; empty: nothing

 private:
  void fill(std::vector<WordButton*>& buttons, const std::vector<QString>& words, Side side,
            WrappingLayout& line);
  void shade();
  double weight(std::int64_t target, std::int64_t other) const;
  // What the words of a side have to do with `word` of `of`; empty: nothing is known.
  std::vector<double> valuesOf(Side side, Side of, std::int64_t word) const;
  QString told(Side side, std::int64_t word) const;

  QWidget* source_line_;
  QWidget* target_line_;
  WrappingLayout* source_layout_;
  WrappingLayout* target_layout_;
  std::vector<WordButton*> source_;
  std::vector<WordButton*> target_;
  std::vector<double> weights_;
  Side weights_on_ = Side::source;
  std::vector<double> source_values_;
  Side chosen_side_ = Side::target;
  std::optional<std::int64_t> chosen_;
};

}  // namespace mog::gui
