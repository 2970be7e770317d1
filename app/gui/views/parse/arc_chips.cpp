#include "app/gui/views/parse/arc_chips.h"

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/wrapping_layout.h"

namespace mog::gui {
namespace {

constexpr int kApart = 6;

QString word_of(const std::vector<QString>& words, std::int32_t vertex) {
  const auto at = static_cast<std::size_t>(vertex);
  return vertex == 0 ? ArcChips::tr("root") : at <= words.size() ? words[at - 1] : QString();
}

}  // namespace

ArcChips::ArcChips(QWidget* parent)
    : QWidget(parent),
      line_(new QWidget(this)),
      layout_(new WrappingLayout(kApart, line_)),
      label_(new QLabel(tr("Set by hand:"), line_)),
      clear_(new QToolButton(line_)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 0, 8, 4);
  column->addWidget(line_);
  label_->setMargin(4);
  layout_->addWidget(label_);
  clear_->setText(tr("Let go of all"));
  clear_->setAutoRaise(true);
  clear_->setFocusPolicy(Qt::TabFocus);
  connect(clear_, &QToolButton::clicked, this, &ArcChips::letGoOfAll);
  layout_->addWidget(clear_);
  QSizePolicy grows(QSizePolicy::Preferred, QSizePolicy::Minimum);
  grows.setHeightForWidth(true);
  line_->setSizePolicy(grows);
  hide();
}

void ArcChips::add(const app::TreeArc& arc, bool forced, const std::vector<QString>& words) {
  const QString text = QStringLiteral("%1 → %2").arg(word_of(words, arc.head), word_of(words, arc.dependent));
  auto* button = new QToolButton(line_);
  button->setText(forced ? text : tr("not %1").arg(text));
  button->setIcon(icon(Icon::close, palette()));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setFocusPolicy(Qt::TabFocus);
  button->setToolTip(tr("Let go of it: the parser decides again"));
  button->setAccessibleName(forced ? tr("Forced: %1").arg(text) : tr("Forbidden: %1").arg(text));
  button->setAccessibleDescription(button->toolTip());
  connect(button, &QToolButton::clicked, this, [this, arc] { Q_EMIT letGo(arc); });
  layout_->addWidget(button);
  button->show();
  buttons_.push_back(button);
}

void ArcChips::setArcs(const app::TreeConstraints& arcs, const std::vector<QString>& words) {
  for (QToolButton* const button : buttons_) {
    layout_->removeWidget(button);
    button->hide();
    button->deleteLater();  // one may be the sender
  }
  buttons_.clear();
  layout_->removeWidget(clear_);
  for (const app::TreeArc& arc : arcs.forced) {
    add(arc, true, words);
  }
  for (const app::TreeArc& arc : arcs.forbidden) {
    add(arc, false, words);
  }
  layout_->addWidget(clear_);
  clear_->setVisible(buttons_.size() > 1);
  QWidget* before = nullptr;
  for (QToolButton* const button : buttons_) {
    if (before != nullptr) {
      setTabOrder(before, button);
    }
    before = button;
  }
  if (before != nullptr) {
    setTabOrder(before, clear_);
  }
  setVisible(!arcs.empty());
  line_->updateGeometry();
}

}  // namespace mog::gui
