#include "app/gui/views/compare/patching_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "analysis/figure_data/patching_figure.h"
#include "app/gui/views/common/next_token_run.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/compare/compared_pair.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/common/shell_line.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("patching");
const QString kPlace = QStringLiteral("patching.place");
const QString kInto = QStringLiteral("patching.into");
const QString kAnswer = QStringLiteral("patching.answer");
const QString kAgainst = QStringLiteral("patching.against");
const QString kTable = QStringLiteral("patch.csv");

// As `mog patch --places` calls them.
QStringList places() {
  QStringList all;
  for (const model::PatchPlace place : model::patch_places()) {
    all.push_back(QString::fromLatin1(model::name(place)));
  }
  return all;
}

const QStringList& directions() {
  static const QStringList all = {QStringLiteral("corrupt"), QStringLiteral("clean")};
  return all;
}

// Throws UsageError in the words of the window where the two have not as many tokens, or the second is cut
// into others than those that are shown.
void require_pair(const OpenedModel& loaded, const app::PatchOptions& options,
                  const std::vector<std::int64_t>& shown) {
  const auto ids_of = [&](const std::string& text) {
    std::vector<std::int64_t> ids;
    for (const Token& token : loaded.tokenizer->encode(text, 1).tokens) {
      ids.push_back(token.id);
    }
    return ids;
  };
  const std::vector<std::int64_t> first = ids_of(options.clean);
  const std::vector<std::int64_t> second = ids_of(options.corrupt);
  if (second != shown) {
    throw UsageError(
        PatchingView::tr("The model cuts the second sentence into other tokens than those that are "
                         "shown. Type it, and it is patched as it is run.")
            .toStdString());
  }
  if (first.size() != second.size()) {
    throw UsageError(PatchingView::tr("The first sentence has %1 tokens, the second %2. Each needs its "
                                      "counterpart: choose words that are cut into as many pieces.")
                         .arg(first.size())
                         .arg(second.size())
                         .toStdString());
  }
}

}  // namespace

bool PatchingView::Question::same(const Question& other) const {
  return model == other.model && options.clean == other.options.clean &&
         options.corrupt == other.options.corrupt && options.answer == other.options.answer &&
         options.against == other.options.against && options.best_answers == other.options.best_answers &&
         options.directions == other.options.directions && options.places == other.options.places &&
         words == other.words;
}

PatchingView::PatchingView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      places_(new Choice(tr("What is patched"), this)),
      direction_(new Choice(tr("Direction of the patch"), this)),
      fields_(new QWidget(this)),
      answer_(new QLineEdit(fields_)),
      against_(new QLineEdit(fields_)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({kSlot});
  build();
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == kPlace || name == kInto || name == kAnswer || name == kAgainst) {
      invalidate();
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, &PatchingView::invalidate);
  connect(&selection(), &SelectionModel::heldChanged, this, &PatchingView::invalidate);
  connect(&selection(), &SelectionModel::mapChanged, this, &PatchingView::updateHighlight);
  connect(&selection(), &SelectionModel::tokenChanged, this, &PatchingView::updateHighlight);
  connect(&selection(), &SelectionModel::hoveredChanged, this, &PatchingView::updateHighlight);
  connect(&workspace(), &Workspace::modelChanged, this, &PatchingView::invalidate);
  connect(&workspace(), &Workspace::itemChanged, this, &PatchingView::invalidate);
  connect(&workspace(), &Workspace::itemRemoved, this, &PatchingView::invalidate);
  connect(&workspace(), &Workspace::allRemoved, this, &PatchingView::invalidate);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    const Panel* const panel = hit ? panelOf(*hit) : nullptr;
    const bool token = panel != nullptr && hit->column >= 0 && panel->heads.empty();
    selection().setHovered(token ? std::optional(hit->column) : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    const Panel* const panel = panelOf(hit);
    if (panel == nullptr) {
      return;
    }
    const auto at = [](const std::vector<std::int64_t>& all, std::int64_t place) {
      return place >= 0 && place < std::ssize(all) ? all[static_cast<std::size_t>(place)] : 0;
    };
    if (const std::int64_t layer = at(panel->layers, hit.row); layer > 0) {
      selection().setLayer(layer);
    }
    if (const std::int64_t head = at(panel->heads, hit.column); head > 0) {
      if (panel->part != Part::none) {
        selection().setPart(panel->part);
      }
      selection().setHead(head);
    } else if (hit.column >= 0 && panel->heads.empty()) {
      selection().setToken(hit.column);
    }
  });
}

const PatchingView::Panel* PatchingView::panelOf(const figures::Hit& hit) const {
  const auto panel = static_cast<std::size_t>(std::max<std::int64_t>(0, hit.panel));
  return panel < panels_.size() ? &panels_[panel] : nullptr;
}

void PatchingView::build() {
  const auto [column, tools] = make_tool_column(this);
  const auto value = [](model::PatchPlace place) { return static_cast<int>(place); };
  places_->add(tr("States"), value(model::PatchPlace::residual),
               tr("The residual state behind each layer, token by token"));
  places_->add(tr("Attention"), value(model::PatchPlace::attention),
               tr("What the attention of each layer adds, token by token"));
  places_->add(tr("Feed-forward"), value(model::PatchPlace::feed_forward),
               tr("What the feed-forward block of each layer adds, token by token"));
  places_->add(tr("Heads"), value(model::PatchPlace::head),
               tr("The output of each head, at all tokens at once"));
  direction_->add(tr("Denoising"), 0,
                  tr("The first text is put into the run of the second: what suffices to restore what the "
                     "model says of the first"));
  direction_->add(tr("Noising"), 1,
                  tr("The second text is put into the run of the first: what is needed for what the model "
                     "says of the first"));
  tools->addWidget(places_);
  tools->addWidget(direction_);
  auto* line = new QHBoxLayout(fields_);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(4);
  const int width = fontMetrics().averageCharWidth() * 14;
  for (const auto& [field, name, tip] :
       {std::tuple(answer_, tr("Answer"),
                   tr("The token whose logit is read, with the space before it. Empty: what the model finds "
                      "most probable behind the first text")),
        std::tuple(against_, tr("against"),
                   tr("The token whose logit is taken away. Empty beside an answer: the logit alone"))}) {
    auto* label = new QLabel(name, fields_);
    label->setBuddy(field);
    field->setMaximumWidth(width);
    field->setToolTip(tip);
    field->setAccessibleName(name);
    line->addWidget(label);
    line->addWidget(field);
  }
  connect(places_, &Choice::chosen, this, [this](int chosen) {
    state().set(kPlace, QString::fromLatin1(model::name(static_cast<model::PatchPlace>(chosen))));
  });
  connect(direction_, &Choice::chosen, this,
          [this](int chosen) { state().set(kInto, directions().at(chosen)); });
  connect(answer_, &QLineEdit::editingFinished, this, [this] { state().set(kAnswer, answer_->text()); });
  connect(against_, &QLineEdit::editingFinished, this, [this] { state().set(kAgainst, against_->text()); });
  tools->addStretch(1);
  column->addLayout(tools);
  QHBoxLayout* const reading = make_tool_row();
  reading->addWidget(fields_);
  reading->addWidget(what_, 1);
  column->addLayout(reading);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Activation patching of two sentences"));
  picture_->setFocus();  // where keys go when the view comes to the front: not into a field
}

void PatchingView::showNothing(const Empty& empty) {
  shown_ = {};
  asked_.reset();
  hit_.reset();
  panels_.clear();
  what_->clear();
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
}

std::optional<PatchingView::Question> PatchingView::question() {
  const auto recording = source();
  if (recording == nullptr) {
    showNothing(noSentence(tr("Here you see which states carry what two sentences differ in.")));
    return std::nullopt;
  }
  const auto other = first_of_pair(workspace(), selection());
  const WorkspaceItem* const of = other ? workspace().item(other->item) : nullptr;
  if (of == nullptr || other->index >= of->source->size()) {
    const bool holds = selection().held().has_value();
    showNothing(
        {holds ? tr("One sentence is held") : tr("Patching needs two sentences"),
         holds ? tr("Choose another one of as many tokens: the states of one are put into the run of the "
                    "other.")
               : tr("Hold this sentence with D and choose one that differs in a word or two, or replace a "
                    "word (Interventions). Both need as many tokens."),
         holds ? Offer{} : Offer{tr("Hold this sentence (D)"), [this] {
                                   selection().setHeld(selection().sentence());
                                 }}});
    return std::nullopt;
  }
  const WorkspaceItem& item = *workspace().selectedItem();
  const WorkspaceModel* const by = workspace().modelOf(item);
  if (by == nullptr) {
    showNothing(notRecorded(tr("Patching runs the model"), tr("It runs both sentences, and one of them once "
                                                              "for each state that is put in.")));
    return std::nullopt;
  }
  const auto text_of = [](const WorkspaceItem& from, std::int64_t index) {
    return index < std::ssize(from.typed) ? from.typed[static_cast<std::size_t>(index)].text
                                          : from.source->sentence(index).text;
  };
  const auto changed_inside = [](const WorkspaceItem& from, std::int64_t index) {
    return index < std::ssize(from.typed) &&
           !from.typed[static_cast<std::size_t>(index)].interventions.empty();
  };
  const std::int64_t index = selection().sentence().index;
  if (changed_inside(item, index) || changed_inside(*of, other->index)) {
    showNothing({tr("One of the two was changed inside the model"),
                 tr("Patching compares the runs of two texts as they are. Choose sentences that differ in "
                    "their words.")});
    return std::nullopt;
  }
  Question result;
  result.loaded = by->loaded;
  result.model = by->id;
  result.folder = model_folder(workspace(), item);
  result.words =
      index < std::ssize(item.typed) ? item.typed[static_cast<std::size_t>(index)].words : cut_of(*recording);
  result.loaded.tokenizer = tokenizer_of(by->loaded, result.words);
  for (const Token& token : recording->sentence(index).tokens) {
    result.tokens.push_back(token.id);
  }
  app::PatchOptions& options = result.options;
  options.clean = text_of(*of, other->index);
  options.corrupt = text_of(item, index);
  options.places = app::parse_places(state().choice(kPlace).toStdString());
  if (model::patch_sites(by->loaded.model->config(), options.places.front(), 1, true).empty()) {
    options.places = {model::PatchPlace::residual};  // all that a recurrent encoder has
  }
  options.directions = app::parse_directions(state().choice(kInto).toStdString());
  options.estimate = false;
  if (predicts_tokens(by->loaded)) {
    options.answer = state().choice(kAnswer).toStdString();
    options.best_answers = options.answer.empty();
    options.against = options.best_answers ? std::string() : state().choice(kAgainst).toStdString();
  }
  return result;
}

void PatchingView::refresh() {
  direction_->setCurrent(static_cast<int>(directions().indexOf(state().choice(kInto))));
  answer_->setText(state().choice(kAnswer));
  against_->setText(state().choice(kAgainst));
  against_->setEnabled(!answer_->text().isEmpty());
  const std::optional<Question> now = question();
  const bool any = now.has_value();
  places_->setVisible(any);
  direction_->setVisible(any);
  fields_->setVisible(any && predicts_tokens(now->loaded));
  if (!any) {
    return;
  }
  places_->setCurrent(static_cast<int>(now->options.places.front()));
  if (asked_ && asked_->same(*now) && shown_.figure != nullptr) {
    picture_->setBusy(false);
    return;
  }
  ask(*now);
}

void PatchingView::ask(const Question& question) {
  picture_->setBusy(true, tr("Running both sentences…"));
  jobs().start(
      {.title = [] { return tr("Patching activations"); }, .slot = kSlot, .quiet = true, .background = true},
      this,
      [question](const JobContext& context) {
        require_pair(question.loaded, question.options, question.tokens);
        Answer answer;
        answer.result = std::make_shared<const app::PatchResult>(
            app::run_patching(question.loaded, question.options, context.stop(), context.progress()));
        answer.figure = std::make_shared<const analysis::FigureData>(
            analysis::patching_figure(answer.result->table(), "effect", kTable.toStdString()));
        return answer;
      },
      [this, question](Answer answer) { take(question, std::move(answer)); },
      [this](const QString& message) {
        showNothing({tr("These two cannot be patched"), message});
      });
}

void PatchingView::take(const Question& question, Answer answer) {
  asked_ = question;
  asked_->loaded = {};  // a model that is closed goes
  shown_ = std::move(answer);
  const bool heads = question.options.places.front() == model::PatchPlace::head;
  panels_.clear();
  const auto numbers = [](const std::vector<analysis::WordLabel>& labels) {
    std::vector<std::int64_t> all;
    all.reserve(labels.size());
    for (const analysis::WordLabel& label : labels) {
      all.push_back(std::strtoll(label.text.c_str(), nullptr, 10));
    }
    return all;
  };
  const auto add = [&](const analysis::FigureData& figure) {
    const auto& map = std::get<analysis::HeatMap>(figure.body);
    panels_.push_back(
        {numbers(map.rows), heads ? numbers(map.columns) : std::vector<std::int64_t>(), Part::none});
  };
  if (const auto* several = std::get_if<analysis::PanelFigure>(&shown_.figure->body)) {
    std::for_each(several->panels.begin(), several->panels.end(), add);
  } else {
    add(*shown_.figure);
  }
  if (heads) {  // a panel each part, in the order of the rows
    std::vector<Part> parts;
    for (const app::PatchRow& row : shown_.result->directions.front().rows) {
      if (std::find(parts.begin(), parts.end(), row.site.part) == parts.end()) {
        parts.push_back(row.site.part);
      }
    }
    for (std::size_t panel = 0; panel < std::min(panels_.size(), parts.size()); ++panel) {
      panels_[panel].part = parts[panel];
    }
  }
  const app::PatchResult& result = *shown_.result;
  const QLocale locale;
  const auto number = [&](double value) { return locale.toString(value, 'f', 3); };
  const QString read =
      result.measure == "cosine" ? tr("cosine of the output")
      : result.against.empty()
          ? tr("logit of “%1”").arg(QString::fromStdString(result.answer))
          : tr("logit of “%1” less that of “%2”")
                .arg(QString::fromStdString(result.answer), QString::fromStdString(result.against));
  QString notes = QString::fromStdString(shown_.figure->caption);
  for (const std::string& note : result.notes) {
    notes += QStringLiteral("\n") + QString::fromStdString(note);
  }
  what_->setText(tr("%1: %2 of the first text, %3 of the second; 1 in a cell: as the first")
                     .arg(read, number(result.clean_value), number(result.corrupt_value)),
                 notes, read);
  answer_->setPlaceholderText(QString::fromStdString(result.answer));
  against_->setPlaceholderText(QString::fromStdString(result.against));
  picture_->setFigure(shown_.figure);
  updateHighlight();
}

void PatchingView::updateHighlight() {
  if (picture_->figure() == nullptr) {
    return;
  }
  figures::Highlight highlight;
  if (hit_) {
    highlight = hit_->highlight();
  } else if (panels_.size() == 1) {
    const Panel& panel = panels_.front();
    const auto place = [](const std::vector<std::int64_t>& all, std::int64_t number) {
      const auto at = std::find(all.begin(), all.end(), number);
      return at == all.end() ? std::optional<std::int64_t>() : at - all.begin();
    };
    highlight.row = place(panel.layers, selection().layer());
    highlight.column = panel.heads.empty() ? selection().lit() : place(panel.heads, selection().head());
  }
  picture_->setHighlight(highlight);
}

// `mog patch` makes the table, `mog figure patching` the picture of it.
FigureCommand PatchingView::command() const {
  FigureCommand command;
  const app::PatchOptions& options = asked_->options;
  if (asked_->folder.isEmpty() || asked_->words != model::WordCut::automatic) {
    command.why_not = asked_->folder.isEmpty()
                          ? tr("The folder of the model is not known.")
                          : tr("mog patch cuts texts into words as the model says, not as chosen here.");
    return command;
  }
  std::vector<std::string> line = {
      "mog", "patch", asked_->folder.toStdString(), "--clean", options.clean, "--corrupt", options.corrupt};
  if (options.best_answers) {
    line.emplace_back("--best-answers");
  } else if (!options.answer.empty()) {
    line.insert(line.end(), {"--answer", options.answer});
    if (!options.against.empty()) {
      line.insert(line.end(), {"--against", options.against});
    }
  }
  line.insert(line.end(), {"--places", std::string(model::name(options.places.front())), "--into",
                           std::string(app::name(options.directions.front())), "--method", "exact",
                           "--output", kTable.toStdString()});
  command.prepare = QString::fromStdString(app::shell_line(line));
  app::FigureRequest request{.kind = "patching"};
  request.inputs = {kTable.toStdString()};
  command.facts = [request] { return app::figure_facts(request); };
  command.arguments = app::figure_arguments(request);
  return command;
}

std::vector<ExportItem> PatchingView::exports() const {
  if (picture_->figure() == nullptr || shown_.result == nullptr) {
    return {};
  }
  return {{tr("Activation patching"),
           QStringLiteral("patching-%1-s%2")
               .arg(QString::fromLatin1(model::name(asked_->options.places.front())))
               .arg(selection().sentence().index + 1),
           picture_->figure(),
           {},
           command()}};
}

const ViewKind& PatchingView::kind() {
  static const ViewKind kind{
      .name = "patching",
      .rank = 10,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new PatchingView(context, parent);
      },
      .places = {{"compare", 0, 1}},
      .settings = {{.name = kPlace,
                    .initial = std::string("residual"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "what is patched"),
                    .choices = places()},
                   {.name = kInto,
                    .initial = std::string("corrupt"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "direction of the patch"),
                    .choices = directions()},
                   {.name = kAnswer,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "answer of the patch")},
                   {.name = kAgainst,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "other answer of the patch")}},
      .guide = [](const ViewContext& context) -> QStringList {
        Q_UNUSED(context)
        return {QStringLiteral("effect")};
      },
  };
  return kind;
}

std::span<const ViewKind> patching_view_kinds() {
  return {&PatchingView::kind(), 1};
}

}  // namespace mog::gui
