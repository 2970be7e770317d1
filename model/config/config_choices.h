// The values of the keys of config.json and their texts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/config/config.h"

namespace mog::model {

template <class Value>
using Choices = std::vector<std::pair<Value, std::string_view>>;

inline const Choices<EncoderKind> kKinds = {{EncoderKind::graph_transformer, "graph_transformer"},
                                            {EncoderKind::transformer, "transformer"},
                                            {EncoderKind::gru, "gru"},
                                            {EncoderKind::lstm, "lstm"}};
inline const Choices<RecurrentCell> kCells = {{RecurrentCell::gru_reset, "gru_reset"},
                                              {RecurrentCell::gru_plain, "gru_plain"},
                                              {RecurrentCell::gru, "gru"},
                                              {RecurrentCell::lstm, "lstm"}};
inline const Choices<Activation> kActivations = {{Activation::relu, "relu"},
                                                 {Activation::gelu, "gelu"},
                                                 {Activation::gelu_tanh, "gelu_tanh"},
                                                 {Activation::silu, "silu"}};
inline const Choices<NormPlace> kNorms = {{NormPlace::post, "post"}, {NormPlace::pre, "pre"}};
// Of an encoder.
inline const Choices<NormPlace> kEncoderNorms = {{NormPlace::post, "post"},
                                                 {NormPlace::pre, "pre"},
                                                 {NormPlace::sandwich, "sandwich"},
                                                 {NormPlace::output, "output"}};
inline const Choices<Mask> kMasks = {{Mask::full, "full"}, {Mask::causal, "causal"}};
inline const Choices<QueryKeyNorm> kQueryKeyNorms = {
    {QueryKeyNorm::none, "none"}, {QueryKeyNorm::head, "head"}, {QueryKeyNorm::row, "row"}};
inline const Choices<RotaryPairs> kRotaryPairs = {{RotaryPairs::halves, "halves"},
                                                  {RotaryPairs::neighbours, "neighbours"}};
inline const Choices<Position> kPositions = {{Position::sinusoidal, "sinusoidal"},
                                             {Position::none, "none"},
                                             {Position::random, "random"},
                                             {Position::learned, "learned"},
                                             {Position::fixed, "fixed"}};
// Relative ones stand in attention scores.
inline const Choices<Position> kAttentionPositions = {
    {Position::sinusoidal, "sinusoidal"}, {Position::none, "none"},   {Position::random, "random"},
    {Position::learned, "learned"},       {Position::fixed, "fixed"}, {Position::relative, "relative"}};
// Those of an encoder turn queries and keys, too, or make scores fall with the distance.
inline const Choices<Position> kEncoderPositions = {
    {Position::sinusoidal, "sinusoidal"}, {Position::none, "none"},   {Position::random, "random"},
    {Position::learned, "learned"},       {Position::fixed, "fixed"}, {Position::relative, "relative"},
    {Position::rotary, "rotary"},         {Position::alibi, "alibi"}};
inline const Choices<NormKind> kNormKinds = {{NormKind::layer, "layer"}, {NormKind::rms, "rms"}};
inline const Choices<Fusion> kFusions = {
    {Fusion::sum, "sum"}, {Fusion::weight_gate, "weight_gate"}, {Fusion::self_gate, "self_gate"}};
inline const Choices<GateForm> kGateForms = {{GateForm::linear2, "linear2"}, {GateForm::formula, "formula"}};
inline const Choices<FirstLayer> kFirstLayers = {{FirstLayer::incremental, "incremental"},
                                                 {FirstLayer::plain, "plain"}};
inline const Choices<SelfGateScale> kSelfGateScales = {{SelfGateScale::d, "d"},
                                                       {SelfGateScale::sqrt_d, "sqrt_d"}};
inline const Choices<Residual> kResiduals = {{Residual::full, "full"}, {Residual::update, "update"}};
inline const Choices<RouteAxis> kRouteAxes = {{RouteAxis::positions, "positions"},
                                              {RouteAxis::capsules, "capsules"}};
inline const Choices<CapsulePooling> kPoolings = {{CapsulePooling::attentive, "attentive"},
                                                  {CapsulePooling::mean, "mean"},
                                                  {CapsulePooling::concatenation, "concatenation"}};
inline const Choices<RelationForm> kRelationForms = {{RelationForm::three_term, "three_term"},
                                                     {RelationForm::two_term, "two_term"},
                                                     {RelationForm::unscaled, "unscaled"}};
inline const Choices<NoRelation> kNoRelations = {
    {NoRelation::zero, "zero"}, {NoRelation::frozen, "frozen"}, {NoRelation::learned, "learned"}};
inline const Choices<GraphKind> kGraphKinds = {{GraphKind::dependencies, "dependencies"},
                                               {GraphKind::coreference, "coreference"}};
// How the trees of kind = dependencies are found.
inline const Choices<GraphKind> kParsers = {{GraphKind::dependencies, "pairs"},
                                            {GraphKind::transitions, "sentence_transitions"},
                                            {GraphKind::state_transitions, "state_transitions"}};
inline const Choices<StateClassifier> kStateClassifiers = {{StateClassifier::pooled, "pooled"},
                                                           {StateClassifier::cls, "cls"}};
inline const Choices<Composition> kCompositions = {{Composition::none, "none"},
                                                   {Composition::recursive, "recursive"},
                                                   {Composition::last_dependent, "last_dependent"}};
inline const Choices<TokenizerKind> kTokenizers = {{TokenizerKind::whitespace, "whitespace"},
                                                   {TokenizerKind::bpe, "bpe"},
                                                   {TokenizerKind::wordpiece, "wordpiece"},
                                                   {TokenizerKind::byte_bpe, "byte_bpe"},
                                                   {TokenizerKind::unigram, "unigram"}};

inline const Choices<WordCut> kWordCuts = {
    {WordCut::spaces, "spaces"}, {WordCut::ud_en, "ud-en"}, {WordCut::characters, "characters"}};

template <class Value>
std::string text_of(const Choices<Value>& choices, Value value) {
  for (const auto& [entry, text] : choices) {
    if (entry == value) {
      return std::string(text);
    }
  }
  return "";
}

}  // namespace mog::model
