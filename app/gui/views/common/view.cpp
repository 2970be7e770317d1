#include "app/gui/views/common/view.h"

#include <QShowEvent>
#include <algorithm>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "io/recording/top_keys.h"

namespace mog::gui {
View::View(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  const auto follow = [this] {
    if (source() == nullptr) {
      invalidate();
    }
  };
  connect(&workspace(), &Workspace::modelChanged, this, [this] {
    if (source() == nullptr || offers_) {
      invalidate();
    }
  });
  connect(&workspace(), &Workspace::runningChanged, this, follow);
  connect(&workspace(), &Workspace::itemAdded, this, follow);
  connect(&workspace(), &Workspace::itemRemoved, this, follow);
  connect(&workspace(), &Workspace::allRemoved, this, follow);
  due_.setSingleShot(true);
  connect(&due_, &QTimer::timeout, this, &View::refreshIfDue);
}

bool View::stale() const {
  return stale_ || std::any_of(asks_in_.begin(), asks_in_.end(),
                               [this](const QString& slot) { return jobs().busyIn(slot); });
}

void View::askAnew() {
  stale_ = false;
  offers_ = false;
  for (const QString& slot : asks_in_) {
    jobs().cancelSlot(slot);
  }
  refresh();
}

// Several signals of one change of the selection lead to one refresh.
void View::invalidate() {
  stale_ = true;
  if (isVisible()) {
    due_.start(0);
  }
}

void View::refreshIfDue() {
  if (stale_ && isVisible()) {
    askAnew();
  }
}

View::Empty View::whyNoSentence() const {
  if (workspace().isRunning()) {
    return {tr("The model runs…"), tr("Its sentence is shown as soon as it is done.")};
  }
  if (workspace().isOpening()) {
    return {tr("Opening…"), tr("The job list shows how far it is.")};
  }
  if (!workspace().items().empty()) {
    return withSentences() == nullptr
               ? Empty{tr("No sentence in this recording"),
                       tr("It ended before its first sentence: record the corpus again, or open another "
                          "recording with Ctrl+O.")}
               : Empty{tr("No sentence is chosen"), tr("Choose one in the sentence table.")};
  }
  return workspace().currentModel() != nullptr
             ? Empty{tr("No sentence yet"),
                     tr("Type a sentence (Ctrl+L) and press Enter, or record a corpus with Ctrl+B.")}
             : Empty{tr("Nothing is open yet"),
                     tr("Open a recording or a model with Ctrl+O, or drop its folder on this window.")};
}

const WorkspaceItem* View::withSentences() const {
  const auto& items = workspace().items();
  const auto any = std::find_if(items.begin(), items.end(),
                                [](const WorkspaceItem& item) { return !item.tokens.empty(); });
  return any == items.end() ? nullptr : &*any;
}

View::Empty View::noSentence(const QString& purpose) {
  Empty empty = whyNoSentence();
  if (!workspace().isRunning() && !workspace().isOpening()) {
    if (const WorkspaceItem* any = withSentences()) {
      empty.offer = {tr("Choose the first"), [this, id = any->id] { workspace().select({id, 0}); }};
    } else if (workspace().items().empty() && workspace().currentModel() != nullptr) {
      empty.offer = {tr("Type a sentence"), [this] { Q_EMIT typingAsked(); }};
    } else {
      empty.offer = {tr("Open…"), [this] { Q_EMIT openAsked(); }};
    }
  }
  if (!purpose.isEmpty()) {
    empty.hint += QLatin1Char('\n') + purpose;
  }
  return empty;
}

Offer View::modelOffer() {
  offers_ = true;
  const WorkspaceItem* item = workspace().selectedItem();
  if (item == nullptr || item->kind != WorkspaceItem::Kind::recording) {
    return {};  // of a typed sentence everything is there that its model gives
  }
  if (workspace().modelOf(*item) != nullptr || !workspace().modelFolderOf(*item).isEmpty()) {
    return {tr("Run the model on this sentence"),
            [this, of = selection().sentence()] { workspace().runAgain(of); }};
  }
  return {tr("Open its model…"), [this] { Q_EMIT openAsked(); }};
}

View::Empty View::notRecorded(const QString& title, const QString& hint) {
  return {title, hint, modelOffer()};
}

QString View::cutRowsHint() const {
  const auto recording = source();
  const std::int64_t held = recording == nullptr ? 0 : top_keys_held(recording->header());
  return held == 0 ? QString()
                   : QLatin1Char(' ') + tr("This one holds the %1 greatest weights of each row alone "
                                           "(--store-top-k), which are no map.")
                                            .arg(held);
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) {
    due_.start(0);
  }
}

std::shared_ptr<const RecordingSource> View::source() const {
  const WorkspaceItem* item = workspace().selectedItem();
  return item == nullptr ? nullptr : item->source;
}

GoldTreebank View::gold() const {
  const GoldSyntax& gold = workspace().gold();
  return {gold.treebank(), gold.path().toStdString()};
}

QString View::selectionName() const {
  return QStringLiteral("s%1-l%2").arg(selection().sentence().index + 1).arg(selection().layer());
}

}  // namespace mog::gui
