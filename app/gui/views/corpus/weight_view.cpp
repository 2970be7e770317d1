#include "app/gui/views/corpus/weight_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/recordings/open_recording.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::gui {
namespace {

using analysis::Measure;

constexpr std::array<std::pair<analysis::WeightPlot, const char*>, 3> kShows = {
    {{analysis::WeightPlot::by_length, "length"},
     {analysis::WeightPlot::by_layer, "layer"},
     {analysis::WeightPlot::difference_by_length, "difference"}}};

}  // namespace

QString measure_text(Measure measure) {
  switch (measure) {
    case Measure::gate:
      return WeightView::tr("Gate weight");
    case Measure::share:
      return WeightView::tr("Share of each part");
    case Measure::entropy:
      return WeightView::tr("Attention entropy");
    case Measure::maximum:
      return WeightView::tr("Greatest attention");
    case Measure::leaves:
      return WeightView::tr("Expected leaves");
    case Measure::sink:
      return WeightView::tr("Attention to the first token");
  }
  return {};
}

WeightView::WeightView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      measure_(new Combo(this)),
      show_choice_(new Choice(tr("Shown by"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  build();
  connect(&selection(), &SelectionModel::sentenceChanged, this, &WeightView::invalidate);
  connect(measure_, &QComboBox::activated, this, [this] {
    gave_up_.reset();  // once more, if it was cancelled
    invalidate();
    const auto measure = static_cast<Measure>(measure_->currentData().toInt());
    const auto name = analysis::name(measure);
    state().set(setting::kWeightsMeasure, ViewState::Value(std::string(name)));
  });
  connect(&state(), &ViewState::changed, this, &WeightView::showState);
  connect(&jobs(), &JobRunner::jobOver, this, [this](const JobStatus& over) {
    if (over.id == job_ && over.state == JobState::cancelled) {
      giveUp({counting_, tr("This was cancelled"), tr("Choose the quantity again to count once more.")});
    }
  });
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    picture_->setHighlight(hit ? hit->highlight() : figures::Highlight{});
    const bool leads = hit && binOf(*hit).has_value();
    picture_->setCursor(leads ? Qt::PointingHandCursor : Qt::ArrowCursor);
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    if (const auto bin = binOf(hit)) {
      LengthRange range{shown_->bins.low(*bin), {}};
      if (shown_->bins.high(*bin) >= 0) {
        range.high = shown_->bins.high(*bin);
      }
      selection().setLengthRange(range);
    }
  });
}

void WeightView::build() {
  const auto [column, tools] = make_tool_column(this);
  set_label(*measure_, tr("Quantity"));
  using Kind = analysis::WeightPlot;
  show_choice_->add(tr("Length"), static_cast<int>(Kind::by_length),
                    tr("By sentence length, a line a layer"));
  show_choice_->add(tr("Layer"), static_cast<int>(Kind::by_layer), tr("By layer, a line a length bin"));
  show_choice_->add(tr("Difference"), static_cast<int>(Kind::difference_by_length),
                    tr("By sentence length, less the shortest bin"));
  show_choice_->setCurrent(static_cast<int>(show()));
  tools->addWidget(measure_);
  tools->addWidget(show_choice_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Weight by layer and length"));
  connect(show_choice_, &Choice::chosen, this,
          [this](int chosen) { setShow(static_cast<analysis::WeightPlot>(chosen)); });
}

void WeightView::setShow(analysis::WeightPlot show) {
  for (const auto& [kind, word] : kShows) {
    if (kind == show) {
      state().set(setting::kWeightsShow, QString::fromLatin1(word));
    }
  }
}

analysis::WeightPlot WeightView::show() const {
  const QString word = state().choice(setting::kWeightsShow);
  const auto at = std::find_if(kShows.begin(), kShows.end(),
                               [&word](const auto& one) { return word == QLatin1String(one.second); });
  return at->first;
}

// The chosen quantity, or the first that this recording has.
Measure WeightView::measure() const {
  const Measure wish = analysis::parse_measure(state().choice(setting::kWeightsMeasure).toStdString());
  return std::find(measures_.begin(), measures_.end(), wish) != measures_.end() ? wish : measures_.front();
}

// Why the quantity that was chosen is not counted here; empty: it is.
QString WeightView::missing(const RecordingHeader& header) const {
  const Measure wish = analysis::parse_measure(state().choice(setting::kWeightsMeasure).toStdString());
  if (std::find(measures_.begin(), measures_.end(), wish) != measures_.end()) {
    return {};
  }
  if (wish == Measure::share && app::has_one_part(header)) {
    return tr("The layers of this model have one part: its share is 1, there is nothing to count. ");
  }
  if (wish == Measure::gate && header.stack().gate == GateKind::none) {
    return tr("This model has no gates. ");
  }
  return tr("%1 is not in this recording. ").arg(measure_text(wish));
}

void WeightView::showState(const QString& name) {
  if (name == setting::kWeightsShow) {
    show_choice_->setCurrent(static_cast<int>(show()));
    if (shown_) {
      draw(shown_);
    }
  } else if (name == setting::kWeightsMeasure) {
    invalidate();
  }
}

void WeightView::rebuildMeasures(const RecordingHeader& header) {
  std::vector<Measure> measures = app::measures_of(header);
  if (measures == measures_) {
    return;
  }
  measures_ = std::move(measures);
  const QSignalBlocker quiet(measure_);
  measure_->clear();
  for (const Measure measure : measures_) {
    measure_->addItem(measure_text(measure), static_cast<int>(measure));
  }
}

void WeightView::refresh() {
  const auto recording = source();
  if (recording != nullptr) {
    rebuildMeasures(recording->header());
  }
  const bool can = recording != nullptr && !measures_.empty();
  measure_->setVisible(can);
  show_choice_->setVisible(can);
  if (!can) {
    forget();
    what_->clear();
    const Empty empty =
        recording != nullptr
            ? Empty{tr("Nothing to count in this recording"),
                    missing(recording->header()) + tr("Record the corpus again with --capture summary."),
                    {tr("Record a corpus…"), [this] { Q_EMIT recordAsked(); }}}
            : noSentence(tr("Here you see weights by layer and sentence length."));
    picture_->setEmpty(empty.title, empty.hint, empty.offer);
    return;
  }
  if (counted_.lock() != recording) {
    forget();
    counted_ = recording;
  }
  const Measure chosen = measure();
  measure_->setCurrentIndex(measure_->findData(static_cast<int>(chosen)));
  const auto at = known_.find(chosen);
  if (gave_up_ && gave_up_->measure == chosen) {
    giveUp(*gave_up_);
  } else if (at == known_.end()) {
    count(recording, chosen);
  } else if (at->second == nullptr) {
    showCounting();
  } else if (shown_ != at->second) {
    draw(at->second);
  } else {
    sayCounted();
  }
}

// Nothing is known of the recording any more, and nobody counts in it.
void WeightView::forget() {
  job_ = 0;
  jobs().cancelSlot(QStringLiteral("weights"));
  counted_.reset();
  known_.clear();
  shown_.reset();
  gave_up_.reset();
}

void WeightView::showCounting() {
  shown_.reset();
  what_->clear();
  picture_->setEmpty(tr("Counting…"), tr("The job list shows how far it is."));
  picture_->setBusy(true, tr("Counting…"));
}

void WeightView::count(std::shared_ptr<const RecordingSource> recording, Measure measure) {
  std::erase_if(known_, [](const auto& entry) { return entry.second == nullptr; });
  known_[measure] = nullptr;  // under way; the slot holds one job only
  showCounting();
  const QString name = workspace().selectedItem()->name;
  counting_ = measure;
  job_ = 0;  // an older one that ends now says nothing
  job_ = jobs().start(
      {.title = [measure, name] { return tr("%1 of %2").arg(measure_text(measure), name); },
       .slot = QStringLiteral("weights"),
       .background = true},
      this,
      [recording, measure](const JobContext& context) -> Statistics {
        // The title says what is counted.
        const auto report = [progress = context.progress()](app::Progress done) {
          done.message.clear();
          progress(done);
        };
        return std::make_shared<const analysis::LengthStatistics>(
            app::count_measure({{recording.get()}, {}}, measure, {}, context.stop(), report));
      },
      [this, measure](Statistics statistics) {
        known_[measure] = statistics;
        if (measure == this->measure()) {  // another one may have been chosen that is known
          draw(statistics);
        }
      },
      [this, measure](const QString& message) {
        giveUp({measure, tr("This cannot be counted"), message});
      });
}

// Until the quantity is chosen again.
void WeightView::giveUp(const GaveUp& why) {
  job_ = 0;
  known_.erase(why.measure);
  gave_up_ = why;
  if (why.measure == measure()) {
    shown_.reset();
    what_->clear();
    picture_->setEmpty(why.title, why.hint, {tr("Count again"), [this] {
                                               gave_up_.reset();
                                               invalidate();
                                             }});
  }
}

// What was counted, and what was not.
void WeightView::sayCounted() {
  if (source() == nullptr) {
    return;
  }
  what_->setText(missing(source()->header()) +
                 (app::is_complete(*source()) ? QString()
                                              : tr("The recording is not complete (Ctrl+B goes on with it): "
                                                   "lengths may be missing. ")) +
                 (shown_->sentences == 1
                      ? tr("1 sentence; a click on a length chooses it")
                      : tr("%1 sentences; a click on a length chooses its sentences")
                            .arg(QLocale().toString(static_cast<qlonglong>(shown_->sentences)))));
}

void WeightView::draw(const Statistics& statistics) {
  // The recording may have been closed since it was counted, while nobody could see this.
  if (statistics == nullptr || source() == nullptr || counted_.lock() != source()) {
    return;
  }
  shown_ = statistics;
  analysis::WeightFigureOptions options;
  options.view = show();
  sayCounted();
  const auto filled = std::count_if(statistics->bin_sentences.begin(), statistics->bin_sentences.end(),
                                    [](const auto& bin) { return !bin.empty(); });
  if (options.view == analysis::WeightPlot::difference_by_length && filled < 2) {
    picture_->setEmpty(tr("One length only"),
                       tr("A difference is from the shortest sentences to longer ones: here all are of one "
                          "length, or of one bin of lengths."));
    return;
  }
  picture_->setFigure(
      std::make_shared<const analysis::FigureData>(analysis::weight_figure(*statistics, options)));
}

std::optional<std::int64_t> WeightView::binOf(const figures::Hit& hit) const {
  if (shown_ == nullptr || show() == analysis::WeightPlot::by_layer || hit.column < 0 ||
      hit.column >= shown_->bins.size()) {
    return std::nullopt;
  }
  return hit.column;
}

std::vector<ExportItem> WeightView::exports() const {
  if (picture_->figure() == nullptr || shown_ == nullptr) {
    return {};
  }
  const auto name = analysis::name(shown_->measure);
  app::FigureRequest made_by;
  const analysis::WeightPlot kind = show();
  made_by.kind = kind == analysis::WeightPlot::by_length  ? "weight-by-length"
                 : kind == analysis::WeightPlot::by_layer ? "weight-by-layer"
                                                          : "weight-difference";
  made_by.set("quantity", std::string(name));
  return {{tr("Weight by layer and length"),
           QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + QStringLiteral("-by-length"),
           picture_->figure(),
           {},
           commandOf(made_by)}};
}

const ViewKind& WeightView::kind() {
  static const ViewKind kind{
      .name = "weights",
      .rank = 8,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new WeightView(context, parent);
      },
      .places = {{"corpus", 0, 0}},
      .settings = {{.name = setting::kWeightsMeasure,
                    .initial = std::string("gate"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "quantity"),
                    .choices = {QStringLiteral("gate"), QStringLiteral("share"), QStringLiteral("entropy"),
                                QStringLiteral("max"), QStringLiteral("leaves"), QStringLiteral("sink")},
                    .names = app::NameOf::quantity},
                   {.name = setting::kWeightsShow,
                    .initial = std::string("length"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "weight by length or layer"),
                    .choices = {QStringLiteral("length"), QStringLiteral("layer"),
                                QStringLiteral("difference")}}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {context.state.choice(setting::kWeightsMeasure)};
      },
  };
  return kind;
}

std::span<const ViewKind> weight_view_kinds() {
  return {&WeightView::kind(), 1};
}

}  // namespace mog::gui
