// What can be chosen of the attention view: matrix or arcs, threshold, words or pieces, special tokens, heads
// of the mean, blocks of a pair. Everything chosen is a setting of ViewState; the view follows it.
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <algorithm>

#include "app/gui/views/attention_view.h"
#include "app/gui/views/map_picker.h"
#include "app/gui/views/threshold_box.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"

namespace mog::gui {
namespace {
const QStringList kShows = {QStringLiteral("both"), QStringLiteral("matrix"), QStringLiteral("arcs")};
const QStringList kSpecial = {QStringLiteral("matrix"), QStringLiteral("both"), QStringLiteral("none")};
}  // namespace

void AttentionView::buildTools(QHBoxLayout* tools) {
  tools->setContentsMargins(0, 0, 8, 0);
  tools->addWidget(picker_, 1);
  show_choice_->add(tr("Matrix"), static_cast<int>(Show::matrix), tr("Only the matrix"));
  show_choice_->add(tr("Arcs"), static_cast<int>(Show::arcs), tr("Only the arcs"));
  show_choice_->add(tr("Both"), static_cast<int>(Show::both), tr("Matrix and arcs side by side"));
  show_choice_->setCurrent(static_cast<int>(Show::both));
  connect(show_choice_, &Choice::chosen, this, [this](int show) { setShow(static_cast<Show>(show)); });
  tools->addWidget(show_choice_);
  tools->addSpacing(4);
  tools->addWidget(threshold_);
  more_->setText(tr("Words") + QStringLiteral(" ▾"));
  more_->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  more_->setToolTip(tr("Words or pieces, special tokens, colours, heads of the mean, blocks of a pair"));
  more_->setAccessibleName(more_->toolTip());
  more_->setAutoRaise(true);
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setMenu(new QMenu(more_));
  connect(more_->menu(), &QMenu::aboutToShow, this, &AttentionView::fillMenu);
  tools->addSpacing(4);
  tools->addWidget(more_);
}

void AttentionView::fillMenu() {
  QMenu* menu = more_->menu();
  menu->clear();
  const auto add = [menu](const QString& text, bool on, QActionGroup* group) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    action->setActionGroup(group);
    return action;
  };
  connect(add(tr("Words in the place of pieces (W)"), !state().flag(setting::kAttentionPieces), nullptr),
          &QAction::triggered, this, &AttentionView::togglePieces);
  menu->addSection(tr("Special tokens (S)"));
  auto* special = new QActionGroup(menu);
  const QStringList texts = {tr("in the matrix"), tr("in matrix and arcs"), tr("nowhere")};
  for (qsizetype i = 0; i < kSpecial.size(); ++i) {
    connect(add(texts[i], state().choice(setting::kAttentionSpecial) == kSpecial[i], special),
            &QAction::triggered, this, [this, i] { state().set(setting::kAttentionSpecial, kSpecial[i]); });
  }
  menu->addSection(tr("Colours"));
  auto* colouring = new QActionGroup(menu);
  connect(add(tr("by the square root of the weight: small weights are told apart"),
              colours() == analysis::ColourScale::Spacing::root, colouring),
          &QAction::triggered, this, [this] { setColours(analysis::ColourScale::Spacing::root); });
  connect(add(tr("by the weight"), colours() == analysis::ColourScale::Spacing::even, colouring),
          &QAction::triggered, this, [this] { setColours(analysis::ColourScale::Spacing::even); });
  const std::int64_t heads = selection().extent().heads;
  if (heads > 1) {
    menu->addSection(tr("Heads of the mean (X, Shift+X)"));
    const auto off = state().list(setting::kHeadsOff);
    for (std::int64_t head = 1; head <= heads; ++head) {
      const bool on = std::find(off.begin(), off.end(), head) == off.end();
      connect(add(tr("head %1").arg(head), on, nullptr), &QAction::triggered, this,
              [this, head] { toggleHead(head); });
    }
  }
  fillBlocks(menu);
}

void AttentionView::fillBlocks(QMenu* menu) {
  if (map_.texts < 2) {
    return;
  }
  menu->addSection(tr("Blocks of the pair"));
  auto* group = new QActionGroup(menu);
  const auto now = state().list(setting::kAttentionBlock);
  for (std::int64_t query = 0; query <= map_.texts; ++query) {
    for (std::int64_t key = 0; key <= map_.texts; ++key) {
      if ((query == 0) != (key == 0)) {
        continue;
      }
      QAction* action =
          menu->addAction(query == 0 ? tr("whole") : tr("text %1 on text %2").arg(query).arg(key));
      action->setCheckable(true);
      action->setActionGroup(group);
      action->setChecked(now == std::vector{query, key});
      connect(action, &QAction::triggered, this, [this, query, key] {
        state().set(setting::kAttentionBlock, ViewState::Value(std::vector<double>{
                                                  static_cast<double>(query), static_cast<double>(key)}));
      });
    }
  }
}

void AttentionView::setShow(Show show) {
  state().set(setting::kAttentionShow, kShows[static_cast<qsizetype>(show)]);
}

void AttentionView::toggleHead(std::int64_t head) {
  const std::int64_t heads = selection().extent().heads;
  std::vector<double> off;
  for (const std::int64_t one : state().list(setting::kHeadsOff)) {
    if (one <= heads) {
      off.push_back(static_cast<double>(one));
    }
  }
  if (head == 0) {
    off.clear();
  } else if (head >= 1 && head <= heads) {
    const auto at = std::find(off.begin(), off.end(), static_cast<double>(head));
    if (at != off.end()) {
      off.erase(at);
    } else {
      off.push_back(static_cast<double>(head));
    }
  }
  std::sort(off.begin(), off.end());
  if (static_cast<std::int64_t>(off.size()) >= heads && heads > 0) {
    Q_EMIT said(tr("One head stays in the mean."));
    return;
  }
  state().set(setting::kHeadsOff, ViewState::Value(off));
}

void AttentionView::isolateHead(std::int64_t head) {
  const std::int64_t heads = selection().extent().heads;
  if (head < 1 || head > heads) {
    toggleHead(0);
    return;
  }
  std::vector<double> off;
  for (std::int64_t one = 1; one <= heads; ++one) {
    if (one != head) {
      off.push_back(static_cast<double>(one));
    }
  }
  const bool already = headsOfMean() == std::vector{head};
  state().set(setting::kHeadsOff, ViewState::Value(already ? std::vector<double>{} : off));
}

void AttentionView::togglePieces() {
  state().set(setting::kAttentionPieces, ViewState::Value(!state().flag(setting::kAttentionPieces)));
}

void AttentionView::nextSpecialTokens() {
  const qsizetype now = kSpecial.indexOf(state().choice(setting::kAttentionSpecial));
  state().set(setting::kAttentionSpecial, kSpecial[(now + 1) % kSpecial.size()]);
}

analysis::ColourScale::Spacing AttentionView::colours() const {
  return analysis::parse_spacing(state().choice(setting::kAttentionColours).toStdString());
}

void AttentionView::setColours(analysis::ColourScale::Spacing colours) {
  state().set(setting::kAttentionColours, QString::fromUtf8(analysis::name(colours).data()));
}

void AttentionView::focusThreshold() {
  if (threshold_->isVisible()) {  // there are arcs
    threshold_->takeFocus();
  }
}

void AttentionView::focusPicture() {
  (matrix_->isVisible() ? matrix_ : arcs_)->setFocus(Qt::ShortcutFocusReason);
}

std::vector<std::int64_t> AttentionView::headsOfMean() const {
  return heads_of_mean(state(), selection().extent().heads);
}

analysis::TokenOptions AttentionView::tokenOptions() const {
  const auto block = state().list(setting::kAttentionBlock);
  return {.special_tokens = state().choice(setting::kAttentionSpecial) != QLatin1String("none"),
          .by_word = !state().flag(setting::kAttentionPieces),
          .heads = headsOfMean(),
          .block = {block.at(0), block.at(1)}};
}

// After a hand, undo or a session changed a setting.
void AttentionView::showState(const QString& name) {
  if (name == setting::kAttentionShow) {
    const auto show = static_cast<Show>(kShows.indexOf(state().choice(name)));
    show_choice_->setCurrent(static_cast<int>(show));
    if (!grid_->isHidden()) {
      matrix_->setVisible(show != Show::arcs);
      arcs_->setVisible(show != Show::matrix);
    }
  } else if (name == setting::kAttentionThreshold) {
    if (map_.arcs.figure && smallestArc() < map_.arcs.made_by.real_of("threshold")) {
      invalidate();  // weaker ones than were read
    } else {
      drawArcs();
      updateHighlights();
    }
  } else if (name == setting::kHeadsOff || name == setting::kAttentionPieces ||
             name == setting::kAttentionSpecial || name == setting::kAttentionBlock ||
             name == setting::kAttentionColours) {
    just_toggled_.reset();
    matrix_hit_.reset();
    invalidate();
  }
}

// As wide as its thumbnails ask for, at most a quarter, for many heads a third; the rest is shared by matrix
// and arcs.
void AttentionView::giveGridItsWidth() {
  const int whole = splitter_->width();
  const int most = std::max({96, whole / 4, std::min(whole / 3, grid_->widthToLookAt())});
  const int wide = std::clamp(grid_->widthForHeight(splitter_->height()), 96, most);
  splitter_->setSizes({wide, (whole - wide) / 2, (whole - wide) / 2});
}

}  // namespace mog::gui
