// What models compute: encoders of all kinds, decoders, tagging heads.
#include "app/workflow/describe/guide_parts.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_encoders() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.embedding", MOG_TEXT("Guide", "input of layer 1"),
       MOG_TEXT("Guide", "√d · E[token] + position"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "The scaled embedding of each token plus its position: what the first layer reads."),
       "", "E"},
      {"encoder.L.input", MOG_TEXT("Guide", "representation before the layer"),
       MOG_TEXT("Guide", "F = P + I; plain and recurrent layers: x"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What the layer reads. A Graph-Transformer adds up the previous and the incremental "
                "representation; a plain or recurrent layer has one vector a token."),
       "", "F, x"},
      {"encoder.L.previous", MOG_TEXT("Guide", "previous representation"),
       MOG_TEXT("Guide", "P′ = P + I of the layer below; P = 0 before layer 1"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "Everything that the lower layers of a Graph-Transformer had found before the last one: "
                "subgraphs that are already there."),
       "", "P"},
      {"encoder.L.incremental", MOG_TEXT("Guide", "incremental representation"),
       MOG_TEXT("Guide", "I′ = what the layer below added; I = E before layer 1"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What the layer below has newly made (Graph-Transformer): the subgraphs that this layer may "
                "join for the first time."),
       "", "I"},
      {"encoder.L.high.attention", MOG_TEXT("Guide", "attention of the high part"),
       "softmax(Q(I) · K(I)ᵀ / √d_h)", MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "Row m, column n: how much word m (the query) attends to word n (the key) when newly made "
                "subgraphs are joined with newly made ones. Queries and keys both read the incremental "
                "representation I.")},
      {"encoder.L.middle1.attention", MOG_TEXT("Guide", "attention of the first middle part"),
       "softmax(Q(I) · K(P)ᵀ / √d_h)", MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How much word m, by what is new, attends to word n, by what was there before. Queries read "
                "the incremental representation I, keys the previous one P.")},
      {"encoder.L.middle2.attention", MOG_TEXT("Guide", "attention of the second middle part"),
       "softmax(Q(P) · K(I)ᵀ / √d_h)", MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How much word m, by what was there before, attends to word n, by what is new. Queries read "
                "the previous representation P, keys the incremental one I.")},
      {"encoder.L.full.attention", MOG_TEXT("Guide", "attention of a plain layer"),
       "softmax(Q(x) · K(x)ᵀ / √d_h)", MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "Row m, column n: how much word m (the query) attends to word n (the key). It says where a "
                "head looks, not what it takes from there or whether that matters.")},
      {"encoder.L.PART.attention.row_entropy", MOG_TEXT("Guide", "entropy of the attention rows"),
       "H(m) = − Σₙ A[m, n] · ln A[m, n]", MOG_TEXT("Guide", "0 (one key) to ln T (all T tokens alike)"),
       ClaimLevel::summary,
       MOG_TEXT("Guide", "How widely each query spreads its attention, one number a head and query.")},
      {"encoder.L.PART.attention.row_max", MOG_TEXT("Guide", "greatest attention weight"), "maxₙ A[m, n]",
       MOG_TEXT("Guide", "1/T to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The weight of the key that each query attends to most.")},
      {"encoder.L.PART.attention.top", MOG_TEXT("Guide", "greatest attention weights"),
       MOG_TEXT("Guide", "the K greatest of A[m, ·]"), MOG_TEXT("Guide", "0 to 1; each row falls"),
       ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "What each query gives to the K keys that it attends to most (mog record --store-top-k K), the "
           "greatest first. A row is no map: what the others have is in rest.")},
      {"encoder.L.PART.attention.top_key", MOG_TEXT("Guide", "keys of the greatest attention weights"),
       MOG_TEXT("Guide", "n of the K greatest A[m, n]"), MOG_TEXT("Guide", "0 to T − 1; −1: none"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The tokens, counted from 0, that the weights in top belong to. Of equal weights the smaller "
                "key comes first; a row of fewer than K keys ends with −1.")},
      {"encoder.L.PART.attention.rest", MOG_TEXT("Guide", "attention beyond the greatest weights"),
       MOG_TEXT("Guide", "Σₙ A[m, n] over the other keys"), MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What each query gives to all keys but the K of top: 1 less their weights.")},
      {"encoder.L.PART.attention.mean_heads", MOG_TEXT("Guide", "attention averaged over heads"),
       "(1/H) · Σₕ Aʰ[m, n]", MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "One map a part: what the heads have in common. A head that does something of its own is no "
                "longer seen.")},
      {"encoder.L.PART.attention.norm", MOG_TEXT("Guide", "contribution of each head"),
       MOG_TEXT("Guide", "‖Woʰ · oʰ(m)‖₂, without bias"), MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The length of the vector that each head adds to the output of its part, through its columns "
                "of the output map. A head with sharp attention and a short vector does little.")},
      {"encoder.L.PART.context", MOG_TEXT("Guide", "what the heads take"), "oʰ(m) = Σₙ A[m, n] · Vʰ(n)",
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What each head takes of its keys, before the output map joins the heads: head h has numbers "
                "(h − 1) · d_h + 1 to h · d_h of a row.")},
      {"encoder.L.high.output", MOG_TEXT("Guide", "output of the high part"),
       MOG_TEXT("Guide", "i_h, after its output map"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What attention of new subgraphs to new ones gives each token.")},
      {"encoder.L.middle1.output", MOG_TEXT("Guide", "output of the first middle part"),
       MOG_TEXT("Guide", "i_m1, after its output map"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What attention of new subgraphs to earlier ones gives each token.")},
      {"encoder.L.middle2.output", MOG_TEXT("Guide", "output of the second middle part"),
       MOG_TEXT("Guide", "i_m2, after its output map"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What attention of earlier subgraphs to new ones gives each token.")},
      {"encoder.L.low.output", MOG_TEXT("Guide", "output of the low part"),
       MOG_TEXT("Guide", "i_l, after its output map"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What is carried on from earlier layers without being joined anew. The low part has no "
                "attention map.")},
      {"encoder.L.full.output", MOG_TEXT("Guide", "output of the attention of a plain layer"),
       MOG_TEXT("Guide", "a, after its output map"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What self-attention gives each token, before the residual sum.")},
      {"encoder.L.PART.output.norm", MOG_TEXT("Guide", "norm of a part's contribution"),
       "‖w ⊙ i_h‖₂, ‖(1 − w) ⊙ i_l‖₂, …", MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The length of what the part contributes to the fused Z, the gate counted in.")},
      {"encoder.L.PART.output.share", MOG_TEXT("Guide", "share of a part"),
       MOG_TEXT("Guide", "norm of the part / Σ norms of all parts"),
       MOG_TEXT("Guide", "0 to 1; all parts of a layer sum to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the layer's new value comes from this part, by lengths of vectors. Vectors of "
                "opposite direction are not seen to cancel.")},
      {"encoder.L.gate", MOG_TEXT("Guide", "weight gate"),
       MOG_TEXT("Guide",
                "w = σ(W_n · (i_h + i_m1 + i_m2) + W_l · i_l), or σ of their sum; recurrent layers: z"),
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "1 keeps only high and middle order, 0 only low order, in each dimension of each token "
                "(fusion = weight_gate). It is the model's own weight between new joins and what is carried "
                "on. Of a GRU it is the share of the new value (z; 1 − z with cell = gru), of an LSTM i / (i "
                "+ f); with two directions the forward half comes first, then the backward half."),
       "", "w, z"},
      {"encoder.L.gate.mean", MOG_TEXT("Guide", "mean of the weight gate"), "(1/d) · Σ w",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The weight that the model gives to high and middle order at a token, or to the new value of "
                "a recurrent state, averaged over dimensions.")},
      {"encoder.L.self_gate", MOG_TEXT("Guide", "self gate"),
       MOG_TEXT("Guide", "S = softmax over i_h, i_m1, i_m2, i_l"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How the four parts of a token attend to each other before they are added up; rows and "
                "columns are i_h, i_m1, i_m2, i_l (fusion = self_gate)."),
       "", "S"},
      {"encoder.L.below.output", MOG_TEXT("Guide", "what a recurrent layer takes from below"),
       MOG_TEXT("Guide", "W · x, without bias"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "The part of the new value that comes from the layer below, at the same step."), "",
       "W x"},
      {"encoder.L.below.output.norm", MOG_TEXT("Guide", "norm of what comes from below"), "‖W · x‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The length of the part that comes from the layer below.")},
      {"encoder.L.below.output.share", MOG_TEXT("Guide", "share of what comes from below"),
       "1 − σ = ‖W x‖ / (‖U h‖ + ‖W x‖)", MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the new value comes from the layer below, by lengths of vectors; the rest comes "
                "from the step before."),
       "", "1 − σ"},
      {"encoder.L.recurrent.output", MOG_TEXT("Guide", "what a recurrent layer takes from the step before"),
       "U h (gru_plain, lstm); U (r ⊙ h) (gru_reset); r ⊙ (U h) (gru)", MOG_TEXT("Guide", "any number"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The part of the new value that comes from the state of the step before, as it enters, "
                "without bias; where the reset gate stands depends on the kind of GRU."),
       "", "U h"},
      {"encoder.L.recurrent.output.norm", MOG_TEXT("Guide", "norm of what comes from the step before"),
       "‖U · h‖₂", MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The length of the part that comes from the step before.")},
      {"encoder.L.recurrent.output.share", MOG_TEXT("Guide", "share of what comes from the step before"),
       "σ = ‖U h‖ / (‖U h‖ + ‖W x‖)", MOG_TEXT("Guide", "0 to 1; 0 in the first step"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How much of the new value comes from the step before, by lengths of vectors."), "",
       "σ"},
      {"encoder.L.recurrent.carry", MOG_TEXT("Guide", "carry weight"),
       "α(t, s) = m_s · Π_{u = s+1 … t} (1 − m_u)",
       MOG_TEXT("Guide", "0 to 1; a row sums to 1 less the weight of the zero start state"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the state of step t (row) still is the new value of the earlier step s "
                "(column): the recurrent counterpart of an attention map. m is the share of the new value "
                "averaged over dimensions (LSTM: i / (i + f) of the means); above the diagonal it is 0."),
       "", "α"},
      {"encoder.L.reset", MOG_TEXT("Guide", "reset gate"), "r = σ(W_r x + U_r h + b_r)",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How much of the state before enters the new value of a GRU (gru_plain computes it and does "
                "not use it)."),
       "", "r"},
      {"encoder.L.reset.mean", MOG_TEXT("Guide", "mean of the reset gate"), "(1/d) · Σ r",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The reset gate averaged over dimensions.")},
      {"encoder.L.input_gate", MOG_TEXT("Guide", "input gate"), "i = σ(W_i x + U_i h + b_i)",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How much of the new value enters the cell of an LSTM."), "", "i"},
      {"encoder.L.input_gate.mean", MOG_TEXT("Guide", "mean of the input gate"), "(1/d) · Σ i",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The input gate averaged over dimensions.")},
      {"encoder.L.forget_gate", MOG_TEXT("Guide", "forget gate"), "f = σ(W_f x + U_f h + b_f)",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How much of the cell before stays in the cell of an LSTM."), "", "f"},
      {"encoder.L.forget_gate.mean", MOG_TEXT("Guide", "mean of the forget gate"), "(1/d) · Σ f",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The forget gate averaged over dimensions.")},
      {"encoder.L.output_gate", MOG_TEXT("Guide", "output gate"), "o = σ(W_o x + U_o h + b_o)",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How much of the cell of an LSTM is seen in its state."), "", "o"},
      {"encoder.L.output_gate.mean", MOG_TEXT("Guide", "mean of the output gate"), "(1/d) · Σ o",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The output gate averaged over dimensions.")},
      {"encoder.L.candidate", MOG_TEXT("Guide", "new value of a recurrent layer"),
       MOG_TEXT("Guide", "tanh(W x + U h + b), before the gates"), MOG_TEXT("Guide", "−1 to 1"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What the layer would make of the step before its gates decide how much of it is kept (n of "
                "a GRU, g of an LSTM)."),
       "", "n, h̃, g"},
      {"encoder.L.cell", MOG_TEXT("Guide", "cell of an LSTM"), "c′ = f ⊙ c + i ⊙ g",
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What an LSTM remembers from step to step."), "", "c"},
      {"encoder.L.fused", MOG_TEXT("Guide", "fused parts"), "Z = w ⊙ (i_h + i_m1 + i_m2) + (1 − w) ⊙ i_l",
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "All parts of a layer after the gate; in a plain layer the output of the attention block."),
       "", "Z"},
      {"encoder.L.attended", MOG_TEXT("Guide", "after the attention block"),
       MOG_TEXT("Guide", "A = LayerNorm(Z + residual); pre-norm: the sum alone"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What the feed-forward block reads."), "", "A, B"},
      {"encoder.L.feed_forward", MOG_TEXT("Guide", "output of the feed-forward block"),
       "W₂ · φ(W₁ · A + b₁) + b₂", MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What the feed-forward block adds to each token, before the residual sum.")},
      {"encoder.L.output", MOG_TEXT("Guide", "representation after the layer"),
       MOG_TEXT("Guide", "F′ = P′ + I′; plain layers: x′; recurrent layers: h"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What the layer gives to the next one. With two directions the forward state, then the "
                "backward state."),
       "", "F′, x′, h"},
      {"encoder.output", MOG_TEXT("Guide", "output of the encoder"),
       MOG_TEXT("Guide", "pre-norm: after the last layer norm"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What tagging heads, decoder or pooling read. Of a recurrent encoder the last row is the "
                "sentence's vector; with two directions it is the forward half of the last row and the "
                "backward half of the first.")},
  };
  return kRows;
}

std::span<const GuideEntry> guide_of_directions() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.L.D.gate", MOG_TEXT("Guide", "share of the new value in one direction"),
       "z (cell = gru: 1 − z); LSTM: i / (i + f)", MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How much of the state of a direction is new at each step, in each dimension."), "",
       "z"},
      {"encoder.L.D.gate.mean", MOG_TEXT("Guide", "mean share of the new value in one direction"),
       "(1/d) · Σ z", MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The share of the new value averaged over dimensions.")},
      {"encoder.L.D.carry", MOG_TEXT("Guide", "carry weight of one direction"),
       MOG_TEXT("Guide", "α(t, s) = m_s · Π_u (1 − m_u); forward u = s+1 … t, backward u = t … s−1"),
       MOG_TEXT("Guide", "0 to 1; a row sums to 1 less the weight of the zero start state"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the state of step t (row) still is the new value of step s (column). Forward it "
                "is 0 above the diagonal, backward below it: the step before is then the next token. m is "
                "the share of the new value averaged over dimensions (LSTM: i / (i + f) of the means)."),
       "", "α"},
      {"encoder.L.D.output", MOG_TEXT("Guide", "state of one direction"),
       MOG_TEXT("Guide", "h of the direction"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "The half of the layer's output that this direction makes."), "", "h"},
      {"encoder.L.D.output.norm", MOG_TEXT("Guide", "norm of the state of one direction"), "‖h‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The length of the state of a direction.")},
      {"encoder.L.D.output.share", MOG_TEXT("Guide", "share of one direction"), "β = ‖h→‖ / (‖h→‖ + ‖h←‖)",
       MOG_TEXT("Guide", "0 to 1; both sum to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How much of the layer's output is of this direction, by lengths of vectors."), "",
       "β, 1 − β"},
      {"encoder.L.D_below.output", MOG_TEXT("Guide", "what a direction takes from the layer below"),
       MOG_TEXT("Guide", "W · x, without bias"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The part of the new value that comes from below; from layer 2 on both directions of the "
                "layer below are read."),
       "", "W x"},
      {"encoder.L.D_below.output.norm", MOG_TEXT("Guide", "norm of what a direction takes from below"),
       "‖W · x‖₂", MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary, MOG_TEXT("Guide", "Its length.")},
      {"encoder.L.D_below.output.share", MOG_TEXT("Guide", "share of what a direction takes from below"),
       "1 − σ = ‖W x‖ / (‖U h‖ + ‖W x‖)", MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the direction's new value comes from the layer below, by lengths of vectors."),
       "", "1 − σ"},
      {"encoder.L.D_recurrent.output", MOG_TEXT("Guide", "what a direction takes from its step before"),
       MOG_TEXT("Guide", "U · h, as it enters"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The part of the new value that comes from the direction's step before (see "
                "encoder.L.recurrent.output)."),
       "", "U h"},
      {"encoder.L.D_recurrent.output.norm",
       MOG_TEXT("Guide", "norm of what a direction takes from its step before"), "‖U · h‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary, MOG_TEXT("Guide", "Its length.")},
      {"encoder.L.D_recurrent.output.share",
       MOG_TEXT("Guide", "share of what a direction takes from its step before"),
       "σ = ‖U h‖ / (‖U h‖ + ‖W x‖)", MOG_TEXT("Guide", "0 to 1; 0 in the first step"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the direction's new value comes from its step before, by lengths of vectors."),
       "", "σ"},
  };
  return kRows;
}

std::span<const GuideEntry> guide_of_graph_input() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.graph", MOG_TEXT("Guide", "the graph that is read"), "r[i, j]",
       MOG_TEXT("Guide", "0 (no relation) or the number of a relation"), ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "The relation of query i and key j in the graph that the encoder reads beside the tokens: of a "
           "parser the tree of the round before, each label in both directions."),
       "", "r"},
      {"encoder.L.full.graph_terms", MOG_TEXT("Guide", "terms of scores that read a graph"),
       MOG_TEXT("Guide", "e = (q·k + q·RK[r] + RQ[r]·k) / √d"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "What content alone gives to each attention score, and what the relation of query and key adds "
           "with the query and with the key. Their sum is the score; the pattern is its softmax."),
       "", "e"},
      {"encoder.L.full.graph_terms.covariance", MOG_TEXT("Guide", "covariance shares of graph terms"),
       MOG_TEXT("Guide", "Cov(eₜ, e) / Var(e), rows from their means"),
       MOG_TEXT("Guide", "sums to 1 over terms; single shares may be negative"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How much of the differences between a head's scores in the sentence goes with content and how "
           "much with the relations of the graph; 0 where there is one token.")},
      {"encoder.L.full.graph_terms.leave_out", MOG_TEXT("Guide", "leaving out a graph term"),
       "KL(softmax(e) ‖ softmax(e − eₜ))", MOG_TEXT("Guide", "from 0, nats"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How far the head's pattern moves where the term is taken away in this layer alone, a mean over "
           "queries.")},
  };
  return kRows;
}

std::span<const GuideEntry> guide_of_global() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.L.routing", MOG_TEXT("Guide", "routing weights"),
       MOG_TEXT("Guide", "c = softmax(b) over positions (or capsules); b += ⟨ĥ, u⟩, u = squash(Σᵢ cᵢ · ĥᵢ)"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1 (route_axis = capsules: each column)"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "Row k, column i: how much capsule k collects of token i after the last step of routing. A "
                "capsule is a vector of the whole sentence; its row says of which words it is made."),
       "", "c"},
      {"encoder.L.routing.row_entropy", MOG_TEXT("Guide", "entropy of the routing weights"),
       "H(k) = − Σᵢ c[k, i] · ln c[k, i]", MOG_TEXT("Guide", "0 (one token) to ln T (all T tokens alike)"),
       ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How widely each capsule collects. With route_axis = capsules rows do not sum to 1 and this is "
           "no entropy of a distribution.")},
      {"encoder.L.capsules", MOG_TEXT("Guide", "capsules"), "uₖ = squash(Σᵢ c[k, i] · Wₖ · hᵢ)",
       MOG_TEXT("Guide", "length below 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What each capsule of the layer has collected of the sentence."), "", "u"},
      {"encoder.L.capsules.norm", MOG_TEXT("Guide", "length of a capsule"), "‖uₖ‖₂ = ‖t‖² / (1 + ‖t‖²)",
       MOG_TEXT("Guide", "0 to below 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Near 1 where what the capsule collects points in one direction, smaller where it cancels.")},
      {"encoder.L.pooling", MOG_TEXT("Guide", "weights of the capsules"),
       MOG_TEXT("Guide", "a = softmaxₖ(ŝ · uₖ), ŝ = FFN(meanₖ uₖ)"),
       MOG_TEXT("Guide", "0 to 1; all capsules sum to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How much each capsule weighs in what the layer gives to the global state of the sentence "
                "(pooling = attentive)."),
       "", "a"},
      {"decoder.global_gate", MOG_TEXT("Guide", "gate of the global state"),
       "g = σ(W · [r; s] + b); r′ = r + s ⊙ g", MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How much of the sentence's global state s each target token takes into the last state of "
                "the decoder, in each dimension."),
       "", "g"},
      {"decoder.global_gate.mean", MOG_TEXT("Guide", "mean of the gate of the global state"), "(1/d) · Σ g",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How open the gate is at a target token, averaged over dimensions.")},
  };
  return kRows;
}

std::span<const GuideEntry> guide_of_decoders() {
  static constexpr GuideEntry kRows[] = {
      {"decoder.L.input", MOG_TEXT("Guide", "state before a decoder layer"), "y",
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What the decoder layer reads at each target token.")},
      {"decoder.L.self.attention", MOG_TEXT("Guide", "self-attention of the decoder"),
       MOG_TEXT("Guide", "softmax(Q(y) · K(y)ᵀ / √d_h), earlier tokens only"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How much each target token attends to the target tokens up to it.")},
      {"decoder.L.cross.attention", MOG_TEXT("Guide", "attention of the decoder to the source"),
       MOG_TEXT("Guide", "softmax(Q(y) · K(encoder output)ᵀ / √d_h)"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How much each target token attends to each source token. It is often read as an alignment, "
                "which it is not trained to be.")},
      {"decoder.L.PART.attention.row_entropy", MOG_TEXT("Guide", "entropy of the decoder's attention rows"),
       "− Σₙ A[m, n] · ln A[m, n]", MOG_TEXT("Guide", "0 to ln of the number of keys"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How widely each target token spreads its attention.")},
      {"decoder.L.PART.attention.row_max", MOG_TEXT("Guide", "greatest attention weight in the decoder"),
       "maxₙ A[m, n]", MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The weight of the key that each target token attends to most.")},
      {"decoder.L.PART.attention.top", MOG_TEXT("Guide", "greatest attention weights in the decoder"),
       MOG_TEXT("Guide", "the K greatest of A[m, ·]"), MOG_TEXT("Guide", "0 to 1; each row falls"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What each target token gives to the K keys that it attends to most, the greatest "
                "first (mog record --store-top-k K).")},
      {"decoder.L.PART.attention.top_key",
       MOG_TEXT("Guide", "keys of the greatest attention weights in the decoder"),
       MOG_TEXT("Guide", "n of the K greatest A[m, n]"), MOG_TEXT("Guide", "0 to T − 1; −1: none"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The tokens, counted from 0, that the weights in top belong to: of the source (cross) "
                "or of the translation (self).")},
      {"decoder.L.PART.attention.rest",
       MOG_TEXT("Guide", "attention beyond the greatest weights in the decoder"),
       MOG_TEXT("Guide", "Σₙ A[m, n] over the other keys"), MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What each target token gives to all keys but the K of top.")},
      {"decoder.L.PART.attention.mean_heads", MOG_TEXT("Guide", "decoder attention averaged over heads"),
       "(1/H) · Σₕ Aʰ[m, n]", MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "One map a part: what the heads have in common.")},
      {"decoder.L.output", MOG_TEXT("Guide", "state after a decoder layer"), "y′",
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "What the decoder layer gives to the next one.")},
      {"decoder.output", MOG_TEXT("Guide", "output of the decoder"),
       MOG_TEXT("Guide", "pre-norm: after the last layer norm"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide", "The last state at each target token, from which the next token is scored.")},
      {"decoder.logits", MOG_TEXT("Guide", "scores of the next target token"),
       MOG_TEXT("Guide", "before the softmax"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "One score for each entry of the target vocabulary.")},
      {"heads.TASK.pair_scores", MOG_TEXT("Guide", "scores of pairs of tokens"),
       MOG_TEXT("Guide", "s(i, j) = [qᵢ; 1]ᵀ · W · [kⱼ; 1]"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "How well token j is the head of token i (arcs), or each label between them (labels); of "
           "coreference how well mention i begins at j (mentions) or goes back to j (antecedents). The best "
           "tree or the best chains are made of them.")},
      {"heads.TASK.logits", MOG_TEXT("Guide", "tag scores"), MOG_TEXT("Guide", "before the softmax"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "One score for each tag of a tagging task, at each token.")},
  };
  return kRows;
}

}  // namespace mog::app
