#include "app/gui/views/translation/translation_words.h"

#include <QEnterEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figures/style.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/widgets/wrapping_layout.h"

namespace mog::gui {
namespace {

constexpr int kBeside = 7;  // of a word, inside its button
constexpr int kAbove = 4;
constexpr int kApart = 4;
constexpr double kMostShade = 0.85;  // of the ramp: the word stays readable on it

QFont word_font(const QWidget& widget) {
  QFont font = widget.font();
  font.setPixelSize(QFontInfo(font).pixelSize() + 3);
  return font;
}

}  // namespace

WordButton::WordButton(const QString& text, QWidget* parent) : QToolButton(parent) {
  setText(text);
  setCheckable(true);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(text);
}

void WordButton::setShade(double share, const QString& spoken) {
  shade_ = share;
  setAccessibleName(spoken.isEmpty() ? text() : QStringLiteral("%1, %2").arg(text(), spoken));
  setToolTip(spoken);
  update();
}

QSize WordButton::sizeHint() const {
  const QFontMetrics metrics(word_font(*this));
  return {metrics.horizontalAdvance(text()) + 2 * kBeside, metrics.height() + 2 * kAbove};
}

void WordButton::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
  QColor ground = figures::weight_colour(kMostShade * shade_, figure_theme(palette()));
  painter.setPen(Qt::NoPen);
  if (shade_ > 0) {
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 4, 4);
  } else {
    ground = roles.surface;
  }
  if (isChecked() || hasFocus() || underMouse()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(isChecked() || hasFocus() ? roles.accent : roles.border, isChecked() ? 2 : 1));
    painter.drawRoundedRect(box, 4, 4);
  }
  painter.setFont(word_font(*this));
  const QColor other = roles.window;
  painter.setPen(contrast(roles.ink, ground) >= contrast(other, ground) ? roles.ink : other);
  painter.drawText(rect(), Qt::AlignCenter, text());
}

void WordButton::enterEvent(QEnterEvent* event) {
  QToolButton::enterEvent(event);
  Q_EMIT entered();
}

void WordButton::leaveEvent(QEvent* event) {
  QToolButton::leaveEvent(event);
  Q_EMIT left();
}

TranslationWords::TranslationWords(QWidget* parent)
    : QWidget(parent),
      source_line_(new QWidget(this)),
      target_line_(new QWidget(this)),
      source_layout_(new WrappingLayout(kApart, source_line_)),
      target_layout_(new WrappingLayout(kApart, target_line_)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(12, 8, 12, 8);
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(8);
  grid->setColumnStretch(1, 1);
  int row = 0;
  for (const auto& [text, line] :
       {std::pair(tr("Source"), source_line_), std::pair(tr("Translation"), target_line_)}) {
    auto* label = new QLabel(text, this);
    label->setMargin(kAbove);
    grid->addWidget(label, row, 0, Qt::AlignTop);
    grid->addWidget(line, row++, 1);
    line->setAccessibleName(text);
  }
  QSizePolicy grows(QSizePolicy::Preferred, QSizePolicy::Minimum);
  grows.setHeightForWidth(true);
  source_line_->setSizePolicy(grows);
  target_line_->setSizePolicy(grows);
}

void TranslationWords::fill(std::vector<WordButton*>& buttons, const std::vector<QString>& words, Side side,
                            WrappingLayout& line) {
  for (WordButton* const old : buttons) {
    delete old;  // its place in the layout goes with it
  }
  buttons.clear();
  for (const QString& word : words) {
    auto* button = new WordButton(word, line.parentWidget());
    const auto index = static_cast<std::int64_t>(buttons.size());
    connect(button, &QToolButton::clicked, this, [this, side, index] {
      choose(side, chosen(side) == index ? std::nullopt : std::optional(index));
    });
    connect(button, &WordButton::entered, this, [this, side, index] { Q_EMIT pointed(told(side, index)); });
    connect(button, &WordButton::left, this, [this] { Q_EMIT pointed({}); });
    line.addWidget(button);
    button->show();
    buttons.push_back(button);
  }
}

void TranslationWords::setWords(const std::vector<QString>& source, const std::vector<QString>& target) {
  weights_.clear();
  source_values_.clear();
  chosen_.reset();
  fill(source_, source, Side::source, *source_layout_);
  fill(target_, target, Side::target, *target_layout_);
  updateGeometry();
  shade();
}

void TranslationWords::setWeights(std::vector<double> weights, Side on) {
  const std::size_t wanted = target_.size() * buttons(on).size();
  weights_ = weights.size() == wanted ? std::move(weights) : std::vector<double>();
  weights_on_ = on;
  source_values_.clear();
  shade();
}

void TranslationWords::shadeSource(std::vector<double> values) {
  source_values_ = values.size() == source_.size() ? std::move(values) : std::vector<double>();
  shade();
}

void TranslationWords::choose(Side side, std::optional<std::int64_t> word) {
  const std::vector<WordButton*>& all = buttons(side);
  if (word && (*word < 0 || *word >= static_cast<std::int64_t>(all.size()))) {
    word.reset();
  }
  const bool same = chosen_ == word && (chosen_side_ == side || !word);
  chosen_side_ = side;
  chosen_ = word;
  shade();
  if (!same) {
    Q_EMIT chosenChanged();
  }
}

double TranslationWords::weight(std::int64_t target, std::int64_t other) const {
  const std::size_t columns = buttons(weights_on_).size();
  const double value = weights_[static_cast<std::size_t>(target) * columns + static_cast<std::size_t>(other)];
  return std::isfinite(value) ? value : 0;
}

std::vector<double> TranslationWords::valuesOf(Side side, Side of, std::int64_t word) const {
  const bool row = of == Side::target && side == weights_on_;
  const bool column = of == Side::source && side == Side::target && weights_on_ == Side::source;
  std::vector<double> values;
  for (std::size_t i = 0; (row || column) && !weights_.empty() && i < buttons(side).size(); ++i) {
    const auto other = static_cast<std::int64_t>(i);
    values.push_back(row ? weight(word, other) : weight(other, word));
  }
  return values;
}

void TranslationWords::shade() {
  for (const Side side : {Side::source, Side::target}) {
    const std::vector<WordButton*>& all = buttons(side);
    std::vector<double> values = chosen_ ? valuesOf(side, chosen_side_, *chosen_) : std::vector<double>();
    if (side == Side::source && !source_values_.empty()) {
      values = source_values_;
    }
    const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i]->setChecked(chosen_side_ == side && chosen_ == static_cast<std::int64_t>(i));
      all[i]->setShade(most > 0 ? std::max(0.0, values[i]) / most : 0,
                       values.empty() ? QString() : QLocale().toString(values[i], 'g', 2));
    }
  }
}

// "hound: dog 0.62, a 0.11, the 0.05": the three strongest of those that it has to do with.
QString TranslationWords::told(Side side, std::int64_t word) const {
  const Side other = side == Side::source ? Side::target : weights_on_;
  const std::vector<double> weights = valuesOf(other, side, word);
  std::vector<std::pair<double, std::size_t>> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    values.emplace_back(weights[i], i);
  }
  constexpr std::size_t kTold = 3;
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  values.resize(std::min(values.size(), kTold));
  QStringList strongest;
  for (const auto& [value, place] : values) {
    strongest.push_back(buttons(other)[place]->text() + QLatin1Char(' ') + QLocale().toString(value, 'g', 2));
  }
  const QString name = buttons(side)[static_cast<std::size_t>(word)]->text();
  return strongest.isEmpty() ? name : name + QStringLiteral(": ") + strongest.join(QStringLiteral(", "));
}

}  // namespace mog::gui
