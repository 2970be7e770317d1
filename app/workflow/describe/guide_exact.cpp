// Exact decompositions of plain Transformers, and what is computed from layer maps.
#include "app/workflow/describe/guide_parts.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_decompositions() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.L.norm_scale", MOG_TEXT("Guide", "scales of the layer norms"), "s = √(var(z) + eps)",
       MOG_TEXT("Guide", "above 0"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What each of the two layer norms divides by. Held fixed, a layer norm is a linear map: "
                "LN(z) = D(z) + β.")},
      {"encoder.L.split", MOG_TEXT("Guide", "parts of the layer's output"),
       MOG_TEXT("Guide", "x′ = carried + attention + feed-forward + bias"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::frozen,
       MOG_TEXT(
           "Guide",
           "The output of the layer as a sum of what is carried from its input, what attention adds, what "
           "the feed-forward block adds, and constants. With the layer norm scales frozen the four sum to x′ "
           "exactly. In post-norm layers what is carried is D₂ D₁ x, a rescaled image of the input.")},
      {"encoder.L.split.norm", MOG_TEXT("Guide", "norms of the parts of the output"),
       MOG_TEXT("Guide", "‖carried‖₂, ‖attention‖₂, ‖feed-forward‖₂, ‖bias‖₂, ‖x′‖₂"),
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How long each part is. Norms do not add up to the norm of the sum: parts may point against "
                "each other.")},
      {"encoder.L.carried.cosine", MOG_TEXT("Guide", "direction of what is carried"),
       MOG_TEXT("Guide", "cos(carried, x)"), MOG_TEXT("Guide", "−1 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "Whether what a layer carries on still points where its input did.")},
      {"encoder.L.carried.gain", MOG_TEXT("Guide", "length of what is carried"),
       MOG_TEXT("Guide", "‖carried‖ / ‖x‖"), MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How much of the length of its input a layer carries on.")},
      {"encoder.L.full.logit_terms", MOG_TEXT("Guide", "terms of the attention scores"),
       "l = l_pp + l_pi + l_ip + l_ii + l_bp + l_bi,  l_ab = q_a · k_b / √d_h",
       MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The score of each query and key as a sum of terms: the first letter names the query part, "
                "the second the key part (p previous, i incremental, b the query's own bias). The attention "
                "is the softmax of their sum over the keys, for any input. Relative positions add a "
                "term pos that knows no content, a graph as input those of its relations: pr, ir, br with "
                "the query, rp, ri, rb with the key.")},
      {"encoder.L.full.logit_terms.covariance", MOG_TEXT("Guide", "covariance shares of the score terms"),
       "Σᵢ cov_j(l_t, l) / Σᵢ var_j(l)", MOG_TEXT("Guide", "sums to 1; single entries may be negative"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of what makes scores differ between keys comes from each term; NaN for a sentence "
                "of one token.")},
      {"encoder.L.full.logit_terms.covariance_heads", MOG_TEXT("Guide", "covariance shares over all heads"),
       MOG_TEXT("Guide", "numerators and denominators summed over heads"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The covariance shares of a whole layer.")},
      {"encoder.L.full.logit_terms.covariance_sums", MOG_TEXT("Guide", "sums behind the covariance shares"),
       MOG_TEXT("Guide", "Σᵢ cov_j(l_t, l), and Σᵢ var_j(l)"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Numerators and the denominator, to be pooled over sentences: a share of a corpus is the "
                "ratio of the sums, not the mean of the ratios.")},
      {"encoder.L.full.logit_terms.leave_out", MOG_TEXT("Guide", "leaving out a score term"),
       MOG_TEXT("Guide", "meanᵢ KL(Aᵢ ‖ softmax(l − l_t)ᵢ)"), MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "How much the attention would change without the term, everything else frozen as it was.")},
      {"encoder.L.full.separate_terms", MOG_TEXT("Guide", "nine terms of the attention scores"),
       "pp, pi, pb, ip, ii, ib, bp, bi, bb", MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "The same with the bias of the layer below as a part of its own, so that incremental holds "
                "no constants.")},
      {"encoder.L.full.separate_terms.covariance", MOG_TEXT("Guide", "covariance shares of the nine terms"),
       "Σᵢ cov_j(l_t, l) / Σᵢ var_j(l)", MOG_TEXT("Guide", "sums to 1; single entries may be negative"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of what makes scores differ between keys comes from each of the nine terms.")},
      {"encoder.L.full.aumann_shapley", MOG_TEXT("Guide", "effect of each score term on the map"),
       "S_t = ∫₀¹ P_τ ⊙ (l_t − Σ_j P_τ l_t) dτ,  P_τ = softmax(τ · l)",
       MOG_TEXT("Guide", "−1 to 1; 1/T + Σ_t S_t = A"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "What each term does to each weight of the map, along the straight path from no scores to "
                "the scores. The path is a choice; that the effects add up to A − 1/T is algebra.")},
      {"encoder.L.full.aumann_shapley.share", MOG_TEXT("Guide", "signed share of each score term"),
       "Σ S_t (A − 1/T) / Σ (A − 1/T)²", MOG_TEXT("Guide", "sums to 1; single entries may be negative"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the map's distance from uniform attention each term makes; a negative share "
                "works against the map.")},
      {"encoder.L.full.aumann_shapley.absolute_share", MOG_TEXT("Guide", "absolute share of each score term"),
       "Σ |S_t| / Σ_t′ Σ |S_t′|", MOG_TEXT("Guide", "0 to 1; sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How much each term moves the map, whichever way.")},
      {"encoder.L.full.aumann_shapley.nodes", MOG_TEXT("Guide", "nodes of the quadrature"),
       MOG_TEXT("Guide", "8, doubled up to 64"), MOG_TEXT("Guide", "8, 16, 32 or 64"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "At how many points the integral was taken, until its residual was below 1e-6.")},
      {"encoder.L.full.aumann_shapley.residual", MOG_TEXT("Guide", "residual of the quadrature"),
       "max |1/T + Σ_t S_t − A|", MOG_TEXT("Guide", "0 and more"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How well the effects add up to the map: the error of the numbers, not of the method.")},
      {"encoder.L.full.value_parts", MOG_TEXT("Guide", "output of attention by cause and value part"),
       "o_{c,s} = Wo · Σ_j C_c[i, j] · (Wv · r_s,j)", MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "What the attention block adds to each token, by why it was attended to (uniform u, or one "
                "of the score terms) and by what was taken (previous p or incremental i; r, values of the "
                "relations of a graph). With the bias all of them sum to the block's output.")},
      {"encoder.L.full.value_parts.norm", MOG_TEXT("Guide", "norms by cause and value part"), "‖o_{c,s}‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How long each of these vectors is.")},
      {"encoder.L.pseudo_gate.projection", MOG_TEXT("Guide", "pseudo-gate by projection"),
       MOG_TEXT("Guide", "⟨part, x′⟩ / ‖x′‖²"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the layer's output lies in low (carried and what pp gives), mid (pi and ip), "
                "high (ii), base (uniform attention, bp, bi), feed-forward and bias; where attention reads a "
                "graph, also in what its relations move and give. It plays the role that the weight gate has "
                "in a Graph-Transformer, but no model has learned it.")},
      {"encoder.L.pseudo_gate.proximity", MOG_TEXT("Guide", "pseudo-gate by proximity"),
       MOG_TEXT("Guide", "max(0, ‖x′‖₁ − ‖x′ − part‖₁), divided by its sum"),
       MOG_TEXT("Guide", "0 to 1; sums to 1, or all 0"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The same by how much nearer each part brings to the output, in L1.")},
      {"encoder.L.pseudo_gate.fine", MOG_TEXT("Guide", "pseudo-gate, finest parts"),
       MOG_TEXT("Guide", "⟨part, x′⟩ / ‖x′‖²"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Projection of what is carried, of each value part, of the feed-forward block and of the "
                "bias, so that other groups can be made.")},
      {"encoder.L.propagation", MOG_TEXT("Guide", "representation by source token"),
       "x′ᵢ = Σ_k Xᵢ,k + Xᵢ,bias", MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "What each input token gives to each token's representation, through all layers up to this "
                "one, with attention, layer norm scales and activation slopes frozen. The last source is "
                "everything constant, values of the relations of a graph too.")},
      {"encoder.L.propagation.norm", MOG_TEXT("Guide", "norms by source token"), "‖Xᵢ,k‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "How long the part of each source token is.")},
      {"encoder.propagation", MOG_TEXT("Guide", "encoder output by source token"),
       "outᵢ = Σ_k Xᵢ,k + Xᵢ,bias", MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "The same for the encoder's output (pre-norm: after the final norm).")},
      {"encoder.propagation.norm", MOG_TEXT("Guide", "norms of the output by source token"), "‖Xᵢ,k‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "How long the part of each source token in the output is.")},
      {"encoder.propagation.projection", MOG_TEXT("Guide", "projection shares by source token"),
       "⟨Xᵢ,k, outᵢ⟩ / ‖outᵢ‖²", MOG_TEXT("Guide", "sums to 1; single entries may be negative"),
       ClaimLevel::summary,
       MOG_TEXT("Guide", "How much of each output lies in what each source token gave.")},
      {"encoder.L.kobayashi", MOG_TEXT("Guide", "norms through attention, residual and norm"),
       "‖D₁(Σₕ Aʰ[i, j] Woʰ Wvʰ uⱼ + δᵢⱼ xᵢ)‖₂", MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "N-ResLN (Kobayashi et al. 2021): the length of what key j gives to query i through "
                "attention, residual connection and layer norm.")},
      {"encoder.L.mixing_ratio", MOG_TEXT("Guide", "mixing ratio"), "‖Σ_{j≠i} Fᵢⱼ‖ / (‖Σ_{j≠i} Fᵢⱼ‖ + ‖Fᵢᵢ‖)",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of a token's new representation comes from other tokens (Kobayashi et al. 2021).")},
      {"encoder.L.globenc", MOG_TEXT("Guide", "norms through both layer norms"), "‖D₂ Fᵢⱼ‖₂",
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "N-ResOut (GlobEnc, Modarressi et al. 2022): as Kobayashi's norms, through the second layer "
                "norm too; the feed-forward output is dropped.")},
      {"encoder.L.alti", MOG_TEXT("Guide", "ALTI"),
       MOG_TEXT("Guide", "c_ij = max(0, ‖yᵢ‖₁ − ‖yᵢ − Fᵢⱼ‖₁), rows divided by their sums"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How near what each key gives brings to the query's new representation (Ferrando et al. 2022).")},
  };
  return kRows;
}

std::span<const GuideEntry> guide_of_derived() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.L.order", MOG_TEXT("Guide", "distribution of leaves"),
       MOG_TEXT("Guide", "P(leaves) of the derivations of R[L, word]"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How many leaves (words, repeats counted) the subgraphs have that a word owns after the "
                "layer: 1, 2, 3–4, 5–8, 9–16, 17–32, 33–64, more than 64. It follows from the attention maps "
                "and gates by the attention grammar, which reads them as weights of joins.")},
      {"encoder.L.order.mean", MOG_TEXT("Guide", "expected leaves"),
       MOG_TEXT("Guide", "E[leaves] = Σ over rules of weight · (E₁ + E₂)"), MOG_TEXT("Guide", "1 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The expected number of leaves of what a word owns after the layer, under the attention "
                "grammar.")},
      {"encoder.L.rollout", MOG_TEXT("Guide", "rollout map of a layer"),
       MOG_TEXT("Guide", "½ · (meanₕ Aʰ + identity)"), MOG_TEXT("Guide", "0 to 1; each row sums to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Attention with a residual of one half (Abnar and Zuidema 2020): what is multiplied in the "
                "product.")},
      {"encoder.L.rollout.product", MOG_TEXT("Guide", "rollout"), "Âᴸ · … · Â¹",
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of a token of this layer comes from each input token, if values were copied by the "
                "weights of attention (Abnar and Zuidema 2020).")},
      {"encoder.L.alti.product", MOG_TEXT("Guide", "ALTI through the layers"), "cᴸ · … · c¹",
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The contributions of the layers multiplied: from each token of this layer to the input "
                "tokens (Ferrando et al. 2022).")},
      {"encoder.L.globenc.product", MOG_TEXT("Guide", "GlobEnc through the layers"),
       MOG_TEXT("Guide", "Nᴸ · … · N¹, rows divided by their sums"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The norms of the layers multiplied (Modarressi et al. 2022).")},
      {"encoder.L.globenc.raw_product", MOG_TEXT("Guide", "GlobEnc through the layers, not divided"),
       "Nᴸ · … · N¹", MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The same before rows are divided by their sums.")},
      {"encoder.flow", MOG_TEXT("Guide", "attention flow"),
       MOG_TEXT("Guide", "max-flow (L, i) → (0, k), rows divided by their sums"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The greatest flow from each token of the last layer to each input token, with the rollout "
                "maps as capacities (Abnar and Zuidema 2020).")},
      {"encoder.flow.raw", MOG_TEXT("Guide", "attention flow, not divided"),
       MOG_TEXT("Guide", "max-flow (L, i) → (0, k)"), MOG_TEXT("Guide", "0 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The same before rows are divided by their sums.")},
      {"encoder.L.M.tree_order", MOG_TEXT("Guide", "leaves of the trees of a layer map"),
       "pᴸ = π · p + p ∗ Σ_{j≠i} c_ij pⱼ", MOG_TEXT("Guide", "0 to 1; each row sums to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Mass of the trees with n leaves (n = 0 … 2^layers) that join tokens by the map (rollout or "
                "ALTI); the diagonal is what a token keeps. For encoders of at most 12 layers. Repeated "
                "tokens count: this is not the order.")},
      {"encoder.L.M.tree_order_mean", MOG_TEXT("Guide", "mean leaves of the trees"),
       "m = m + Σ_{j≠i} c_ij mⱼ", MOG_TEXT("Guide", "1 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide", "Its mean; it can grow with 2 to the number of layers.")},
      {"encoder.L.M.tree_order_bins", MOG_TEXT("Guide", "leaves of the trees in powers of two"),
       MOG_TEXT("Guide", "mass of 1, 2–3, 4–7, … leaves"), MOG_TEXT("Guide", "0 to 1; each row sums to 1"),
       ClaimLevel::summary, MOG_TEXT("Guide", "The same in bins.")},
      {"encoder.L.M.walk_order", MOG_TEXT("Guide", "lengths of the walks of a layer map"),
       "q(n) = π · q(n) + Σ_{j≠i} c_ij qⱼ(n − 1)", MOG_TEXT("Guide", "0 to 1; each row sums to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Mass of the single paths through the layers with n tokens (n = 0 … layers + 1): linear in "
                "depth where trees are exponential.")},
  };
  return kRows;
}

}  // namespace mog::app
