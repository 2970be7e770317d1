// Two recordings of the same sentences against each other: the figure corpus-difference of what is held and
// what is selected. It is of the recordings, not of the sentences: another sentence of the same two asks
// nothing anew.
#include <QLocale>
#include <QSignalBlocker>
#include <algorithm>
#include <string>
#include <utility>

#include "app/gui/views/compare_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/widgets/figure_canvas.h"
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

bool CompareView::showsCorpora() const {
  return corpora_.figure != nullptr && picture_->figure() == corpora_.figure;
}

void CompareView::noCorpora(const QString& title, const QString& hint) {
  measure_->hide();
  pairs_->hide();
  what_->clear();
  picture_->setEmpty(title, hint);
}

void CompareView::refreshCorpora(const Side& first, const Side& second) {
  rows_.clear();
  picture_->setAccessibleName(tr("Two recordings and their difference"));
  jobs().cancelSlot(QStringLiteral("compare"));
  if (first.place.item == second.place.item) {
    noCorpora(tr("One recording alone"),
              tr("Both sentences are of the same recording. Hold a sentence with D and choose one of another "
                 "recording of the same text: another model, or the same one changed."));
    return;
  }
  const std::int64_t fewest = std::min(first.source->size(), second.source->size());
  if (fewest < analysis::kFewestResampled) {
    noCorpora(tr("There is no corpus behind these two"),
              tr("One of them is a single sentence. What differs there may be chance: record a corpus with "
                 "both models (Ctrl+B) to tell."));
    return;
  }
  const auto measure = chooseMeasure(first.source->header(), second.source->header());
  if (!measure) {
    noCorpora(tr("Nothing to compare in these recordings"),
              tr("They have no quantity in common. Record both again with --capture summary."));
    return;
  }
  const QString pairs = state().choice(setting::kComparePairs);
  pairs_->setCurrentIndex(pairs_->findData(pairs));
  pairs_->show();
  if (corpora_.pairs != pairs || corpora_.first_source.lock() != first.source ||
      corpora_.second_source.lock() != second.source || corpora_.measure != *measure ||
      (corpora_.figure == nullptr && corpora_.why_not.isEmpty() && corpora_job_ == 0)) {
    countCorpora(first, second, *measure);
  }
  showCorpora();
}

std::optional<analysis::Measure> CompareView::chooseMeasure(const RecordingHeader& first,
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
  const auto wish = analysis::parse_measure(state().choice(setting::kCompareMeasure).toStdString());
  const bool there = std::find(measures_.begin(), measures_.end(), wish) != measures_.end();
  const analysis::Measure chosen = there ? wish : measures_.front();
  measure_->setCurrentIndex(measure_->findData(static_cast<int>(chosen)));
  measure_->setVisible(measures_.size() > 1);
  return chosen;
}

void CompareView::countCorpora(const Side& first, const Side& second, analysis::Measure measure) {
  corpora_ = {.first = first.place,
              .second = second.place,
              .first_source = first.source,
              .second_source = second.source,
              .measure = measure,
              .pairs = state().choice(setting::kComparePairs)};
  corpora_job_ = 0;  // an older one that ends now says nothing
  struct Result {
    FigurePointer figure;
    QStringList notes;
  };
  corpora_job_ = jobs().start(
      {.title =
           [measure, name = workspace().item(second.place.item)->name,
            less = workspace().item(first.place.item)->name] {
             return tr("%1: %2 less %3").arg(measure_text(measure), name, less);
           },
       .slot = kSlot,
       .background = true},
      this,
      [a = first.source, b = second.source, labels = labelsOf(first, second),
       a_name = workspace().item(first.place.item)->name.toStdString(),
       b_name = workspace().item(second.place.item)->name.toStdString(),
       options = options_of(measure, corpora_.pairs)](const JobContext& context) {
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
        corpora_.figure = std::move(result.figure);
        corpora_.notes = std::move(result.notes);
        invalidate();
      },
      [this](const QString& message) {
        corpora_.why_not = tr("These two recordings cannot be compared");
        corpora_.hint = message;
        corpora_job_ = 0;
        invalidate();
      });
}

void CompareView::showCorpora() {
  if (!corpora_.why_not.isEmpty()) {
    what_->clear();
    picture_->setEmpty(corpora_.why_not, corpora_.hint);
    return;
  }
  if (corpora_.figure == nullptr) {
    what_->clear();
    picture_->setEmpty(tr("Counting…"), tr("The job list shows how far it is."));
    picture_->setBusy(true, tr("Counting…"));
    return;
  }
  const auto& plot = std::get<analysis::LinePlot>(corpora_.figure->body);
  const std::int64_t sentences = plot.series.front().points.front().sentences;
  const QString shared = QLocale().toString(static_cast<qlonglong>(sentences));
  what_->setText(tr("%1 less %2 over %3 sentences; a click chooses the layer")
                     .arg(workspace().item(corpora_.second.item)->name,
                          workspace().item(corpora_.first.item)->name, shared),
                 corpora_.notes.join(QLatin1Char('\n')));
  if (picture_->figure() != corpora_.figure) {
    picture_->setFigure(corpora_.figure);
  }
  picture_->setBusy(false);
  updateHighlight();
}

// A layer of the picture becomes the selected one.
void CompareView::chooseLayer(const figures::Hit& hit) {
  const auto& plot = std::get<analysis::LinePlot>(corpora_.figure->body);
  std::int64_t place = hit.column;
  if (hit.series >= 0 && hit.column >= 0) {
    const auto& points = plot.series[static_cast<std::size_t>(hit.series)].points;
    place = static_cast<std::int64_t>(points[static_cast<std::size_t>(hit.column)].x);
  }
  if (place >= 0 && place < static_cast<std::int64_t>(plot.x_categories.size())) {
    selection().setLayer(std::stoll(plot.x_categories[static_cast<std::size_t>(place)]));
  }
}

std::vector<ExportItem> CompareView::corporaExports() const {
  const auto name = analysis::name(corpora_.measure);
  return {{tr("Two recordings and their difference"),
           QStringLiteral("corpus-difference-") +
               QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
           corpora_.figure,
           {},
           commandOf(request_of(corpora_.measure, corpora_.pairs), {},
                     {corpora_.first.item, corpora_.second.item})}};
}

}  // namespace mog::gui
