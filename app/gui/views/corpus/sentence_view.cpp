#include "app/gui/views/corpus/sentence_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/gui/views/item_models/sentence_filter_model.h"
#include "app/gui/views/item_models/sentence_table_model.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/table_view.h"

namespace mog::gui {
namespace {
constexpr std::int64_t kRowsAtOnce = 512;
constexpr int kFindAfterMs = 120;
}  // namespace

void SentenceDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (option->text.isRightToLeft()) {
    option->direction = Qt::RightToLeft;
    option->displayAlignment = Qt::AlignRight | Qt::AlignAbsolute | Qt::AlignVCenter;
  }
}

SentenceView::SentenceView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      items_(new Combo(this)),
      find_(new QLineEdit(this)),
      range_(new QToolButton(this)),
      counts_(new QLabel(this)),
      table_(new TableView(this)),
      rows_(new SentenceTableModel(this)),
      filter_(new SentenceFilterModel(this)) {
  build();
  connectAll();
  rebuildItems();
}

void SentenceView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 8);
  column->setSpacing(4);
  set_label(*items_, tr("Open recordings"));
  items_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  items_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  find_->setPlaceholderText(tr("Find in the sentences  ( / )"));
  find_->setClearButtonEnabled(true);
  find_->setAccessibleName(tr("Find in the sentences"));
  name_clear_button(*find_);
  range_->setToolTip(tr("Show sentences of every length again"));
  range_->setAccessibleName(range_->toolTip());
  range_->setAutoRaise(true);
  range_->hide();
  auto* finding = new QHBoxLayout;
  finding->setSpacing(4);
  finding->addWidget(find_, 1);
  finding->addWidget(range_);
  filter_->setSourceModel(rows_);
  table_->setModel(filter_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(true);
  table_->sortByColumn(SentenceTableModel::kNumber, Qt::AscendingOrder);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);  // Tab goes on to the next control
  table_->setAlternatingRowColors(true);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->horizontalHeader()->setSectionResizeMode(SentenceTableModel::kText, QHeaderView::Stretch);
  table_->horizontalHeader()->setHighlightSections(false);
  const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  table_->setColumnWidth(SentenceTableModel::kNumber, 7 * digit);
  table_->setColumnWidth(SentenceTableModel::kWords, 7 * digit);
  table_->setColumnWidth(SentenceTableModel::kTokens, 8 * digit);
  table_->setColumnWidth(SentenceTableModel::kGate, 7 * digit);
  table_->setColumnHidden(SentenceTableModel::kTokens, true);
  table_->setItemDelegateForColumn(SentenceTableModel::kText, new SentenceDelegate(table_));
  table_->setAccessibleName(tr("Sentences"));
  counts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(items_);
  column->addLayout(finding);
  column->addWidget(table_, 1);
  column->addWidget(counts_);
  find_timer_.setSingleShot(true);
  find_timer_.setInterval(kFindAfterMs);
}

void SentenceView::connectAll() {
  connect(&workspace(), &Workspace::itemAdded, this, &SentenceView::rebuildItems);
  connect(&workspace(), &Workspace::itemRemoved, this, &SentenceView::rebuildItems);
  connect(&workspace(), &Workspace::allRemoved, this, &SentenceView::rebuildItems);
  connect(&workspace(), &Workspace::itemChanged, this, &SentenceView::refresh);
  connect(&workspace(), &Workspace::modelChanged, this, &SentenceView::rebuildItems);
  connect(&selection(), &SelectionModel::sentenceChanged, this, &SentenceView::refresh);
  connect(&selection(), &SelectionModel::lengthRangeChanged, this, &SentenceView::showRange);
  connect(range_, &QToolButton::clicked, this, [this] { selection().setLengthRange(std::nullopt); });
  connect(find_, &QLineEdit::textChanged, this, [this] { find_timer_.start(); });
  connect(find_, &QLineEdit::returnPressed, this, [this] { table_->setFocus(); });
  connect(&find_timer_, &QTimer::timeout, this, [this] {
    filter_->setText(find_->text());
    updateCounts();
  });
  connect(items_, &QComboBox::activated, this, [this](int row) {
    const int chosen = items_->itemData(row).toInt();
    if (chosen > 0) {
      workspace().select({chosen, 0});
    } else {
      workspace().chooseModel(-chosen);
    }
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SentenceView::keepMark,
          Qt::QueuedConnection);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (now.isValid() && !following_) {
              workspace().select({shown_item_, filter_->mapToSource(now).row()});
            }
          });
}

// Something is always chosen: a click below the last row takes no mark away.
void SentenceView::keepMark() {
  if (!following_ && !table_->selectionModel()->hasSelection() && table_->currentIndex().isValid()) {
    table_->selectRow(table_->currentIndex().row());
  }
}

void SentenceView::focusFind() {
  find_->setFocus(Qt::ShortcutFocusReason);
  find_->selectAll();
}

void SentenceView::step(int by) {
  const int rows = filter_->rowCount();
  if (rows == 0) {
    return;
  }
  const QModelIndex now = table_->currentIndex();
  const int row = std::clamp(now.isValid() ? now.row() + by : 0, 0, rows - 1);
  table_->selectRow(row);
  table_->scrollTo(filter_->index(row, 0));
}

void SentenceView::rebuildItems() {
  const QSignalBlocker quiet(items_);
  items_->clear();
  for (const WorkspaceItem& item : workspace().items()) {
    items_->addItem(item.name, item.id);
    items_->setItemData(items_->count() - 1, item.path, Qt::ToolTipRole);
  }
  const bool any = items_->count() > 0;
  for (const WorkspaceModel& model : workspace().models()) {
    if (any && workspace().typedFor(model.id) == nullptr) {
      items_->addItem(tr("%1: nothing typed yet").arg(model.name), -model.id);
      items_->setItemData(items_->count() - 1, model.path, Qt::ToolTipRole);
    }
  }
  for (QWidget* widget : {static_cast<QWidget*>(items_), static_cast<QWidget*>(find_),
                          static_cast<QWidget*>(table_), static_cast<QWidget*>(counts_)}) {
    widget->setVisible(any);
  }
  refresh();
}

void SentenceView::refresh() {
  const WorkspaceModel* empty = workspace().modelWithoutSentences();
  const WorkspaceItem* item = empty != nullptr ? nullptr : workspace().selectedItem();
  if (item == nullptr) {
    items_->setCurrentIndex(empty == nullptr ? -1 : items_->findData(-empty->id));
    if (shown_item_ != 0) {
      shown_item_ = 0;
      shown_source_ = nullptr;
      jobs().cancelSlot(QStringLiteral("sentences"));
      rows_->clear();
      updateCounts();
    }
    return;
  }
  items_->setCurrentIndex(items_->findData(item->id));
  if (item->id != shown_item_) {
    shown_item_ = item->id;
    shown_source_ = item->source.get();
    rows_->clear();
    selection().setLengthRange(std::nullopt);
    fill(*item, 0);
  } else if (item->source.get() != shown_source_) {
    shown_source_ = item->source.get();
    fill(*item, rows_->rowCount());  // typed sentences were added
  }
  showSelected();
}

void SentenceView::fill(const WorkspaceItem& item, std::int64_t from) {
  jobs().start(
      {.title = [name = item.name] { return tr("Reading the sentences of %1").arg(name); },
       .slot = QStringLiteral("sentences"),
       .quiet = true,
       .background = true},
      this,
      [this, source = item.source, from](const JobContext& context) {
        const std::int64_t size = source->size();
        for (std::int64_t first = from; first < size; first += kRowsAtOnce) {
          context.check();
          auto rows = std::make_shared<std::vector<SentenceRow>>(
              read_sentence_rows(*source, first, std::min(kRowsAtOnce, size - first)));
          context.deliver([this, rows] {
            rows_->append(std::move(*rows));
            updateCounts();
            showSelected();
          });
          if (size > 4 * kRowsAtOnce) {
            context.report({.done = first, .total = size, .unit = "sentences", .message = {}});
          }
        }
        return size;
      },
      [this](std::int64_t) {
        bool gates = false;
        for (int row = 0; row < std::min(rows_->rowCount(), 50); ++row) {
          gates = gates || !std::isnan(rows_->row(row).gate);
        }
        table_->setColumnHidden(SentenceTableModel::kGate, !gates);
        updateCounts();
        showSelected();
      },
      [this](const QString& message) { workspace().report(message); });
}

void SentenceView::showRange() {
  const auto& range = selection().lengthRange();
  filter_->setRange(range);
  range_->setVisible(range.has_value());
  if (range) {
    range_->setText((range->high ? tr("%1–%2 words").arg(range->low).arg(*range->high - 1)
                                 : tr("%1 words or more").arg(range->low)) +
                    QStringLiteral("  ✕"));
  }
  updateCounts();
}

void SentenceView::showSelected() {
  const SentenceRef selected = selection().sentence();
  if (selected.item != shown_item_ || selected.index >= rows_->rowCount()) {
    return;
  }
  const QModelIndex index = filter_->mapFromSource(rows_->index(static_cast<int>(selected.index), 0));
  if (index.isValid() && table_->currentIndex().row() != index.row()) {
    following_ = true;
    table_->selectRow(index.row());
    table_->scrollTo(index);
    following_ = false;
  }
}

void SentenceView::updateCounts() {
  const QLocale locale;
  const int all = rows_->rowCount();
  const int shown = filter_->rowCount();
  if (shown != all) {
    counts_->setText(tr("%1 of %2 sentences").arg(locale.toString(shown), locale.toString(all)));
  } else {
    counts_->setText(all == 1 ? tr("1 sentence") : tr("%1 sentences").arg(locale.toString(all)));
  }
}

const ViewKind& SentenceView::kind() {
  static const ViewKind kind{
      .name = "sentences",
      .rank = 1,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new SentenceView(context, parent);
      },
      .places = {{"read", 1, 0}, {"corpus", 1, 0}},
      .settings = {{.name = setting::kTypedWords,
                    .initial = std::string("auto"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "words of typed sentences"),
                    .choices = {QStringLiteral("auto"), QStringLiteral("spaces"), QStringLiteral("ud-en"),
                                QStringLiteral("characters")}}},
  };
  return kind;
}

std::span<const ViewKind> sentence_view_kinds() {
  return {&SentenceView::kind(), 1};
}

}  // namespace mog::gui
