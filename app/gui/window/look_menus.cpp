#include "app/gui/window/look_menus.h"

#include <QAction>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include "app/gui/session/part_text.h"
#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/window/hold_sentence.h"
#include "app/gui/window/menu_keys.h"
#include "app/gui/window/rail.h"
#include "app/gui/window/status_line.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {

LookMenus::LookMenus(QMainWindow& window, SelectionModel& selection, const ViewSet& views, Rail& rail,
                     SentenceStrip& strip, StatusLine& status)
    : window_(window), selection_(selection), views_(views), rail_(rail), strip_(strip), status_(status) {
  buildSentence();
  buildLook();
}

void LookMenus::buildSentence() {
  QMenu& menu = *window_.menuBar()->addMenu(tr("&Sentence"));
  auto& sentences = views_.get<SentenceView>();
  add_key(menu, tr("&Type a sentence"), QKeySequence(tr("Ctrl+L")), this, [this] { rail_.focusTyping(); });
  add_key(menu, tr("&Run it"), QKeySequence(tr("Ctrl+R")), this, [this] { rail_.field().run(); });
  add_key(menu, tr("&Find"), QKeySequence(Qt::Key_Slash), this, [this, &sentences] {
    views_.show(SentenceView::kind());
    sentences.focusFind();
  });
  menu.addSeparator();
  add_key(menu, tr("Sentence &before"), QKeySequence(Qt::Key_PageUp), this,
          [&sentences] { sentences.step(-1); });
  add_key(menu, tr("&Next sentence"), QKeySequence(Qt::Key_PageDown), this,
          [&sentences] { sentences.step(1); });
  add_key(menu, tr("&All sentences"), QKeySequence(Qt::Key_Escape), this, [this] { escape(); });
}

void LookMenus::buildLook() {
  QMenu& look = *window_.menuBar()->addMenu(tr("&Look"));
  addPlaces(look);
  look.addSeparator();
  addParts(look);
  look.addSeparator();
  add_key(look, tr("Pin token, or let go"), QKeySequence(Qt::Key_P), this,
          [this] { selection_.togglePin(); });
  look.addSeparator();
  addViews(look);
}

void LookMenus::addPlaces(QMenu& look) {
  add_key(look, tr("Word before"), QKeySequence(Qt::Key_Left), this, [this] { stepWord(-1); });
  add_key(look, tr("Next word"), QKeySequence(Qt::Key_Right), this, [this] { stepWord(1); });
  // Pictures have the highest layer on top.
  add_key(look, tr("Layer above"), QKeySequence(Qt::Key_Up), this, [this] { selection_.stepLayer(1); });
  add_key(look, tr("Layer below"), QKeySequence(Qt::Key_Down), this, [this] { selection_.stepLayer(-1); });
  add_key(look, tr("Head before"), QKeySequence(Qt::Key_BracketLeft), this,
          [this] { selection_.stepHead(-1); });
  add_key(look, tr("Next head"), QKeySequence(Qt::Key_BracketRight), this,
          [this] { selection_.stepHead(1); });
}

void LookMenus::addParts(QMenu& look) {
  add_key(look, tr("All parts"), QKeySequence(Qt::Key_0), this, [this] { choosePart(Part::none); });
  for (int key = 1; key <= kPartKeys; ++key) {
    part_actions_.push_back(
        add_key(look, tr("Part %1").arg(key), QKeySequence(Qt::Key_0 + key), this, [this, key] {
          const std::vector<Part>& parts = selection_.extent().keys;
          if (key <= static_cast<int>(parts.size())) {
            choosePart(parts[static_cast<std::size_t>(key - 1)]);
          }
        }));
  }
  connect(&selection_, &SelectionModel::sentenceChanged, this, &LookMenus::namePartActions);
  namePartActions();
}

void LookMenus::addViews(QMenu& look) {
  auto& attention = views_.get<AttentionView>();
  AttentionChoices& choices = attention.choices();
  add_key(look, tr("Hold this sentence to compare, or let go"), QKeySequence(Qt::Key_D), this,
          [this] { hold_sentence(views_); });
  add_key(look, tr("Words or pieces"), QKeySequence(Qt::Key_W), this, [&choices] { choices.togglePieces(); });
  add_key(look, tr("Special tokens"), QKeySequence(Qt::Key_S), this,
          [&choices] { choices.nextSpecialTokens(); });
  add_key(look, tr("Threshold of the arcs"), QKeySequence(Qt::Key_T), this, [this, &attention] {
    // One threshold for all pictures of arcs: its number stands where the reader is.
    auto& figures = views_.get<FurtherFiguresView>();
    if (views_.inUse() != &figures || !figures.focusThreshold()) {
      attention.focusThreshold();
    }
  });
  add_key(look, tr("Head in or out of the means"), QKeySequence(Qt::Key_X), this,
          [this, &choices] { choices.toggleHead(selection_.head()); });
  add_key(look, tr("Only this head in the means"), QKeySequence(tr("Shift+X")), this,
          [this, &choices] { choices.isolateHead(selection_.head()); });
}

// The keys lead now, wherever the pointer was left.
void LookMenus::stepWord(int by) {
  for (FigureCanvas* picture : window_.findChildren<FigureCanvas*>()) {
    picture->forgetPointer();
  }
  status_.setReadout({});
  selection_.setHovered(std::nullopt);
  strip_.stepWord(by);
}

// The menu names the parts of the recording that is looked at.
void LookMenus::namePartActions() {
  const std::vector<Part>& parts = selection_.extent().keys;
  for (std::size_t i = 0; i < part_actions_.size(); ++i) {
    part_actions_[i]->setVisible(i < parts.size());
    if (i < parts.size()) {
      part_actions_[i]->setText(tr("Part: %1").arg(part_text(parts[i])));
    }
  }
}

void LookMenus::choosePart(Part part) {
  selection_.setPart(part);
  if (selection_.sentence().valid() && selection_.part() != part) {
    status_.setReadout(
        part.role() == PartRole::carried && selection_.extent().parts.size() > 1
            ? tr("What is carried on (%1) is not attended to: it has a share and a gate, but no map.")
                  .arg(part_text(part))
            : tr("There are no maps of the part %1 in this recording.").arg(part_text(part)));
  }
}

void LookMenus::escape() {
  if (selection_.token()) {
    selection_.setToken(std::nullopt);
  } else {
    selection_.setLengthRange(std::nullopt);
    views_.get<SentenceView>().find().clear();
  }
  const QWidget* const now = window_.focusWidget();
  if (qobject_cast<const FigureCanvas*>(now) == nullptr &&
      qobject_cast<const LayerHeadGrid*>(now) == nullptr) {
    views_.focusPicture();
  }
}

}  // namespace mog::gui
