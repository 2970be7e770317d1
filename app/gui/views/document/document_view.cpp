#include "app/gui/views/document/document_view.h"

#include <QAction>
#include <QListWidget>
#include <QLocale>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/document/chain_text.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("document");
constexpr std::int64_t kMostWords = 400;  // of a recording, taken at first

}  // namespace

DocumentView::DocumentView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      edit_(new QToolButton(this)),
      run_(new QToolButton(this)),
      what_(new LineLabel(this)),
      pages_(new QStackedWidget(this)),
      scroll_(new QScrollArea(pages_)),
      text_(new ChainText(scroll_)),
      editor_(new QPlainTextEdit(pages_)),
      empty_(new FigureCanvas(pages_)),
      side_(new QWidget(this)),
      of_(new LineLabel(side_)),
      candidates_(new QListWidget(side_)) {
  asksIn({kSlot});
  build();
  connectParts();
}

void DocumentView::build() {
  const auto [column, tools] = make_tool_column(this);
  edit_->setText(tr("Change the text"));
  edit_->setCheckable(true);
  run_->setText(tr("Find chains"));
  run_->setToolTip(tr("Run the model on the text (Ctrl+Enter)"));
  run_->setAccessibleDescription(run_->toolTip());
  for (QToolButton* const button : {edit_, run_}) {
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    tools->addWidget(button);
  }
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  scroll_->setWidget(text_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  editor_->setAccessibleName(tr("The text, a sentence a line"));
  editor_->setPlaceholderText(tr("A sentence a line"));
  editor_->setTabChangesFocus(true);
  empty_->setAccessibleName(tr("Chains of mentions"));
  pages_->addWidget(scroll_);
  pages_->addWidget(editor_);
  pages_->addWidget(empty_);
  splitter->addWidget(pages_);
  auto* beside = new QVBoxLayout(side_);
  beside->setContentsMargins(8, 8, 8, 8);
  beside->addWidget(of_);
  beside->addWidget(candidates_, 1);
  candidates_->setAccessibleName(tr("What the mention may go back to"));
  candidates_->setTextElideMode(Qt::ElideMiddle);
  splitter->addWidget(side_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 1);
  splitter->setChildrenCollapsible(false);
  column->addWidget(splitter, 1);
  auto* action = new QAction(tr("Find chains"), this);
  action->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)});
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, [this] {
    if (isVisible()) {  // the key is the window's
      resolveEdited();
    }
  });
  addAction(action);
}

void DocumentView::connectParts() {
  connect(&selection(), &SelectionModel::sentenceChanged, this, &DocumentView::invalidate);
  connect(&workspace(), &Workspace::modelChanged, this, &DocumentView::invalidate);
  connect(edit_, &QToolButton::clicked, this, &DocumentView::setEditing);
  connect(run_, &QToolButton::clicked, this, &DocumentView::resolveEdited);
  connect(text_, &ChainText::chosenChanged, this, &DocumentView::listCandidates);
  connect(text_, &ChainText::pointed, this, &DocumentView::readout);
  connect(candidates_, &QListWidget::currentRowChanged, this, &DocumentView::lightCandidate);
}

const WorkspaceModel* DocumentView::resolver() const {
  const auto& models = workspace().models();
  const auto last = std::find_if(models.rbegin(), models.rend(), [](const WorkspaceModel& model) {
    return resolves_coreference(model.loaded);
  });
  return last == models.rend() ? nullptr : &*last;
}

// What was typed; of a recording the selected sentence and those after it.
QString DocumentView::selectedText() const {
  const WorkspaceItem* item = workspace().selectedItem();
  if (item == nullptr) {
    return {};
  }
  const auto index = selection().sentence().index;
  if (item->kind == WorkspaceItem::Kind::typed) {
    return QString::fromStdString(item->typed.at(static_cast<std::size_t>(index)).text);
  }
  QStringList lines;
  std::int64_t words = 0;
  for (std::int64_t at = index; at < item->source->size() && (at == index || words < kMostWords); ++at) {
    const Sentence sentence = item->source->sentence(at);
    words += static_cast<std::int64_t>(sentence.words.size());
    lines.push_back(QString::fromStdString(sentence.text));
  }
  return lines.join(QLatin1Char('\n'));
}

// The editor is opened or left. What came in between is done when it is left.
void DocumentView::setEditing(bool editing) {
  edit_->setChecked(editing);
  QWidget* const page = editing ? static_cast<QWidget*>(editor_) : scroll_;
  pages_->setCurrentWidget(page);
  (editing ? page : text_)->setFocus(Qt::OtherFocusReason);
  if (!editing && (missed_ || shown_ == nullptr)) {
    missed_ = false;
    invalidate();
  }
}

void DocumentView::showEmpty(const Empty& empty) {
  jobs().cancelSlot(kSlot);
  shown_.reset();
  links_.reset();
  text_->setDocument(nullptr);
  what_->clear();
  side_->hide();
  edit_->setVisible(resolver() != nullptr);
  run_->setVisible(resolver() != nullptr);
  pages_->setCurrentWidget(empty_);
  empty_->setEmpty(empty.title, empty.hint, empty.offer);
}

void DocumentView::refresh() {
  if (edit_->isChecked()) {
    missed_ = true;
    return;
  }
  if (resolver() == nullptr) {
    showEmpty(
        {tr("No model of coreference is open"),
         tr("Such a model finds mentions in a text and what they go back to. mog train makes one from a "
            "section [graph] with kind = \"coreference\"."),
         {tr("Open…"), [this] { Q_EMIT openAsked(); }}});
    return;
  }
  if (text_of_ != selection().sentence() || read_.trimmed().isEmpty()) {
    text_of_ = selection().sentence();
    read_ = selectedText();
    editor_->setPlainText(read_);
  }
  if (read_.trimmed().isEmpty()) {
    showEmpty(noSentence(tr("Here you see what the mentions of a text go back to.")));
    return;
  }
  resolve();
}

// The text in the editor is that of the selected sentence from now on.
void DocumentView::resolveEdited() {
  read_ = editor_->toPlainText();
  text_of_ = selection().sentence();
  missed_ = false;
  if (edit_->isChecked()) {
    const bool focused = window()->focusWidget() == editor_;
    edit_->setChecked(false);
    pages_->setCurrentWidget(scroll_);
    if (focused) {
      text_->setFocus(Qt::OtherFocusReason);
    }
  }
  if (resolver() == nullptr) {
    refresh();
    return;
  }
  resolve();
}

void DocumentView::resolve() {
  const WorkspaceModel* by = resolver();
  jobs().start(
      {.title = [] { return tr("Finding chains"); }, .slot = kSlot, .quiet = true}, this,
      [loaded = by->loaded, text = read_.toStdString()](const JobContext& context) {
        return resolve_document(loaded, text, context.stop());
      },
      [this, name = by->name](std::shared_ptr<const ShownDocument> shown) {
        shown_ = std::move(shown);
        links_ = std::make_shared<const analysis::FigureData>(links_figure(*shown_));
        text_->setDocument(shown_);
        side_->show();
        edit_->show();
        run_->show();
        const auto mentions = static_cast<qlonglong>(shown_->mentions.size());
        what_->setText(tr("by %1: mentions %2, chains of several %3")
                           .arg(name, QLocale().toString(mentions),
                                QLocale().toString(static_cast<qlonglong>(shown_->chains))));
        if (!edit_->isChecked()) {
          pages_->setCurrentWidget(scroll_);
        }
        if (!shown_->mentions.empty()) {
          text_->choose(0);
        }
      },
      [this](const QString& message) { failed(message); });
}

void DocumentView::failed(const QString& message) {
  if (edit_->isChecked()) {
    missed_ = true;  // the text is being changed
    return;
  }
  showEmpty(
      {tr("The text cannot be resolved"), message, {tr("Change the text"), [this] { setEditing(true); }}});
}

void DocumentView::listCandidates() {
  candidates_->clear();
  const std::int64_t chosen = text_->chosen();
  if (shown_ == nullptr || chosen < 0) {
    of_->setText(tr("Choose a mention"));
    return;
  }
  const app::MentionLinks& links = shown_->mentions[static_cast<std::size_t>(chosen)].links;
  of_->setText(tr("“%1” goes back to").arg(shown_->textOf(links.mention)));
  bool none = false;
  const auto add = [this](double probability, const QString& text, std::int64_t mention) {
    auto* row = new QListWidgetItem(
        QStringLiteral("%1   %2").arg(QLocale().toString(probability, 'f', 3), text), candidates_);
    row->setData(Qt::UserRole, static_cast<qlonglong>(mention));
    row->setToolTip(text);
  };
  const auto add_none = [&] { add(links.none, tr("nothing before it"), -1); };
  for (const app::MentionLinks::Candidate& candidate : links.candidates) {
    if (!none && candidate.probability <= links.none) {
      none = true;
      add_none();
    }
    add(candidate.probability,
        tr("%1 (word %2)").arg(shown_->textOf(candidate.mention)).arg(candidate.mention.begin + 1),
        shown_->find(candidate.mention));
  }
  if (!none) {
    add_none();
  }
  candidates_->setCurrentRow(0);
  const QRect place = text_->wordPlace(links.mention.begin);
  scroll_->ensureVisible(place.center().x(), place.center().y(), 40, 40);
}

void DocumentView::lightCandidate(int row) {
  const QListWidgetItem* const item = candidates_->item(row);
  text_->light(item == nullptr ? -1 : item->data(Qt::UserRole).toLongLong());
}

std::vector<ExportItem> DocumentView::exports() const {
  if (shown_ == nullptr || links_ == nullptr || shown_->mentions.empty()) {
    return {};
  }
  FigureCommand command;
  command.why_not =
      tr("mog coref writes the chains of a text and draws none; the numbers are in the CSV file.");
  command.facts = [] { return app::FigureFacts(); };
  return {{tr("What mentions go back to"), QStringLiteral("coreference"), links_, {}, command}};
}

const ViewKind& DocumentView::kind() {
  static const ViewKind kind{
      .name = "document",
      .rank = 8,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new DocumentView(context, parent);
      },
      .places = {{"parse", 0, 1}},
      .guide = [](const ViewContext&) -> QStringList { return {QStringLiteral("heads.TASK.pair_scores")}; },
  };
  return kind;
}

std::span<const ViewKind> document_view_kinds() {
  return {&DocumentView::kind(), 1};
}

}  // namespace mog::gui
