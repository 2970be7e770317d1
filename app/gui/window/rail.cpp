#include "app/gui/window/rail.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <cstdint>
#include <map>
#include <utility>

#include "app/gui/session/intervention_text.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/jobs/jobs_view.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/rail_delegate.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/files.h"
#include "app/workflow/recordings/open_recording.h"

namespace mog::gui {
namespace {

// What an entry stands for.
enum class Entry : std::uint8_t { heading, model, sentence, recording };
constexpr int kEntry = Qt::UserRole;
constexpr int kId = Qt::UserRole + 1;     // of a model or an item
constexpr int kIndex = Qt::UserRole + 2;  // of a sentence

Entry entry_of(const QTreeWidgetItem& item) {
  return static_cast<Entry>(item.data(0, kEntry).toInt());
}

QTreeWidgetItem* add(QTreeWidgetItem& under, Entry entry, int id, const QString& text, const QString& count) {
  auto* item = new QTreeWidgetItem(&under, {text, count});
  item->setData(0, kEntry, static_cast<int>(entry));
  item->setData(0, kId, id);
  item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  item->setToolTip(0, text);
  return item;
}

void add_hint(QTreeWidgetItem& under, const QString& text) {
  QTreeWidgetItem* item = add(under, Entry::heading, 0, text, {});
  item->setFlags(Qt::NoItemFlags);
  item->setFirstColumnSpanned(true);
}

// The place before a row is of its colour: the delegate paints it with the row.
class RailTree : public QTreeWidget {
 public:
  using QTreeWidget::QTreeWidget;

 protected:
  // The right button asks what can be done with an entry: what is shown stays.
  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() != Qt::RightButton) {
      QTreeWidget::mousePressEvent(event);
    }
  }

  void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override {
    const bool chosen = selectionModel()->isSelected(index);
    if (chosen) {
      painter->fillRect(rect, roles_of(palette()).tint);
    }
    if (model()->hasChildren(index)) {
      const QPointF middle = QRectF(rect).center() + QPointF(rect.width() / 2.0 - 8, 0);
      QPainterPath mark(middle + (isExpanded(index) ? QPointF(-4, -2) : QPointF(-2, -4)));
      mark.lineTo(middle + QPointF(isExpanded(index) ? 0 : 2, isExpanded(index) ? 2 : 0));
      mark.lineTo(middle + (isExpanded(index) ? QPointF(4, -2) : QPointF(-2, 4)));
      painter->save();
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(QPen(roles_of(palette()).secondary, 1.5));
      painter->drawPath(mark);
      painter->restore();
    }
  }
};

QString variant_text(const WorkspaceItem& item, std::size_t index) {
  const TypedSentence& typed = item.typed[index];
  const auto parent = static_cast<std::size_t>(typed.parent);
  return change_text(typed, &item.typed[parent], item.source->sentence(static_cast<std::int64_t>(parent)));
}

QTreeWidgetItem* heading(QTreeWidget& tree, const QString& text) {
  auto* item = new QTreeWidgetItem(&tree, {text});
  item->setData(0, kEntry, static_cast<int>(Entry::heading));
  item->setFirstColumnSpanned(true);
  QFont font = item->font(0);
  font.setWeight(QFont::DemiBold);
  item->setFont(0, font);
  item->setFlags(Qt::ItemIsEnabled);
  item->setExpanded(true);
  return item;
}

}  // namespace

Rail::Rail(const ViewContext& context, Files& files, QWidget* parent)
    : QWidget(parent),
      context_(context),
      files_(files),
      wide_(new QWidget(this)),
      slim_(new QWidget(this)),
      tree_(new RailTree(wide_)),
      field_(new TypingField(context, wide_)) {
  build();
  connectAll();
  fill();
}

void Rail::build() {
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(wide_);
  whole->addWidget(slim_);
  auto* column = new QVBoxLayout(wide_);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(8);
  tree_->setColumnCount(2);
  tree_->setHeaderHidden(true);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  tree_->setIndentation(14);
  tree_->setItemDelegate(new RailDelegate(tree_));
  tree_->viewport()->setAutoFillBackground(false);
  tree_->setMouseTracking(true);
  tree_->setAllColumnsShowFocus(false);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setAccessibleName(tr("What is open"));
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  tree_->setTabKeyNavigation(false);
  tree_->setUniformRowHeights(true);
  tree_->installEventFilter(this);
  column->addWidget(tree_, 1);
  job_rows_ = {new JobIndicator(context_.jobs, JobIndicator::Size::wide, wide_),
               new JobIndicator(context_.jobs, JobIndicator::Size::narrow, slim_)};
  column->addWidget(job_rows_[0]);
  auto* foot = new QHBoxLayout;
  foot->setSpacing(4);
  foot->addWidget(field_, 1);
  auto* close = new QToolButton(wide_);
  close->setText(QStringLiteral("‹"));
  close->setAutoRaise(true);
  close->setToolTip(tr("Make this column narrow"));
  close->setAccessibleName(close->toolTip());
  connect(close, &QToolButton::clicked, this, [this] { Q_EMIT narrowAsked(true); });
  foot->addWidget(close, 0, Qt::AlignBottom);
  column->addLayout(foot);
  auto* buttons = new QVBoxLayout(slim_);
  buttons->setContentsMargins(4, 8, 4, 8);
  const auto button = [&](const QString& text, const QString& tip, auto run) {
    auto* one = new QToolButton(slim_);
    one->setText(text);
    one->setAutoRaise(true);
    one->setToolTip(tip);
    one->setAccessibleName(tip);
    one->setMinimumSize(32, 32);
    connect(one, &QToolButton::clicked, this, run);
    buttons->addWidget(one, 0, Qt::AlignHCenter);
  };
  button(QStringLiteral("›"), tr("Show what is open"), [this] { Q_EMIT narrowAsked(false); });
  button(QStringLiteral("+"), tr("Type a sentence (Ctrl+L)"), [this] { focusTyping(); });
  buttons->addStretch(1);
  buttons->addWidget(job_rows_[1]);
  for (JobIndicator* row : job_rows_) {
    connect(row, &JobIndicator::closed, this, &Rail::takeBack);
  }
  slim_->hide();
}

void Rail::connectAll() {
  Workspace& workspace = context_.workspace;
  connect(&workspace, &Workspace::itemAdded, this, &Rail::fill);
  connect(&workspace, &Workspace::itemChanged, this, &Rail::fill);
  connect(&workspace, &Workspace::itemRemoved, this, &Rail::fill);
  connect(&workspace, &Workspace::allRemoved, this, &Rail::fill);
  connect(&workspace, &Workspace::modelChanged, this, &Rail::fill);
  connect(&context_.selection, &SelectionModel::sentenceChanged, this, &Rail::showSelected);
  connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* now) {
    if (!filling_ && now != nullptr) {
      choose(now);
    }
  });
  connect(field_, &TypingField::ran, this, [this] {
    if (std::exchange(opened_to_type_, false) && !narrow_) {
      setNarrow(true);
    }
  });
  connect(tree_, &QTreeWidget::customContextMenuRequested, this, &Rail::showMenu);
}

void Rail::setNarrow(bool narrow) {
  narrow_ = narrow;
  opened_to_type_ = false;
  wide_->setVisible(!narrow);
  slim_->setVisible(narrow);
  setFixedWidth(narrow ? kNarrow : kWidth);
  Q_EMIT narrowed(narrow);
}

void Rail::offer(const QString& text, const QString& button, const std::function<void()>& run,
                 const QString& key) {
  for (JobIndicator* row : job_rows_) {
    row->offer(text, button, run, key);
  }
}

void Rail::takeBack(const QString& key) {
  for (JobIndicator* row : job_rows_) {
    row->takeBack(key);
  }
}

void Rail::focusTyping() {
  // For as long as something is typed: what the reader chose stays.
  if (narrow_) {
    setNarrow(false);
    opened_to_type_ = true;
  }
  field_->focusTyping();
}

// ---- the tree ------------------------------------------------------------------------------------------

void Rail::fill() {
  filling_ = true;
  tree_->clear();
  addModels();
  addRecordings();
  filling_ = false;
  showSelected();
}

void Rail::addModels() {
  QTreeWidgetItem* top = heading(*tree_, tr("Models and sentences"));
  for (const WorkspaceModel& model : context_.workspace.models()) {
    const auto layers = model.loaded.model->card().layers;
    QTreeWidgetItem* entry =
        add(*top, Entry::model, model.id, model.name, layers > 0 ? tr("%1 layers").arg(layers) : QString());
    entry->setToolTip(0, model.path);
    if (const WorkspaceItem* typed = context_.workspace.typedFor(model.id)) {
      addSentences(*entry, *typed);
    }
    entry->setExpanded(true);
  }
  if (context_.workspace.models().empty()) {
    add_hint(*top, tr("Ctrl+O opens a model"));
  }
}

// What changes another sentence stands below that.
void Rail::addSentences(QTreeWidgetItem& under, const WorkspaceItem& item) {
  std::map<std::int64_t, QTreeWidgetItem*> entries;
  std::vector<std::string> texts;  // of those that change none
  for (const TypedSentence& typed : item.typed) {
    if (typed.parent < 0) {
      texts.push_back(QString::fromStdString(typed.text).simplified().toStdString());
    }
  }
  const std::vector<std::string> names = sentence_names(texts);
  std::size_t next = 0;
  for (std::size_t i = 0; i < item.typed.size(); ++i) {
    const TypedSentence& typed = item.typed[i];
    const auto index = static_cast<std::int64_t>(i);
    const auto parent = entries.find(typed.parent);
    const bool variant = parent != entries.end();
    const std::string first = typed.parent < 0 ? names[next++] : typed.text;
    const QString text = !typed.name.empty() ? QString::fromStdString(typed.name)
                         : variant           ? variant_text(item, i)
                                             : QString::fromStdString(first).simplified();
    const qlonglong words = std::ssize(item.source->sentence(index).words);
    QTreeWidgetItem* entry = add(variant ? *parent->second : under, Entry::sentence, item.id, text,
                                 variant ? QString() : QLocale().toString(words));
    entry->setToolTip(1, words == 1 ? tr("1 word") : tr("%1 words").arg(QLocale().toString(words)));
    entry->setData(0, kIndex, static_cast<qlonglong>(index));
    if (!variant || !typed.name.empty()) {
      entry->setToolTip(0, QString::fromStdString(typed.text).simplified());
    }
    entry->setExpanded(true);
    entries[index] = entry;
  }
}

void Rail::addRecordings() {
  QTreeWidgetItem* top = heading(*tree_, tr("Recordings"));
  bool any = false;
  for (const WorkspaceItem& item : context_.workspace.items()) {
    if (item.kind == WorkspaceItem::Kind::recording) {
      any = true;
      const auto sentences = static_cast<qlonglong>(item.tokens.size());
      const bool complete = app::is_complete(*item.source);
      const QString count = QLocale().toString(sentences);
      QTreeWidgetItem* entry =
          add(*top, Entry::recording, item.id, item.name, complete ? count : count + QChar(0x2026));
      entry->setToolTip(0, item.path);
      entry->setToolTip(1, !complete ? tr("%1 sentences so far: the recording is not complete").arg(count)
                           : sentences == 1 ? tr("1 sentence")
                                            : tr("%1 sentences").arg(count));
    }
  }
  if (!any) {
    add_hint(*top, tr("Ctrl+B records a text"));
  }
}

void Rail::showSelected() {
  const SentenceRef sentence = context_.selection.sentence();
  const WorkspaceModel* empty = context_.workspace.modelWithoutSentences();
  for (QTreeWidgetItemIterator at(tree_); *at != nullptr; ++at) {
    const QTreeWidgetItem& one = **at;
    const int id = one.data(0, kId).toInt();
    const bool selected = empty != nullptr ? entry_of(one) == Entry::model && id == empty->id
                          : entry_of(one) == Entry::sentence
                              ? id == sentence.item && one.data(0, kIndex).toLongLong() == sentence.index
                              : entry_of(one) == Entry::recording && id == sentence.item;
    if (selected) {
      filling_ = true;
      tree_->setCurrentItem(*at);
      filling_ = false;
      return;
    }
  }
}

void Rail::choose(QTreeWidgetItem* entry) {
  const int id = entry->data(0, kId).toInt();
  switch (entry_of(*entry)) {
    case Entry::model:
      context_.workspace.chooseModel(id);
      break;
    case Entry::sentence:
      context_.workspace.select({id, entry->data(0, kIndex).toLongLong()});
      break;
    case Entry::recording:
      context_.workspace.select({id, 0});
      break;
    case Entry::heading:
      break;
  }
}

QList<QAction*> Rail::actionsOf(QTreeWidgetItem* entry, QObject* parent) {
  QList<QAction*> actions;
  const auto offer = [&](const QString& text, auto run) {
    auto* action = new QAction(text, parent);
    connect(action, &QAction::triggered, this, run);
    actions.push_back(action);
  };
  const int id = entry->data(0, kId).toInt();
  switch (entry_of(*entry)) {
    case Entry::model:
      offer(tr("Type a sentence for it"), [this, id] {
        context_.workspace.chooseModel(id);
        focusTyping();
      });
      offer(tr("What was found"), [this] { Q_EMIT viewAsked(QString::fromLatin1(ModelView::kind().name)); });
      offer(tr("Rename…"), [this, id] {
        askName(context_.workspace.model(id)->name,
                [this, id](const QString& name) { context_.workspace.rename(0, id, name); });
      });
      offer(tr("Close"), [this, id] { files_.close({0, id}); });
      break;
    case Entry::sentence: {
      const SentenceRef sentence{id, entry->data(0, kIndex).toLongLong()};
      if (!(sentence == context_.selection.sentence())) {
        offer(tr("Compare with the one shown"), [this, sentence] {
          context_.selection.setHeld(sentence);
          Q_EMIT viewAsked(QStringLiteral("compare"));
        });
      }
      offer(tr("Run it again"), [this, sentence] {
        const WorkspaceItem* item = context_.workspace.item(sentence.item);
        if (item != nullptr && sentence.index < static_cast<std::int64_t>(item->typed.size())) {
          const TypedSentence typed = item->typed[static_cast<std::size_t>(sentence.index)];
          context_.workspace.runChanged(sentence, typed.text, typed.interventions);
        }
      });
      offer(tr("Rename…"), [this, sentence, name = entry->text(0)] {
        askName(name, [this, sentence, name](const QString& given) {
          if (given != name) {  // else it goes on being made of the text
            context_.workspace.renameSentence(sentence, given);
          }
        });
      });
      offer(tr("Remove"), [this, sentence] { context_.workspace.removeSentence(sentence); });
      break;
    }
    case Entry::recording:
      offer(tr("What was found"), [this] { Q_EMIT viewAsked(QString::fromLatin1(ModelView::kind().name)); });
      offer(tr("Rename…"), [this, id] {
        askName(context_.workspace.item(id)->name,
                [this, id](const QString& name) { context_.workspace.rename(id, 0, name); });
      });
      offer(tr("Close"), [this, id] { files_.close({id, 0}); });
      break;
    case Entry::heading:
      offer(tr("Open a model or recording…"), [this] { files_.askForFolder(); });
      offer(tr("Record a corpus…"), [this] { Q_EMIT recordingAsked(); });
      break;
  }
  return actions;
}

void Rail::askName(const QString& name, const std::function<void(const QString&)>& give) {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Rename"));
  dialog->setLabelText(tr("Name of %1 in this window and its sessions (empty: its own)").arg(name));
  dialog->setTextValue(name);
  connect(dialog, &QInputDialog::textValueSelected, this, give);
  dialog->open();
}

void Rail::showMenu(const QPoint& at) {
  if (QTreeWidgetItem* entry = tree_->itemAt(at)) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(actionsOf(entry, menu));
    menu->popup(tree_->viewport()->mapToGlobal(at));
  }
}

// The menu key of the keyboard shows the menu at the entry, not at the pointer.
bool Rail::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_ && event->type() == QEvent::KeyPress && tree_->currentItem() != nullptr) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const QTreeWidgetItem& entry = *tree_->currentItem();
    if (key->key() == Qt::Key_Delete && entry_of(entry) == Entry::sentence) {
      context_.workspace.removeSentence({entry.data(0, kId).toInt(), entry.data(0, kIndex).toLongLong()});
      return true;
    }
    if (key->key() == Qt::Key_Menu) {
      showMenu(tree_->visualItemRect(tree_->currentItem()).center());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace mog::gui
