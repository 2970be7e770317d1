#include "app/gui/views/jobs/jobs_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/views/item_models/job_list_model.h"
#include "app/gui/widgets/table_view.h"
#include "app/gui/widgets/tool_row.h"

namespace mog::gui {
namespace {

// Running jobs show a bar under their words.
class ProgressDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const int percent = index.data(JobListModel::kPercentRole).toInt();
    if (percent >= 0 && index.data(JobListModel::kRunningRole).toBool()) {
      const QRect track(option.rect.left() + 4, option.rect.bottom() - 3, option.rect.width() - 8, 2);
      painter->fillRect(track, option.palette.color(QPalette::Mid));
      painter->fillRect(QRect(track.left(), track.top(), track.width() * percent / 100, 2),
                        option.palette.color(QPalette::Highlight));
    }
  }
};

}  // namespace

JobsView::JobsView(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      jobs_(jobs),
      model_(new JobListModel(jobs, this)),
      table_(new TableView(this)),
      hint_(new QLabel(tr("No job yet. Opening, running and counting appear here."), this)),
      cancel_(new QPushButton(tr("Cancel job"), this)),
      go_on_(new QPushButton(tr("Go on"), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(8, 4, 8, 4);
  cancel_->hide();
  tools->addWidget(hint_, 1);
  tools->addWidget(cancel_);
  go_on_->setToolTip(tr("Go on with this recording where it stopped"));
  go_on_->hide();
  tools->addWidget(go_on_);
  column->addLayout(tools);
  table_->setModel(model_);
  table_->setItemDelegateForColumn(JobListModel::kState, new ProgressDelegate(table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);  // Tab goes on to the next control
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
  table_->horizontalHeader()->setSectionResizeMode(JobListModel::kTitle, QHeaderView::Stretch);
  table_->horizontalHeader()->setSectionResizeMode(JobListModel::kState, QHeaderView::Stretch);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setAccessibleName(tr("Jobs"));
  column->addWidget(table_, 1);
  connect(model_, &JobListModel::dataChanged, this, &JobsView::updateTools);
  connect(model_, &JobListModel::rowsInserted, this, &JobsView::updateTools);
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &JobsView::updateTools);
  connect(cancel_, &QPushButton::clicked, this, [this] { cancelRow(currentRow()); });
}

int JobsView::currentRow() const {
  return table_->currentIndex().isValid() ? table_->currentIndex().row() : 0;
}

// What can be done with the chosen job, or with the newest.
void JobsView::updateTools() {
  const bool any = model_->rowCount() > 0;
  const QModelIndex chosen = model_->index(currentRow(), 0);
  hint_->setText(any ? QString() : tr("No job yet. Opening, running and counting appear here."));
  cancel_->setVisible(any && chosen.data(JobListModel::kRunningRole).toBool());
  go_on_->setVisible(any && can_resume_ && can_resume_(chosen.data(JobListModel::kIdRole).toInt()));
}

void JobsView::setResume(std::function<bool(int)> can, std::function<void(int)> resume) {
  can_resume_ = std::move(can);
  resume_ = std::move(resume);
  connect(go_on_, &QPushButton::clicked, this,
          [this] { resume_(model_->index(currentRow(), 0).data(JobListModel::kIdRole).toInt()); });
}

void JobsView::cancelRow(int row) {
  const QModelIndex index = model_->index(row, 0);
  if (index.isValid() && index.data(JobListModel::kRunningRole).toBool()) {
    jobs_.cancel(index.data(JobListModel::kIdRole).toInt());
  }
}

JobIndicator::JobIndicator(JobRunner& jobs, Size size, QWidget* parent)
    : QWidget(parent),
      jobs_(jobs),
      title_(new LineLabel(this)),
      bar_(new QProgressBar(this)),
      open_(new QPushButton(this)),
      cancel_(new QToolButton(this)) {
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(2);
  rows->addWidget(title_);
  auto* row = new QBoxLayout(size == Size::wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  row->setSpacing(4);
  row->addWidget(bar_, 1);
  row->addWidget(open_, 1);
  row->addWidget(cancel_);
  rows->addLayout(row);
  title_->setVisible(size == Size::wide);
  bar_->setMinimumWidth(24);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress"));
  cancel_->setText(QStringLiteral("✕"));
  cancel_->setAutoRaise(true);
  open_->setMinimumWidth(24);
  open_->hide();
  hide();
  connect(&jobs, &JobRunner::jobProgressed, this, &JobIndicator::show);
  connect(&jobs, &JobRunner::jobOver, this, &JobIndicator::over);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (!running_.empty()) {
      jobs_.cancel(running_.rbegin()->first);
    } else if (!offers_.empty()) {
      const QString key = offers_.back().key;
      takeBack(key);
      Q_EMIT closed(key);
    }
  });
  connect(open_, &QPushButton::clicked, this, [this] {
    if (!offers_.empty()) {
      const Offer offer = offers_.back();
      takeBack(offer.key);
      offer.run();
    }
  });
}

void JobIndicator::offer(const QString& text, const QString& button, std::function<void()> run,
                         const QString& key) {
  takeBack(key);
  offers_.push_back({text, button, std::move(run), key});
  if (running_.empty()) {
    showRest();
  }
}

void JobIndicator::takeBack(const QString& key) {
  offers_.erase(
      std::remove_if(offers_.begin(), offers_.end(), [&key](const Offer& one) { return one.key == key; }),
      offers_.end());
  if (running_.empty()) {
    showRest();
  }
}

void JobIndicator::showRest() {
  const bool any = !offers_.empty();
  if (any) {
    const Offer& offer = offers_.back();
    title_->setText(offer.text);
    setToolTip(offer.text);
    open_->setText(offer.button);
    open_->setAccessibleDescription(offer.text);
    cancel_->setToolTip(tr("Close this offer"));
    cancel_->setAccessibleName(cancel_->toolTip());
  }
  bar_->hide();
  open_->setVisible(any);
  setVisible(any);
}

void JobIndicator::show(const JobStatus& job) {
  if (job.info.quiet && job.progress.total == 0) {
    return;
  }
  running_[job.id] = job;
  open_->hide();
  bar_->show();
  cancel_->setToolTip(tr("Cancel this job"));
  cancel_->setAccessibleName(cancel_->toolTip());
  const JobStatus& newest = running_.rbegin()->second;
  const QString progress = progress_text(newest);
  const QString title = newest.info.title.text();
  const QString text = progress.isEmpty() ? title : title + QStringLiteral(": ") + progress;
  title_->setText(text);
  setToolTip(text);
  const bool known = newest.progress.total > 0;
  bar_->setRange(0, known ? 1000 : 0);
  bar_->setValue(known ? static_cast<int>(1000 * newest.progress.done / newest.progress.total) : 0);
  setVisible(true);
}

void JobIndicator::over(const JobStatus& job) {
  running_.erase(job.id);
  if (running_.empty()) {
    showRest();
  } else {
    show(JobStatus(running_.rbegin()->second));
  }
}

const ViewKind& JobsView::kind() {
  static const ViewKind kind{
      .name = "jobs",
      .rank = 12,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new JobsView(context.jobs, parent);
      },
      .places = {{"read", 0, 2}},
  };
  return kind;
}

std::span<const ViewKind> jobs_view_kinds() {
  return {&JobsView::kind(), 1};
}

}  // namespace mog::gui
