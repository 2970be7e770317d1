#include "app/gui/views/attention/attention_tools.h"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/map_picker.h"
#include "app/gui/views/common/threshold_box.h"

namespace mog::gui {
namespace {

using Show = AttentionChoices::Show;
using Colouring = analysis::ColourScale::Colouring;

QAction* add_entry(QMenu& menu, const QString& text, bool on, QActionGroup* group = nullptr) {
  QAction* action = menu.addAction(text);
  action->setCheckable(true);
  action->setChecked(on);
  action->setActionGroup(group);
  return action;
}

}  // namespace

AttentionTools::AttentionTools(const ViewContext& context, AttentionChoices& choices, QWidget& view)
    : selection_(context.selection),
      choices_(choices),
      picker_(new MapPicker(context.selection, &view)),
      show_(new Choice(tr("Shown as"), &view)),
      threshold_(new ThresholdBox(context.state, tr("about two arcs a word"), &view)),
      more_(new QToolButton(&view)) {
  setContentsMargins(0, 0, 8, 0);
  addWidget(picker_, 1);
  show_->add(tr("Map and arcs"), static_cast<int>(Show::both),
             tr("The map, and below it the two strongest keys of each word as arcs"));
  show_->add(tr("Map"), static_cast<int>(Show::matrix), tr("Only the map"));
  show_->add(tr("Arcs"), static_cast<int>(Show::arcs), tr("Only the arcs"));
  show_->setCurrent(static_cast<int>(choices_.show()));
  connect(show_, &Choice::chosen, this, [this](int show) { choices_.setShow(static_cast<Show>(show)); });
  connect(&context.state, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kAttentionShow) {
      show_->setCurrent(static_cast<int>(choices_.show()));
    }
  });
  addWidget(show_);
  addSpacing(4);
  addWidget(threshold_);
  more_->setText(tr("Words") + QStringLiteral(" ▾"));
  more_->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  more_->setToolTip(tr("Words or pieces, special tokens, colours, heads of the mean, blocks of a pair"));
  more_->setAccessibleName(more_->toolTip());
  more_->setAutoRaise(true);
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setMenu(new QMenu(more_));
  connect(more_->menu(), &QMenu::aboutToShow, this, &AttentionTools::fillMenu);
  addSpacing(4);
  addWidget(more_);
}

void AttentionTools::setMapsShown(bool shown) {
  for (QWidget* widget : std::initializer_list<QWidget*>{show_, threshold_, more_}) {
    widget->setVisible(shown);
  }
}

void AttentionTools::focusThreshold() {
  if (threshold_->isVisible()) {
    threshold_->takeFocus();
  }
}

void AttentionTools::fillMenu() {
  QMenu& menu = *more_->menu();
  menu.clear();
  connect(add_entry(menu, tr("Words in the place of pieces (W)"), !choices_.pieces()), &QAction::triggered,
          this, [this] { choices_.togglePieces(); });
  menu.addSection(tr("Special tokens (S)"));
  auto* special = new QActionGroup(&menu);
  const QStringList texts = {tr("in the matrix"), tr("in matrix and arcs"), tr("nowhere")};
  for (qsizetype i = 0; i < texts.size(); ++i) {
    const QString where = AttentionChoices::specialTokens()[i];
    connect(add_entry(menu, texts[i], choices_.special() == where, special), &QAction::triggered, this,
            [this, where] { choices_.setSpecial(where); });
  }
  connect(add_entry(menu, tr("in the scale of the colours"), choices_.specialInScale()), &QAction::triggered,
          this, [this] { choices_.setSpecialInScale(!choices_.specialInScale()); });
  menu.addSection(tr("Colours"));
  auto* colouring = new QActionGroup(&menu);
  const auto add_colours = [&](const QString& text, Colouring colours) {
    connect(add_entry(menu, text, choices_.colours() == colours, colouring), &QAction::triggered, this,
            [this, colours] { choices_.setColours(colours); });
  };
  add_colours(tr("by the power 0.6 of the weight: small weights are told apart"), Colouring::power);
  add_colours(tr("by the square root of the weight"), Colouring::root);
  add_colours(tr("by the weight"), Colouring::even);
  add_colours(tr("cividis, by the power 0.6 of the weight"), Colouring::cividis);
  fillHeads(menu);
  fillBlocks(menu);
}

void AttentionTools::fillHeads(QMenu& menu) {
  const std::int64_t heads = selection_.extent().heads;
  if (heads < 2) {
    return;
  }
  menu.addSection(tr("Heads of the mean (X, Shift+X)"));
  const auto means = choices_.headsOfMean();
  for (std::int64_t head = 1; head <= heads; ++head) {
    const bool on = means.empty() || std::find(means.begin(), means.end(), head) != means.end();
    connect(add_entry(menu, tr("head %1").arg(head), on), &QAction::triggered, this,
            [this, head] { choices_.toggleHead(head); });
  }
}

void AttentionTools::fillBlocks(QMenu& menu) {
  if (texts_ < 2) {
    return;
  }
  menu.addSection(tr("Blocks of the pair"));
  auto* group = new QActionGroup(&menu);
  for (std::int64_t query = 0; query <= texts_; ++query) {
    for (std::int64_t key = 0; key <= texts_; ++key) {
      if ((query == 0) != (key == 0)) {
        continue;
      }
      const analysis::PairBlock block{query, key};
      const QString text = query == 0 ? tr("whole") : tr("text %1 on text %2").arg(query).arg(key);
      connect(add_entry(menu, text, choices_.block() == block, group), &QAction::triggered, this,
              [this, block] { choices_.setBlock(block); });
    }
  }
}

}  // namespace mog::gui
