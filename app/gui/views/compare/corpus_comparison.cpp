#include "app/gui/views/compare/corpus_comparison.h"

#include <QLocale>
#include <QSignalBlocker>
#include <algorithm>
#include <string>
#include <utility>

#include "app/gui/session/open_path.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/widgets/accessibility.h"
#include "app/workflow/recordings/recording_groups.h"
#include "app/workflow/statistics/paired_job.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("compare-corpora");

// `pairs`: setting::kComparePairs.
app::StatisticsOptions options_of(analysis::Measure measure, const QString& pairs) {
  app::StatisticsOptions options;
  options.measures = {measure};
  options.by_length = false;
  options.pair_by = pairs == QLatin1String("number") ? analysis::PairBy::number : analysis::PairBy::text;
  options.allow_partial = pairs == QLatin1String("partial");
  return options;
}

app::FigureRequest request_of(analysis::Measure measure, const QString& pairs) {
  app::FigureRequest request{.kind = "corpus-difference"};
  request.set("quantity", std::string(analysis::name(measure)));
  if (pairs == QLatin1String("number")) {
    request.set("pair-by", "number");
  }
  return request.flag("allow-partial", pairs == QLatin1String("partial"));
}

}  // namespace

CorpusComparison::CorpusComparison(const ViewContext& context, QWidget& view)
    : QObject(&view), context_(context), measure_(new Combo(&view)), pairs_(new Combo(&view)) {
  buildChoices();
  connect(measure_, &QComboBox::activated, this, [this] {
    const auto measure = static_cast<analysis::Measure>(measure_->currentData().toInt());
    context_.state.set(setting::kCompareMeasure, ViewState::Value(std::string(analysis::name(measure))));
  });
  connect(pairs_, &QComboBox::activated, this,
          [this] { context_.state.set(setting::kComparePairs, pairs_->currentData().toString()); });
  connect(&context_.jobs, &JobRunner::jobOver, this, [this](const JobStatus& over) {
    if (over.id == job_ && over.state == JobState::cancelled) {
      fail(tr("This was cancelled"), tr("Choose Corpus again to count once more."));
    }
  });
}

void CorpusComparison::buildChoices() {
  set_label(*measure_, tr("Quantity"));
  set_label(*pairs_, tr("Pairs"));
  pairs_->addItem(tr("same text"), QStringLiteral("text"));
  pairs_->addItem(tr("same text, few pairs too"), QStringLiteral("partial"));
  pairs_->addItem(tr("same number"), QStringLiteral("number"));
  pairs_->setToolTip(tr(
      "Which sentences of the two belong together: those of the same text, in nine of ten sentences of the "
      "smaller recording or in fewer, or those of the same number, such as a translation"));
  hideChoices();
}

void CorpusComparison::hideChoices() {
  measure_->hide();
  pairs_->hide();
}

CorpusComparison::Answer CorpusComparison::none(const QString& title, const QString& hint) {
  hideChoices();
  return {nullptr, title, hint};
}

CorpusComparison::Answer CorpusComparison::answer(const ComparedSide& first, const ComparedSide& second) {
  if (first.place.item == second.place.item) {
    return none(tr("One recording alone"),
                tr("Both sentences are of the same recording. Hold a sentence with D and choose one of "
                   "another recording of the same text: another model, or the same one changed."));
  }
  const std::int64_t fewest = std::min(first.source->size(), second.source->size());
  if (fewest < analysis::kFewestResampled) {
    return none(tr("There is no corpus behind these two"),
                tr("One of them is a single sentence. What differs there may be chance: record a corpus with "
                   "both models (Ctrl+B) to tell."));
  }
  const auto measure = chooseMeasure(first.source->header(), second.source->header());
  if (!measure) {
    return none(tr("Nothing to compare in these recordings"),
                tr("They have no quantity in common. Record both again with --capture summary."));
  }
  const QString pairs = context_.state.choice(setting::kComparePairs);
  pairs_->setCurrentIndex(pairs_->findData(pairs));
  pairs_->show();
  if (asked_.pairs != pairs || asked_.first_source.lock() != first.source ||
      asked_.second_source.lock() != second.source || asked_.measure != *measure ||
      (asked_.figure == nullptr && asked_.why_not.isEmpty() && job_ == 0)) {
    count(first, second, *measure);
  }
  return known();
}

std::optional<analysis::Measure> CorpusComparison::chooseMeasure(const RecordingHeader& first,
                                                                 const RecordingHeader& second) {
  std::vector<analysis::Measure> measures = app::measures_of(first);
  const std::vector<analysis::Measure> others = app::measures_of(second);
  std::erase_if(measures, [&others](analysis::Measure measure) {
    return std::find(others.begin(), others.end(), measure) == others.end();
  });
  if (measures != measures_) {
    measures_ = std::move(measures);
    const QSignalBlocker quiet(measure_);
    measure_->clear();
    for (const analysis::Measure measure : measures_) {
      measure_->addItem(measure_text(measure), static_cast<int>(measure));
    }
  }
  if (measures_.empty()) {
    return std::nullopt;
  }
  const auto wish = analysis::parse_measure(context_.state.choice(setting::kCompareMeasure).toStdString());
  const bool there = std::find(measures_.begin(), measures_.end(), wish) != measures_.end();
  const analysis::Measure chosen = there ? wish : measures_.front();
  measure_->setCurrentIndex(measure_->findData(static_cast<int>(chosen)));
  measure_->setVisible(measures_.size() > 1);
  return chosen;
}

void CorpusComparison::count(const ComparedSide& first, const ComparedSide& second,
                             analysis::Measure measure) {
  asked_ = {.first = first.place,
            .second = second.place,
            .first_source = first.source,
            .second_source = second.source,
            .measure = measure,
            .pairs = context_.state.choice(setting::kComparePairs)};
  job_ = 0;  // an older one that ends now says nothing
  struct Result {
    FigurePointer figure;
    QStringList notes;
  };
  job_ = context_.jobs.start(
      {.title =
           [measure, name = context_.workspace.item(second.place.item)->name,
            less = context_.workspace.item(first.place.item)->name] {
             return tr("%1: %2 less %3").arg(measure_text(measure), name, less);
           },
       .slot = kSlot,
       .background = true},
      this,
      [a = first.source, b = second.source, labels = labels_of(context_.workspace, first, second),
       a_name = context_.workspace.item(first.place.item)->name.toStdString(),
       b_name = context_.workspace.item(second.place.item)->name.toStdString(),
       options = options_of(measure, asked_.pairs)](const JobContext& context) {
        std::vector<std::string> notes;
        Result result;
        result.figure = std::make_shared<const analysis::FigureData>(
            app::corpus_difference({{a.get()}, labels.empty() ? RecordingLabel{a_name} : labels[0]},
                                   {{b.get()}, labels.empty() ? RecordingLabel{b_name} : labels[1]}, options,
                                   context.stop(), context.progress(), &notes));
        for (const std::string& note : notes) {
          result.notes.push_back(QString::fromStdString(note));
        }
        return result;
      },
      [this](Result result) {
        asked_.figure = std::move(result.figure);
        asked_.notes = std::move(result.notes);
        Q_EMIT changed();
      },
      [this](const QString& message) { fail(tr("These two recordings cannot be compared"), message); });
}

void CorpusComparison::fail(const QString& why_not, const QString& hint) {
  asked_.why_not = why_not;
  asked_.hint = hint;
  job_ = 0;
  Q_EMIT changed();
}

CorpusComparison::Answer CorpusComparison::known() const {
  if (!asked_.why_not.isEmpty()) {
    return {nullptr, asked_.why_not, asked_.hint};
  }
  if (asked_.figure == nullptr) {
    return {nullptr, tr("Counting…"), tr("The job list shows how far it is."), true};
  }
  const auto& plot = std::get<analysis::LinePlot>(asked_.figure->body);
  const std::int64_t sentences = plot.series.front().points.front().sentences;
  const QString shared = QLocale().toString(static_cast<qlonglong>(sentences));
  return {asked_.figure,
          tr("%1 less %2 over %3 sentences; a click chooses the layer")
              .arg(context_.workspace.item(asked_.second.item)->name,
                   context_.workspace.item(asked_.first.item)->name, shared),
          asked_.notes.join(QLatin1Char('\n'))};
}

std::optional<std::int64_t> CorpusComparison::layerAt(const figures::Hit& hit) const {
  const auto& plot = std::get<analysis::LinePlot>(asked_.figure->body);
  std::int64_t place = hit.column;
  if (hit.series >= 0 && hit.column >= 0) {
    const auto& points = plot.series[static_cast<std::size_t>(hit.series)].points;
    place = static_cast<std::int64_t>(points[static_cast<std::size_t>(hit.column)].x);
  }
  return place >= 0 && place < static_cast<std::int64_t>(plot.x_categories.size())
             ? std::optional<std::int64_t>(std::stoll(plot.x_categories[static_cast<std::size_t>(place)]))
             : std::nullopt;
}

app::FigureRequest CorpusComparison::request() const {
  return request_of(asked_.measure, asked_.pairs);
}

QString CorpusComparison::fileName() const {
  const auto name = analysis::name(asked_.measure);
  return QStringLiteral("corpus-difference-") +
         QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

std::vector<RecordingLabel> labels_of(const Workspace& workspace, const ComparedSide& first,
                                      const ComparedSide& second) {
  const WorkspaceItem* a = workspace.item(first.place.item);
  const WorkspaceItem* b = workspace.item(second.place.item);
  if (first.source == second.source) {
    return {};
  }
  if (a->path.isEmpty() || b->path.isEmpty()) {
    return {{a->name.toStdString(), true}, {b->name.toStdString(), true}};  // no other item has its name
  }
  const std::vector<app::SourceAtPath> both = {{first.source.get(), to_path(a->path)},
                                               {second.source.get(), to_path(b->path)}};
  return app::labels_of(both);
}

}  // namespace mog::gui
