#include "app/gui/views/compare_view.h"

#include "app/gui/views/view_kind.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/statistics/sentence_key.h"
#include "app/gui/session/intervention_text.h"
#include "app/gui/session/open_path.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/recordings/recording_groups.h"

namespace mog::gui {
namespace {

const QStringList kWhat = {QStringLiteral("attention"), QStringLiteral("gate"), QStringLiteral("corpus")};

const analysis::PanelFigure* panels_of(const FigureCanvas& view) {
  return view.figure() ? std::get_if<analysis::PanelFigure>(&view.figure()->body) : nullptr;
}

// The words of a panel: rows of attention, columns of gates.
const std::vector<analysis::WordLabel>& words_of(const analysis::PanelFigure& panels, std::size_t panel,
                                                 bool rows) {
  const auto& map = std::get<analysis::HeatMap>(panels.panels.at(panel).body);
  return rows ? map.rows : map.columns;
}

// Whether the two are the same, value by value.
bool no_difference(const analysis::FigureData& figure) {
  const auto& panels = std::get<analysis::PanelFigure>(figure.body).panels;
  const auto& values = std::get<analysis::HeatMap>(panels.back().body).values;
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value == 0 || std::isnan(value); });
}

// A change inside a layer comes after its maps: the first map or gate that it reaches. `options` says which;
// nullptr: none that was recorded.
FigurePointer first_difference(app::FigureRequest& request, const app::FigureInputs& both) {
  const RecordingHeader& header = both.sources.back()->header();
  const auto made = [&]() -> FigurePointer {
    auto figure = std::make_shared<const analysis::FigureData>(app::make_figure(request, both));
    return no_difference(*figure) ? nullptr : figure;
  };
  request.set("head", std::string());
  const Part wish = Part::find(request.text_of("part")).value_or(Part::none);
  for (std::int64_t layer = request.number_of("layer") + 1; layer <= header.stack().layers; ++layer) {
    const std::vector<Part> parts = analysis::parts_of_layer(header, layer);
    request.set("layer", layer)
        .set("part", std::find(parts.begin(), parts.end(), wish) != parts.end() ? wish : Part::none);
    if (FigurePointer figure = parts.empty() ? nullptr : made()) {
      return figure;
    }
  }
  const bool gates =
      std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
        return schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::gate;
      });
  app::FigureRequest of_gates{.kind = "gate-difference"};
  of_gates.set("sentence", request.number_of("sentence"))
      .set("other", request.number_of("other"))
      .flag("by-word", request.has("by-word"));
  request = of_gates;
  return gates ? made() : nullptr;
}

// Whether a word that both have is cut into other pieces, or spelled otherwise: two tokenisers, whose pieces
// hardly ever pair.
bool cut_differently(const Sentence& first, const Sentence& second) {
  const auto pieces_of = [](const Sentence& sentence) {
    std::map<std::string, std::vector<std::string>> pieces;
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      std::vector<std::string> of_word;
      for (const Token& token : sentence.tokens) {
        if (token.word == static_cast<std::int64_t>(word)) {
          of_word.push_back(token.text);
        }
      }
      pieces.emplace(sentence.words[word].text, std::move(of_word));
    }
    return pieces;
  };
  const auto here = pieces_of(first);
  const auto there = pieces_of(second);
  return std::any_of(here.begin(), here.end(), [&there](const auto& word) {
    const auto at = there.find(word.first);
    return at != there.end() && at->second != word.second;
  });
}

}  // namespace

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      what_choice_(new Choice(tr("Compared"), this)),
      measure_(new Combo(this)),
      pairs_(new Combo(this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({QStringLiteral("compare")});
  build();
  connect(what_choice_, &Choice::chosen, this, [this](int what) {
    corpora_.why_not.clear();  // once more, if it was cancelled
    state().set(setting::kCompareWhat, kWhat[what]);
    invalidate();
  });
  connect(measure_, &QComboBox::activated, this, [this] {
    const auto measure = static_cast<analysis::Measure>(measure_->currentData().toInt());
    state().set(setting::kCompareMeasure, ViewState::Value(std::string(analysis::name(measure))));
  });
  connect(pairs_, &QComboBox::activated, this,
          [this] { state().set(setting::kComparePairs, pairs_->currentData().toString()); });
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kCompareWhat) {
      what_choice_->setCurrent(static_cast<int>(kWhat.indexOf(state().choice(name))));
    }
    if (name == setting::kCompareWhat || name == setting::kCompareMeasure || name == setting::kComparePairs ||
        name == setting::kAttentionPieces || name == setting::kAttentionSpecial ||
        name == setting::kAttentionColours || name == setting::kHeadsOff) {
      hit_.reset();
      invalidate();
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::heldChanged, this, &CompareView::invalidate);
  connect(&selection(), &SelectionModel::mapChanged, this, &CompareView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &CompareView::updateHighlight);
  connect(&selection(), &SelectionModel::hoveredChanged, this, &CompareView::updateHighlight);
  connect(&workspace(), &Workspace::itemRemoved, this, &CompareView::invalidate);
  connect(&workspace(), &Workspace::allRemoved, this, &CompareView::invalidate);
  connect(&jobs(), &JobRunner::jobOver, this, [this](const JobStatus& over) {
    if (over.id == corpora_job_ && over.state == JobState::cancelled) {
      corpora_.why_not = tr("This was cancelled");
      corpora_.hint = tr("Choose Corpus again to count once more.");
      corpora_job_ = 0;
      invalidate();
    }
  });
  connectPicture();
}

void CompareView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = make_tool_row();
  what_choice_->add(tr("Attention"), 0, tr("The map of layer, part and head that are selected"));
  what_choice_->add(tr("Gates"), 1, tr("The gates of all layers"));
  what_choice_->add(tr("Corpus"), 2,
                    tr("All sentences of two recordings: by how much they differ, layer by layer, and where "
                       "that is more than chance"));
  what_choice_->setCurrent(0);
  set_label(*measure_, tr("Quantity"));
  measure_->hide();
  set_label(*pairs_, tr("Pairs"));
  pairs_->addItem(tr("same text"), QStringLiteral("text"));
  pairs_->addItem(tr("same text, few pairs too"), QStringLiteral("partial"));
  pairs_->addItem(tr("same number"), QStringLiteral("number"));
  pairs_->setToolTip(tr(
      "Which sentences of the two belong together: those of the same text, in nine of ten sentences of the "
      "smaller recording or in fewer, or those of the same number, such as a translation"));
  pairs_->hide();
  tools->addWidget(what_choice_);
  tools->addWidget(measure_);
  tools->addWidget(pairs_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Two sentences and their difference"));
}

// The token of the selected sentence that is meant by a place of the picture.
std::optional<std::int64_t> CompareView::tokenOf(const figures::Hit& hit) const {
  const auto* panels = panels_of(*picture_);
  const bool rows = made_by_.kind == "attention-difference";
  std::int64_t place = rows ? hit.row : hit.column;
  if (panels == nullptr || place < 0 || hit.panel < 0) {
    return std::nullopt;
  }
  if (hit.panel != 1) {
    const auto pairs = analysis::align_words(words_of(*panels, 0, rows), words_of(*panels, 1, rows));
    const auto at = hit.panel == 2 ? pairs.begin() + std::min<std::int64_t>(
                                                         place, static_cast<std::int64_t>(pairs.size()) - 1)
                                   : std::find_if(pairs.begin(), pairs.end(),
                                                  [place](const auto& pair) { return pair.first == place; });
    place = at == pairs.end() ? -1 : at->second;
  }
  return place >= 0 && place < static_cast<std::int64_t>(rows_.size())
             ? std::optional(rows_[static_cast<std::size_t>(place)].front())
             : std::nullopt;
}

void CompareView::connectPicture() {
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    selection().setHovered(hit ? tokenOf(*hit) : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    if (showsCorpora()) {
      chooseLayer(hit);
    } else if (const auto token = tokenOf(hit)) {
      selection().setToken(selection().token() == token ? std::nullopt : token);
    }
  });
}

void CompareView::hold() {
  selection().setHeld(held() ? std::nullopt : std::optional(selection().sentence()));
}

std::optional<CompareView::Side> CompareView::side(SentenceRef sentence) const {
  const WorkspaceItem* item = workspace().item(sentence.item);
  if (item == nullptr || sentence.index < 0 ||
      sentence.index >= static_cast<std::int64_t>(item->tokens.size())) {
    return std::nullopt;
  }
  return Side{sentence, item->source, {}};
}

std::vector<RecordingLabel> CompareView::labelsOf(const Side& first, const Side& second) const {
  const WorkspaceItem* a = workspace().item(first.place.item);
  const WorkspaceItem* b = workspace().item(second.place.item);
  if (first.source == second.source || a->path.isEmpty() || b->path.isEmpty()) {
    return {};
  }
  const std::vector<app::SourceAtPath> both = {{first.source.get(), to_path(a->path)},
                                               {second.source.get(), to_path(b->path)}};
  return app::labels_of(both);
}

std::optional<CompareView::Side> CompareView::first() const {
  const SentenceRef now = selection().sentence();
  if (held() && !(*held() == now)) {
    return side(*held());
  }
  const WorkspaceItem* item = workspace().selectedItem();
  if (item == nullptr || now.index >= static_cast<std::int64_t>(item->typed.size())) {
    return std::nullopt;
  }
  const TypedSentence& typed = item->typed[static_cast<std::size_t>(now.index)];
  if (typed.parent < 0) {
    return std::nullopt;
  }
  auto parent = side({now.item, typed.parent});
  if (parent) {
    parent->name = tr("before");
  }
  return parent;
}

void CompareView::showEmpty() {
  what_choice_->hide();
  measure_->hide();
  pairs_->hide();
  what_->clear();
  rows_.clear();
  if (source() == nullptr) {
    const Empty empty = noSentence(tr("Here you see two sentences and their difference."));
    picture_->setEmpty(empty.title, empty.hint);
    return;
  }
  const bool holds = held().has_value();
  picture_->setEmpty(
      holds ? tr("One sentence is held") : tr("Nothing to compare yet"),
      holds ? tr("Choose another one, of any recording or model: it is shown beside this one. D lets go.")
            : tr("Hold this sentence with D and choose another one, or change it (Interventions) and see "
                 "before, "
                 "after and the difference."));
}

void CompareView::refresh() {
  const auto before = first();
  auto after = side(selection().sentence());
  if (!before || !after) {
    showEmpty();
    return;
  }
  const WorkspaceItem& item = *workspace().selectedItem();
  if (!before->name.isEmpty()) {
    const TypedSentence& typed = item.typed[static_cast<std::size_t>(after->place.index)];
    after->name = tr("after: %1")
                      .arg(change_text(typed, &item.typed[static_cast<std::size_t>(typed.parent)],
                                       item.source->sentence(after->place.index)));
  }
  what_choice_->show();
  what_choice_->setCurrent(static_cast<int>(kWhat.indexOf(state().choice(setting::kCompareWhat))));
  if (state().choice(setting::kCompareWhat) == kWhat.back()) {
    refreshCorpora(*before, *after);
    return;
  }
  measure_->hide();
  pairs_->hide();
  picture_->setAccessibleName(tr("Two sentences and their difference"));
  const bool attention = state().choice(setting::kCompareWhat) == kWhat.front();
  const bool special = !attention || state().choice(setting::kAttentionSpecial) != QLatin1String("none");
  app::FigureRequest request{.kind = attention ? "attention-difference" : "gate-difference"};
  request.flag("by-word", !state().flag(setting::kAttentionPieces)).flag("no-special-tokens", !special);
  if (attention) {
    request.set("layer", selection().layer())
        .set("part", selection().part())
        .set("head", selection().head())
        .set("colours", state().choice(setting::kAttentionColours).toStdString());
    if (selection().head() == 0) {
      request.set("heads", heads_of_mean(state(), selection().extent().heads));
    }
  }
  picture_->setBusy(true);
  struct Result {
    FigurePointer figure;
    app::FigureRequest made_by;
    TokenGroups rows;
    std::int64_t unchanged_layer = 0;  // whose map, which was asked for, the change leaves as it is
  };
  jobs().start(
      {.title = [] { return tr("Comparing two sentences"); },
       .slot = QStringLiteral("compare"),
       .quiet = true},
      this,
      [a = *before, b = *after, labels = labelsOf(*before, *after), request,
       special](const JobContext&) mutable {
        const Sentence sentence = b.source->sentence(b.place.index);
        const std::int64_t number = a.source->number(a.place.index);
        const bool same =
            analysis::sentence_key(sentence) == analysis::sentence_key(a.source->sentence(a.place.index));
        request.set("sentence", number).set("other", same && sentence.number == number ? 0 : sentence.number);
        if (a.source != b.source && cut_differently(a.source->sentence(a.place.index), sentence)) {
          request.flag("by-word");
        }
        const std::string names[] = {a.name.toStdString(), b.name.toStdString()};
        const app::FigureInputs both{
            .sources = {a.source, b.source},
            .titles = {labels.empty() ? names[0] : app::sentence_title(labels[0], number),
                       labels.empty() ? names[1] : app::sentence_title(labels[1], sentence.number)}};
        Result result{nullptr, request, {}};
        result.figure = std::make_shared<const analysis::FigureData>(app::make_figure(request, both));
        if (!a.name.isEmpty() && request.kind == "attention-difference" && no_difference(*result.figure)) {
          app::FigureRequest reached = request;
          result.unchanged_layer = request.number_of("layer");
          if (FigurePointer figure =
                  first_difference(reached, {.sources = both.sources, .titles = {names[0], names[1]}})) {
            result.figure = std::move(figure);
            result.made_by = reached;
          }
        }
        result.rows =
            analysis::shown_tokens(sentence, {.special_tokens = special, .by_word = request.has("by-word")});
        return result;
      },
      [this, of = before->place, name = before->name](Result result) {
        made_by_ = result.made_by;
        made_of_ = of;
        named_ = !name.isEmpty();
        rows_ = std::move(result.rows);
        picture_->setFigure(std::move(result.figure));
        const bool joined = made_by_.has("by-word") && state().flag(setting::kAttentionPieces);
        const QString order = unchangedText(result.unchanged_layer, made_by_) +
                              tr("first, second, second less first; D holds or lets go");
        what_->setText(joined ? tr("by words: the two cut words into other pieces; %1").arg(order) : order);
        updateHighlight();
      },
      [this](const QString& message) {
        rows_.clear();
        picture_->setEmpty(tr("These two cannot be compared"), message);
      });
}

// What is shown in the place of a map that a change leaves as it is; empty: the map itself.
QString CompareView::unchangedText(std::int64_t layer, const app::FigureRequest& shown) {
  if (layer == 0) {
    return {};
  }
  if (shown.kind == "gate-difference") {
    return tr("the change comes after the maps of layer %1, and no later map changes: the gates; ")
        .arg(layer);
  }
  return shown.number_of("layer") == layer
             ? tr("the change comes after the maps of layer %1: no map that is shown here changes; ")
                   .arg(layer)
             : tr("the change comes after the maps of layer %1: the first that changes is in layer %2; ")
                   .arg(layer)
                   .arg(shown.number_of("layer"));
}

void CompareView::updateHighlight() {
  const auto* panels = panels_of(*picture_);
  if (panels == nullptr) {
    picture_->setHighlight(hit_ ? hit_->highlight() : figures::Highlight{});
    return;
  }
  figures::Highlight highlight;
  const bool rows = made_by_.kind == "attention-difference";
  if (hit_) {
    highlight = hit_->highlight();
  } else if (const auto place = place_of(rows_, selection().lit())) {
    (rows ? highlight.row : highlight.column) = *place;
    if (words_of(*panels, 0, rows) != words_of(*panels, 1, rows)) {
      highlight.panel = 1;  // the words of the others have other places
    }
  }
  picture_->setHighlight(highlight);
}

// Sentence and layer of the picture, which need not be the layer that is selected.
QString CompareView::nameOfShown() const {
  const QString sentence = QStringLiteral("s%1").arg(selection().sentence().index + 1);
  const std::int64_t layer = made_by_.number_of("layer");
  return layer > 0 ? sentence + QStringLiteral("-l%1").arg(layer) : selectionName();
}

std::vector<ExportItem> CompareView::exports() const {
  if (picture_->figure() == nullptr) {
    return {};
  }
  if (showsCorpora()) {
    return corporaExports();
  }
  ExportItem item{tr("Two sentences and their difference"),
                  QStringLiteral("difference-%1").arg(nameOfShown()),
                  picture_->figure(),
                  {},
                  {}};
  if (named_) {
    item.command.why_not =
        tr("A sentence that was changed inside the model has no command: mog record runs "
           "sentences as they are.");
  } else {
    item.command = commandOf(made_by_, {}, {made_of_.item, selection().sentence().item});
  }
  return {std::move(item)};
}

const ViewKind& CompareView::kind() {
  static const ViewKind kind{
      .name = "compare",
      .rank = 9,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new CompareView(context, parent);
      },
      .places = {{"look", 3, 1}, {"compare", 1, 0}},
      .settings =
          {{.name = setting::kCompareWhat,
            .initial = std::string("attention"),
            .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "what is compared"),
            .choices = {QStringLiteral("attention"), QStringLiteral("gate"), QStringLiteral("corpus")}},
           {.name = setting::kCompareMeasure,
            .initial = std::string("gate"),
            .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "quantity"),
            .choices = {QStringLiteral("gate"), QStringLiteral("share"), QStringLiteral("entropy"),
                        QStringLiteral("max"), QStringLiteral("leaves")},
            .names = app::NameOf::quantity},
           {.name = setting::kComparePairs,
            .initial = std::string("text"),
            .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "pairs"),
            .choices = {QStringLiteral("text"), QStringLiteral("partial"), QStringLiteral("number")}}},
      .guide = [](const ViewContext& context) -> QStringList {
        Q_UNUSED(context)
        return {QStringLiteral("difference"), QStringLiteral("corpus-difference"), QStringLiteral("effect")};
      },
  };
  return kind;
}

std::span<const ViewKind> compare_view_kinds() {
  return {&CompareView::kind(), 1};
}

}  // namespace mog::gui
