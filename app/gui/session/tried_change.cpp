#include "app/gui/session/tried_change.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/gui/session/workspace.h"
#include "io/recording/errors.h"
#include "model/config/config.h"

namespace mog::gui {
namespace {

using analysis::RunChange;

// Whether an intervention sets the number that a change is of.
class Sets {
 public:
  explicit Sets(const RunChange& change) : change_(change) {}
  // What the masked word gets is set, in every row but its own.
  bool operator()(const model::MaskToken& mask) const {
    return change_.what == RunChange::What::attention && change_.key == mask.token;
  }
  bool operator()(const model::ScaleHead& scale) const {
    return change_.what == RunChange::What::head && change_.name.layer() == scale.layer &&
           change_.name.part() == scale.part && change_.head == scale.head;
  }
  bool operator()(const model::ScalePart& scale) const {
    return change_.what == RunChange::What::share && change_.name.layer() == scale.layer &&
           change_.name.part() == scale.part;
  }
  bool operator()(const model::SetGate& set) const {
    return change_.what == RunChange::What::gate && change_.name.layer() == set.layer &&
           change_.name.quantity() == Quantity::gate && set.token.value_or(change_.token) == change_.token;
  }
  template <class Other>
  bool operator()(const Other& /*intervention*/) const {
    return false;
  }

 private:
  const RunChange& change_;
};

bool is_of_ours(const OpenedModel& loaded) {
  return loaded.tokenizer->kind() == "whitespace" || loaded.tokenizer->kind() == "bpe";
}

}  // namespace

std::optional<StandIn> stand_in(const OpenedModel& loaded) {
  if (loaded.tokenizer == nullptr || loaded.model == nullptr) {
    return std::nullopt;
  }
  const model::Vocabulary& vocabulary = loaded.tokenizer->vocabulary();
  constexpr std::array<std::string_view, 4> kNames = {"[MASK]", "<mask>", "[UNK]", "<unk>"};
  for (const std::string_view name : kNames) {
    if (const auto id = vocabulary.find(name)) {
      return StandIn{*id, std::string(name)};
    }
  }
  const std::int64_t unknown = loaded.model->config().unk_id;
  if (is_of_ours(loaded) && unknown >= 0 && unknown < vocabulary.size()) {
    return StandIn{unknown, vocabulary.token(unknown)};
  }
  return std::nullopt;
}

TriedChange run_tried(TriedChange tried, const std::stop_token& stop) {
  if (tried.run_before) {
    const std::vector<Token> then = tried.before->sentence(tried.before_index).tokens;
    auto now = run_typed(tried.loaded, tried.first, stop);
    const std::vector<Token> tokens = now->sentence(0).tokens;
    if (!std::equal(then.begin(), then.end(), tokens.begin(), tokens.end(),
                    [](const Token& left, const Token& right) { return left.id == right.id; })) {
      throw UsageError("The model cuts this sentence into other tokens than the recording has (" +
                       std::to_string(tokens.size()) + ", not " + std::to_string(then.size()) +
                       "): type the sentence, and it is changed as it is run.");
    }
    tried.before = std::move(now);
    tried.before_index = 0;
    tried.run_before = false;
  }
  tried.after = run_typed(tried.loaded, tried.changed, stop);
  return tried;
}

std::vector<model::Intervention> added_interventions(const TypedSentence& first,
                                                     const TypedSentence& changed) {
  const std::size_t known = first.text == changed.text
                                ? std::min(first.interventions.size(), changed.interventions.size())
                                : changed.interventions.size();
  return {changed.interventions.begin() + static_cast<std::ptrdiff_t>(known), changed.interventions.end()};
}

std::vector<analysis::HeadPlace> heads_of(const TriedChange& tried) {
  std::vector<analysis::HeadPlace> heads;
  for (const model::Intervention& one : tried.changed.interventions) {
    if (const auto* scale = std::get_if<model::ScaleHead>(&one)) {
      heads.push_back({scale->layer, scale->part, scale->head});
    }
  }
  return heads;
}

std::function<bool(const RunChange&)> set_by_hand(std::vector<model::Intervention> interventions) {
  return [all = std::move(interventions)](const RunChange& change) {
    return std::any_of(all.begin(), all.end(),
                       [&change](const model::Intervention& one) { return std::visit(Sets(change), one); });
  };
}

std::optional<TriedChange> Workspace::tryChange(SentenceRef of, std::string text,
                                                std::vector<model::Intervention> interventions) const {
  const WorkspaceItem* from = item(of.item);
  const WorkspaceModel* by = from == nullptr ? nullptr : modelOf(*from);
  if (by == nullptr || of.index < 0 || of.index >= std::ssize(from->tokens)) {
    return std::nullopt;
  }
  TriedChange tried{.of = of,
                    .model = by->id,
                    .loaded = by->loaded,
                    .first = {},
                    .changed = {},
                    .before = from->source,
                    .before_index = of.index,
                    .after = nullptr};
  if (from->kind == WorkspaceItem::Kind::typed) {
    tried.first = from->typed.at(static_cast<std::size_t>(of.index));
  } else {
    tried.first.text = from->source->sentence(of.index).text;
    tried.run_before = true;
  }
  tried.changed = {std::move(text), std::move(interventions), -1, tried.first.words};
  return tried;
}

std::optional<SentenceRef> Workspace::keep(const TriedChange& tried) {
  const WorkspaceItem* from = item(tried.of.item);
  if (from == nullptr || model(tried.model) == nullptr || tried.after == nullptr) {
    return std::nullopt;  // closed since
  }
  SentenceRef original = tried.of;
  if (from->kind != WorkspaceItem::Kind::typed) {
    original = typedAs(tried);
  }
  TypedSentence changed = tried.changed;
  changed.parent = original.index;
  addTyped(tried.model, std::move(changed), tried.after);
  return original;
}

// The sentence of a recording among those typed for its model, where it is added when it is not there yet.
SentenceRef Workspace::typedAs(const TriedChange& tried) {
  if (const WorkspaceItem* typed = typedFor(tried.model)) {
    const auto same =
        std::find_if(typed->typed.begin(), typed->typed.end(), [&tried](const TypedSentence& one) {
          return one.text == tried.first.text && one.interventions.empty() && one.words == tried.first.words;
        });
    if (same != typed->typed.end()) {
      return {typed->id, same - typed->typed.begin()};
    }
  }
  addTyped(tried.model, tried.first, tried.before);
  return selection_.sentence();
}

}  // namespace mog::gui
