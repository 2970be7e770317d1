#include "app/gui/views/attention/lens_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/gui/views/common/next_token_run.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {

const QString kColour = QStringLiteral("lens.colour");
constexpr const char* kByLayer = "encoder.*.next_token.*";
constexpr double kLeastRow = 18;  // pixels: words in cells are read

const QStringList& colours() {
  static const QStringList all = {QStringLiteral("probability"), QStringLiteral("entropy"),
                                  QStringLiteral("surprisal")};
  return all;
}

}  // namespace

LensView::LensView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      colour_choice_(new Choice(tr("Colours of the logit lens"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({QStringLiteral("lens")});
  const auto [column, tools] = make_tool_column(this);
  colour_choice_->add(tr("Probability"), static_cast<int>(Colour::probability),
                      tr("Colours say how probable the token in the cell is"));
  colour_choice_->add(tr("Entropy"), static_cast<int>(Colour::entropy),
                      tr("Colours say how open it is what follows, in nats"));
  colour_choice_->add(tr("Surprisal"), static_cast<int>(Colour::surprisal),
                      tr("Colours say how little the token that follows was foreseen, in nats"));
  tools->addWidget(colour_choice_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setLeastCell(kLeastRow);
  picture_->setAccessibleName(tr("Logit lens"));
  connect(colour_choice_, &Choice::chosen, this,
          [this](int chosen) { setColour(static_cast<Colour>(chosen)); });
  follow();
}

void LensView::follow() {
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == kColour || name == setting::kAttentionSpecial) {
      invalidate();
    }
  });
  connect(&workspace(), &Workspace::modelChanged, this, [this] {
    if (made_.figure == nullptr) {
      invalidate();  // the model may be the one that was missing
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, &LensView::updateHighlight);
  connect(&selection(), &SelectionModel::tokenChanged, this, [this] {
    updateHighlight();
    if (!hit_ && selection().token() && made_.figure) {
      picture_->see(std::nullopt, place_of(tokens_, selection().token()));
    }
  });
  connect(&selection(), &SelectionModel::hoveredChanged, this, &LensView::updateHighlight);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    selection().setHovered(hit ? tokenOf(*hit) : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    const auto token = tokenOf(hit);
    const bool layer = hit.row >= 0 && hit.row < std::ssize(layers_);
    if (layer) {
      selection().setLayer(layers_[static_cast<std::size_t>(hit.row)]);
    }
    if (token) {
      selection().setToken(selection().token() == token && !layer ? std::nullopt : token);
    }
  });
}

void LensView::setColour(Colour colour) {
  state().set(kColour, colours().at(static_cast<qsizetype>(colour)));
}

LensView::Colour LensView::colour() const {
  return static_cast<Colour>(std::max(qsizetype{0}, colours().indexOf(state().choice(kColour))));
}

void LensView::showEmpty(const Empty& empty) {
  made_ = {};
  tokens_.clear();
  layers_.clear();
  hit_.reset();
  colour_choice_->hide();
  what_->clear();
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
}

std::optional<LensView::Question> LensView::question(
    const std::shared_ptr<const RecordingSource>& recording) {
  const WorkspaceItem& item = *workspace().selectedItem();
  const RecordingHeader& header = recording->header();
  const WorkspaceModel* const by = workspace().modelOf(item);
  const QString folder = model_folder(workspace(), item);
  const bool held = holds_lens(header);
  if (!held && (!header.stack().causal || (by != nullptr && !predicts_tokens(by->loaded)))) {
    showEmpty({tr("This model does not say what follows"),
               tr("The logit lens is of models that read from left to right and predict the next token, such "
                  "as GPT-2 or Llama.")});
    return std::nullopt;
  }
  if (!held && by == nullptr) {
    showEmpty(notRecorded(tr("No logit lens in this recording"),
                          tr("Its model computes it for one sentence. For all of them, record the corpus "
                             "again with --quantity '%1'.")
                              .arg(QString::fromLatin1(kByLayer))));
    return std::nullopt;
  }
  if (folder.isEmpty()) {
    showEmpty(notRecorded(tr("The tokens have no names here"),
                          tr("A recording keeps the numbers of tokens. Open its model (%1, Ctrl+O): its "
                             "vocabulary names them.")
                              .arg(QString::fromStdString(header.model.name))));
    return std::nullopt;
  }
  Question result{recording, selection().sentence().index, std::nullopt, {.kind = "logit-lens"}};
  result.request.set("colour", state().choice(kColour).toStdString())
      .flag("no-special-tokens", state().choice(setting::kAttentionSpecial) == QLatin1String("none"));
  if (held) {
    result.request.set("sentence", recording->number(result.index)).set("vocabulary", folder.toStdString());
    return result;
  }
  const TypedSentence sentence =
      item.kind == WorkspaceItem::Kind::typed
          ? item.typed.at(static_cast<std::size_t>(result.index))
          : TypedSentence{.text = recording->sentence(result.index).text, .interventions = {}};
  result.run = DecompositionRun{
      .loaded = by->loaded, .sentence = sentence, .quantity = QString::fromLatin1(kByLayer), .as_text = true};
  result.request.inputs = {folder.toStdString()};
  result.request.text.emplace();
  result.request.text->text = sentence.text;
  result.request.text->words = sentence.words;
  return result;
}

void LensView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    showEmpty(noSentence(tr("Here you see what each layer expects next, token by token.")));
    return;
  }
  if (const auto asked = question(recording)) {
    ask(*asked);
  }
}

void LensView::ask(const Question& question) {
  colour_choice_->setCurrent(static_cast<int>(colour()));
  picture_->setBusy(true);
  const bool known = computed_.of.lock() == question.recording && computed_.index == question.index;
  struct Result {
    MadeFigure made;
    std::shared_ptr<const RecordingSource> values;
    TokenGroups tokens;
  };
  jobs().start(
      {.title = [] { return tr("Computing the logit lens"); }, .slot = QStringLiteral("lens"), .quiet = true},
      this,
      [question, values = known ? computed_.values : nullptr](const JobContext& context) mutable {
        if (question.run && values == nullptr) {
          values = values_of(*question.run, *question.recording, question.index, context.stop());
        }
        const std::shared_ptr<const RecordingSource> from = question.run ? values : question.recording;
        const analysis::FigureData figure =
            app::make_figure(question.request, app::FigureInputs{.sources = {from}, .stop = context.stop()});
        return Result{{std::make_shared<const analysis::FigureData>(figure), question.request},
                      values,
                      analysis::shown_tokens(from->sentence(question.run ? 0 : question.index),
                                             {.special_tokens = !question.request.has("no-special-tokens")})};
      },
      [this, question](Result result) {
        made_ = std::move(result.made);
        tokens_ = std::move(result.tokens);
        changed_inside_ = question.run && !question.run->sentence.interventions.empty();
        if (question.run) {
          computed_ = {question.recording, question.index, std::move(result.values)};
        }
        layers_.clear();
        for (const analysis::WordLabel& row : std::get<analysis::HeatMap>(made_.figure->body).rows) {
          layers_.push_back(std::strtoll(row.text.c_str(), nullptr, 10));
        }
        colour_choice_->show();
        what_->setText(tr("what would be said next if the layer were the last one; the top row is what the "
                          "model says"),
                       QString::fromStdString(made_.figure->caption), tr("best next token by layer"));
        picture_->setFigure(made_.figure);
        updateHighlight();
      },
      [this](const QString& message) {
        showEmpty({tr("The logit lens cannot be shown"), message});
      });
}

std::optional<std::int64_t> LensView::tokenOf(const figures::Hit& hit) const {
  return hit.column >= 0 && hit.column < std::ssize(tokens_)
             ? std::optional(tokens_[static_cast<std::size_t>(hit.column)].front())
             : std::nullopt;
}

void LensView::updateHighlight() {
  if (picture_->figure() == nullptr) {
    return;
  }
  figures::Highlight highlight;
  if (hit_) {
    highlight = hit_->highlight();
  } else {
    highlight.column = place_of(tokens_, selection().lit());
    const auto at = std::find(layers_.begin(), layers_.end(), selection().layer());
    if (at != layers_.end()) {
      highlight.row = at - layers_.begin();
    }
  }
  picture_->setHighlight(highlight);
}

std::vector<ExportItem> LensView::exports() const {
  if (made_.figure == nullptr || picture_->figure() == nullptr) {
    return {};
  }
  figures::Highlight highlight;
  highlight.column = place_of(tokens_, selection().token());
  FigureCommand command;
  if (changed_inside_) {
    command.why_not =
        tr("A sentence that was changed inside the model has no command: mog figure runs sentences as they "
           "are.");
  } else {
    command = made_.made_by.text ? commandOfText(made_.made_by, computed_.values, highlight)
                                 : commandOf(made_.made_by, highlight);
  }
  return {{tr("Logit lens"), QStringLiteral("logit-lens-s%1").arg(selection().sentence().index + 1),
           picture_->figure(), highlight, std::move(command)}};
}

const ViewKind& LensView::kind() {
  static const ViewKind kind{
      .name = "lens",
      .rank = 5,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new LensView(context, parent);
      },
      .places = {{"attention", 1, 2}},
      .settings = {{.name = kColour,
                    .initial = std::string("probability"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "colours of the logit lens"),
                    .choices = colours()}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {of_stack(context, "next_token"),
                of_stack(context, "next_token.best"),
                of_stack(context, "next_token.best_probability"),
                of_stack(context, "next_token.entropy"),
                of_stack(context, "next_token.surprisal"),
                of_stack(context, "next_token.rank")};
      },
  };
  return kind;
}

std::span<const ViewKind> lens_view_kinds() {
  return {&LensView::kind(), 1};
}

}  // namespace mog::gui
