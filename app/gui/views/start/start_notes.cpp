#include "app/gui/views/start/start_notes.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/figures/readout.h"
#include "app/gui/session/part_text.h"
#include "app/gui/widgets/number_box.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

using analysis::TreeFigure;

class NumberDisc : public QWidget {
 public:
  NumberDisc(int number, QWidget* parent) : QWidget(parent), number_(number) { setFixedSize(20, 20); }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Roles roles = roles_of(palette());
    painter.setPen(Qt::NoPen);
    painter.setBrush(roles.ink);
    painter.drawEllipse(QRectF(rect()).adjusted(1, 1, -1, -1));
    QFont type = font();
    type.setPixelSize(11);
    type.setWeight(QFont::Bold);
    painter.setFont(type);
    painter.setPen(roles.surface);
    painter.drawText(rect(), Qt::AlignCenter, QString::number(number_));
  }

 private:
  int number_;
};

QString word_of(const TreeFigure& tree, std::int64_t word) {
  return QString::fromStdString(tree.words[static_cast<std::size_t>(word)].text);
}

// Each once, in the order of the sentence.
std::set<std::int64_t> leaves_of(const TreeFigure& tree) {
  std::set<std::int64_t> words;
  for (const analysis::TreeNode& node : tree.nodes) {
    if (node.left < 0) {
      words.insert(node.word);
    }
  }
  return words;
}

}  // namespace

StartNotes::StartNotes(QWidget* parent) : QWidget(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(8);
  for (int note = 0; note < kNotes; ++note) {
    row->addWidget(new NumberDisc(note + 1, this), 0, Qt::AlignTop);
    texts_[static_cast<std::size_t>(note)] = new QLabel(this);
    QLabel& text = *texts_[static_cast<std::size_t>(note)];
    QFont type = text.font();
    type.setPixelSize(12);
    text.setFont(type);
    text.setWordWrap(true);
    text.setTextFormat(Qt::RichText);
    text.setAlignment(Qt::AlignTop | Qt::AlignLeft);
    row->addWidget(&text, 1);
    row->addSpacing(note + 1 < kNotes ? 8 : 0);
  }
  hide();
}

void StartNotes::set(int note, const QString& title, const QString& text) {
  texts_[static_cast<std::size_t>(note)]->setText(
      QStringLiteral("<b>%1</b><br>%2").arg(title.toHtmlEscaped(), text.toHtmlEscaped()));
}

QString StartNotes::text(int note) const {
  return texts_[static_cast<std::size_t>(note)]->text();
}

void StartNotes::clear() {
  marks_.clear();
  hide();
}

void StartNotes::tell(const StartGraph& graph) {
  clear();
  const auto* tree = std::get_if<TreeFigure>(&graph.made.figure->body);
  if (tree == nullptr || graph.layer == 0 || tree->roots.size() != 1) {
    return;
  }
  const std::int64_t root = tree->roots.front();
  const analysis::TreeNode& join = tree->nodes[static_cast<std::size_t>(root)];
  const std::set<std::int64_t> leaves = leaves_of(*tree);
  QStringList words;
  for (const std::int64_t word : leaves) {
    words << word_of(*tree, word);
  }
  set(0, tr("What it collected"), tr("Its leaves, at the foot: %1").arg(words.join(QStringLiteral(", "))));
  const QString letters = figures::part_letters(join.part);
  const QString reads =
      letters.isEmpty()
          ? tr("Layer %1 joins “%2” with “%3”: attention × share = %4")
                .arg(join.layer)
                .arg(graph.word, graph.reached, short_number(join.weight))
          : tr("Layer %1 joins “%2” with “%3” by %4 (%5): attention × share = %6")
                .arg(join.layer)
                .arg(graph.word, graph.reached, part_text(join.part), letters, short_number(join.weight));
  set(1, tr("Where it looks"), reads);
  const bool carried = tree->layers > join.layer && std::isfinite(tree->carried_weight);
  set(2, tr("What it carries"),
      !carried                         ? tr("Nothing: this join is in the layer that is shown")
      : tree->layers == join.layer + 1 ? tr("That state, unchanged through layer %1: × %2")
                                             .arg(tree->layers)
                                             .arg(short_number(tree->carried_weight))
                                       : tr("That state, unchanged through layers %1–%2: × %3")
                                             .arg(join.layer + 1)
                                             .arg(tree->layers)
                                             .arg(short_number(tree->carried_weight)));
  // A leaf that is not the word itself says more.
  const auto other =
      std::find_if(leaves.begin(), leaves.end(), [&join](std::int64_t word) { return word != join.word; });
  using Of = figures::NoteMark::Of;
  marks_ = {
      {1, Of::word, other == leaves.end() ? join.word : *other}, {2, Of::node, root}, {3, Of::carried, 0}};
  show();
}

void StartNotes::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    update();
  }
}

}  // namespace mog::gui
