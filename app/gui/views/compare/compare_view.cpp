#include "app/gui/views/compare/compare_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/session/intervention_text.h"
#include "app/gui/views/compare/compared_pair.h"
#include "app/gui/views/compare/corpus_comparison.h"
#include "app/gui/views/compare/sentence_difference.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {

const QString kTogether = QStringLiteral("compare.together");
const QStringList kWhat = {QStringLiteral("attention"), QStringLiteral("gate"), QStringLiteral("corpus")};

const analysis::PanelFigure* panels_of(const FigureCanvas& view) {
  return view.figure() ? std::get_if<analysis::PanelFigure>(&view.figure()->body) : nullptr;
}

// By the sum of its file; where a recording has none, by name and size.
bool same_corpus(const RecordingSource& first, const RecordingSource& second) {
  const Provenance& a = first.header().provenance;
  const Provenance& b = second.header().provenance;
  return a.corpus_sha256.empty() || b.corpus_sha256.empty()
             ? a.corpus_name == b.corpus_name && first.size() == second.size()
             : a.corpus_sha256 == b.corpus_sha256;
}

// The words of a panel: rows of attention, columns of gates.
const std::vector<analysis::WordLabel>& words_of(const analysis::PanelFigure& panels, std::size_t panel,
                                                 bool rows) {
  const auto& map = std::get<analysis::HeatMap>(panels.panels.at(panel).body);
  return rows ? map.rows : map.columns;
}

}  // namespace

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      what_choice_(new Choice(tr("Compared"), this)),
      together_(new QToolButton(this)),
      corpora_(new CorpusComparison(context, *this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({QStringLiteral("compare")});
  build();
  connect(what_choice_, &Choice::chosen, this, [this](int what) {
    corpora_->forgetFailure();  // once more, if it was cancelled
    state().set(setting::kCompareWhat, kWhat[what]);
    invalidate();
  });
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kCompareWhat) {
      what_choice_->setCurrent(static_cast<int>(kWhat.indexOf(state().choice(name))));
    }
    if (name == kTogether || name == setting::kCompareWhat || name == setting::kCompareMeasure ||
        name == setting::kComparePairs || name == setting::kAttentionPieces ||
        name == setting::kAttentionSpecial || name == setting::kAttentionSpecialScale ||
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
  connect(corpora_, &CorpusComparison::changed, this, &CompareView::invalidate);
  connectPicture();
}

void CompareView::build() {
  const auto [column, tools] = make_tool_column(this);
  what_choice_->add(tr("Attention"), 0, tr("The map of layer, part and head that are selected"));
  what_choice_->add(tr("Gates"), 1, tr("The gates of all layers"));
  what_choice_->add(tr("Corpus"), 2,
                    tr("All sentences of two recordings: by how much they differ, layer by layer, and where "
                       "that is more than chance"));
  what_choice_->setCurrent(0);
  tools->addWidget(what_choice_);
  tools->addWidget(&corpora_->measure());
  tools->addWidget(&corpora_->pairs());
  together_->setText(tr("Turn both"));
  together_->setToolTip(
      tr("Page Up and Page Down turn both: beside the sentence stands the same one of what is held"));
  together_->setAccessibleName(together_->toolTip());
  together_->setCheckable(true);
  together_->setAutoRaise(true);
  together_->setFocusPolicy(Qt::TabFocus);
  together_->hide();
  connect(together_, &QToolButton::clicked, this, [this](bool on) { state().set(kTogether, on); });
  tools->addWidget(together_);
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
      if (const auto layer = corpora_->layerAt(hit)) {
        selection().setLayer(*layer);
      }
    } else if (const auto token = tokenOf(hit)) {
      selection().setToken(selection().token() == token ? std::nullopt : token);
    }
  });
}

void CompareView::hold() {
  selection().setHeld(held() ? std::nullopt : std::optional(selection().sentence()));
}

std::optional<ComparedSide> CompareView::side(SentenceRef sentence) const {
  const WorkspaceItem* item = workspace().item(sentence.item);
  if (item == nullptr || sentence.index < 0 ||
      sentence.index >= static_cast<std::int64_t>(item->tokens.size())) {
    return std::nullopt;
  }
  return ComparedSide{sentence, item->source, {}, false, item->kind == WorkspaceItem::Kind::typed};
}

std::optional<ComparedSide> CompareView::first() const {
  const auto place = first_of_pair(workspace(), selection());
  auto result = place ? side(*place) : std::nullopt;
  if (result && held() == place) {
    result->follows = state().flag(kTogether) && canFollow(*result);
  } else if (result) {
    result->name = tr("before");
  }
  return result;
}

// The held sentence is one of another recording of the same corpus, or was typed for another model: the
// reader turns the pages of both.
bool CompareView::canFollow(const ComparedSide& held) const {
  const WorkspaceItem* item = workspace().item(held.place.item);
  const WorkspaceItem* selected = workspace().selectedItem();
  if (item == nullptr || selected == nullptr || item->id == selected->id) {
    return false;
  }
  return item->kind == WorkspaceItem::Kind::typed ||
         (selected->kind == WorkspaceItem::Kind::recording && same_corpus(*item->source, *selected->source));
}

void CompareView::showMissing(int item) {
  const WorkspaceItem* other = workspace().item(item);
  rows_.clear();
  picture_->setEmpty(
      tr("No such sentence in %1").arg(other == nullptr ? QString() : other->name),
      tr("It has no sentence of this text. Turn to another one, or compare with the one that is held."),
      {tr("Compare with the one that is held"), [this] { state().set(kTogether, false); }});
}

void CompareView::showEmpty() {
  together_->hide();
  what_choice_->hide();
  corpora_->hideChoices();
  what_->clear();
  rows_.clear();
  if (source() == nullptr) {
    const Empty empty = noSentence(tr("Here you see two sentences and their difference."));
    picture_->setEmpty(empty.title, empty.hint, empty.offer);
    return;
  }
  const bool holds = held().has_value();
  picture_->setEmpty(
      holds ? tr("One sentence is held") : tr("Nothing to compare yet"),
      holds ? tr("Choose another one, of any recording or model: it is shown beside this one. D lets go.")
            : tr("Hold this sentence with D and choose another one, or change it (Interventions) and see "
                 "before, "
                 "after and the difference."),
      holds ? Offer{} : Offer{tr("Hold this sentence (D)"), [this] { hold(); }});
}

void CompareView::refresh() {
  const auto before = first();
  auto after = side(selection().sentence());
  if (!before || !after) {
    showEmpty();
    return;
  }
  together_->setVisible(held().has_value() && canFollow(*before));
  together_->setChecked(state().flag(kTogether));
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
  corpora_->hideChoices();
  picture_->setAccessibleName(tr("Two sentences and their difference"));
  const bool attention = state().choice(setting::kCompareWhat) == kWhat.front();
  const bool special = !attention || state().choice(setting::kAttentionSpecial) != QLatin1String("none");
  app::FigureRequest request{.kind = attention ? "attention-difference" : "gate-difference"};
  request.flag("by-word", !state().flag(setting::kAttentionPieces)).flag("no-special-tokens", !special);
  if (attention) {
    request.set("layer", selection().layer())
        .set("part", selection().part())
        .set("head", selection().head())
        .flag("special-in-scale", state().flag(setting::kAttentionSpecialScale))
        .set("colours", state().choice(setting::kAttentionColours).toStdString());
    if (selection().head() == 0) {
      request.set("heads", heads_of_mean(state(), selection().extent().heads));
    }
  }
  picture_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Comparing two sentences"); },
       .slot = QStringLiteral("compare"),
       .quiet = true},
      this,
      [a = *before, b = *after, labels = labels_of(workspace(), *before, *after), request,
       special](const JobContext& context) {
        return compare_sentences(a, b, labels, request, special, context.stop());
      },
      [this, of = before->place, name = before->name](SentenceDifference result) {
        if (result.figure == nullptr) {
          showMissing(of.item);
          return;
        }
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

bool CompareView::showsCorpora() const {
  return corpora_->figure() != nullptr && picture_->figure() == corpora_->figure();
}

void CompareView::refreshCorpora(const ComparedSide& first, const ComparedSide& second) {
  rows_.clear();
  picture_->setAccessibleName(tr("Two recordings and their difference"));
  jobs().cancelSlot(QStringLiteral("compare"));
  const CorpusComparison::Answer answer = corpora_->answer(first, second);
  if (answer.figure == nullptr) {
    what_->clear();
    picture_->setEmpty(answer.text, answer.note);
    if (answer.counting) {
      picture_->setBusy(true, answer.text);
    }
    return;
  }
  what_->setText(answer.text, answer.note);
  if (picture_->figure() != answer.figure) {
    picture_->setFigure(answer.figure);
  }
  picture_->setBusy(false);
  updateHighlight();
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
             : tr("the change comes after the maps of layer %1: the largest change is in layer %2; ")
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
    return {{tr("Two recordings and their difference"),
             corpora_->fileName(),
             corpora_->figure(),
             {},
             commandOf(corpora_->request(), {}, corpora_->items())}};
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
      .places = {{"compare", 0, 0}},
      .settings = {{.name = setting::kCompareWhat,
                    .initial = std::string("attention"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "what is compared"),
                    .choices = {QStringLiteral("attention"), QStringLiteral("gate"),
                                QStringLiteral("corpus")}},
                   {.name = setting::kCompareMeasure,
                    .initial = std::string("gate"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "quantity"),
                    .choices = {QStringLiteral("gate"), QStringLiteral("share"), QStringLiteral("entropy"),
                                QStringLiteral("max"), QStringLiteral("leaves"), QStringLiteral("sink")},
                    .names = app::NameOf::quantity},
                   {.name = setting::kComparePairs,
                    .initial = std::string("text"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "pairs"),
                    .choices = {QStringLiteral("text"), QStringLiteral("partial"), QStringLiteral("number")}},
                   {.name = kTogether,
                    .initial = true,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "turning the pages of both")}},
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
