"""Small files of weights as other programs write them, and what is in them as safetensors.

Needs torch, safetensors and ctranslate2 (for the last file only); writes beside itself.
    zip.pt, legacy.pt   views, shared storages, every type, a parameter; the two forms of torch.save
    fairseq.pt          the form of fairseq 0.6: legacy, argparse.Namespace, an optimizer
    ct2-TYPE.bin        (with the word ctranslate2) the model.bin of a small Transformer encoder (CTranslate2's own writer)
    expected.safetensors, fairseq.safetensors, ct2-TYPE.safetensors: names and values that a reader must give
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def torch_files():
    import torch
    from safetensors.torch import save_file
    torch.manual_seed(3)
    base = torch.randn(6, 5)
    state = {
        "plain": base, "tied": base, "transposed": base.t(), "slice": base[1:3, ::2], "row": base[4],
        "empty": torch.zeros(0, 3), "expanded": torch.arange(5).expand(1, 5), "scalar": torch.tensor(3.5),
        "half": torch.randn(3).half(), "brain": torch.randn(3).bfloat16(), "double": torch.randn(3).double(),
        "long": torch.tensor([1, -(2**40)]), "int": torch.tensor([7, -7], dtype=torch.int32),
        "byte": torch.tensor([0, 255], dtype=torch.uint8), "char": torch.tensor([-3, 4], dtype=torch.int8),
        "short": torch.tensor([-300, 400], dtype=torch.int16), "bool": torch.tensor([True, False]),
        "parameter": torch.nn.Parameter(torch.randn(2, 2)), "cube": torch.randn(2, 3, 4).permute(2, 0, 1),
    }
    extra = {"size": torch.Size([1, 2]), "type": torch.float16, "device": torch.device("cpu"), "set": {1, 2},
             "nested": {"list": [1, 2.5, None, True, "text é"]}}
    torch.save({"model": state, **extra}, HERE / "zip.pt")
    torch.save({"model": state, **extra}, HERE / "legacy.pt", _use_new_zipfile_serialization=False)
    save_file({"model." + name: tensor.detach().clone().contiguous() for name, tensor in state.items()},
              HERE / "expected.safetensors")


def fairseq_file():
    import torch
    from safetensors.torch import save_file
    torch.manual_seed(4)
    layer = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16), 1, enable_nested_tensor=False)
    model = {"encoder." + name: tensor for name, tensor in layer.state_dict().items()}
    options = argparse.Namespace(arch="transformer_iwslt_de_en", lr=[0.0005], encoder_embed_dim=8, dropout=0.3,
                                 share_all_embeddings=False, restore_file=None)
    torch.save({"args": options, "model": model, "extra_state": {"epoch": 2, "val_loss": 4.5},
                "last_optimizer_state": {"state": {0: {"step": 3, "exp_avg": torch.randn(4)}}}},
               HERE / "fairseq.pt", _use_new_zipfile_serialization=False)
    save_file({"model." + name: tensor.clone() for name, tensor in model.items()}, HERE / "fairseq.safetensors")


def ctranslate2_files():
    import numpy as np
    from ctranslate2.specs import TransformerEncoderModelSpec, TransformerEncoderSpec
    from safetensors.numpy import save_file as save_arrays

    for kind in ("float32", "int16", "int8", "float16"):
        spec = TransformerEncoderModelSpec(TransformerEncoderSpec(1, 2, activation=1))
        random = np.random.default_rng(5)
        encoder = spec.encoder

        def normal(*size):
            return random.normal(size=size).astype("float32")

        def linear(target, out, inside):
            target.weight, target.bias = normal(out, inside), normal(out)

        def norm(target):
            target.gamma, target.beta = normal(8), normal(8)
        encoder.embeddings[0].weight = normal(11, 8)
        encoder.position_encodings.encodings = normal(16, 8)
        layer = encoder.layer[0]
        for part in (layer.self_attention.layer_norm, layer.ffn.layer_norm):
            norm(part)
        linear(layer.self_attention.linear[0], 24, 8)
        linear(layer.self_attention.linear[1], 8, 8)
        linear(layer.ffn.linear_0, 16, 8)
        linear(layer.ffn.linear_1, 8, 16)
        if hasattr(encoder, "layer_norm"):
            norm(encoder.layer_norm)
        spec.register_vocabulary(["t%d" % i for i in range(11)])
        spec.validate()
        spec.optimize(quantization=None if kind == "float32" else kind)
        spec._serialize(str(HERE / f"ct2-{kind}.bin"))
        arrays = {}
        variables = {name: value for name, value in spec.variables(ordered=True)}
        for name, value in variables.items():
            if isinstance(value, str) or name.endswith("_scale"):
                continue
            array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
            scale = variables.get(name + "_scale")
            if scale is not None:
                scale = scale.numpy() if hasattr(scale, "numpy") else np.asarray(scale)
                array = array.astype("float32") / (scale[:, None] if scale.ndim == 1 and scale.size > 1 else scale)
            arrays[name] = np.array(array)
        save_arrays(arrays, HERE / f"ct2-{kind}.safetensors")


if __name__ == "__main__":
    if "ctranslate2" in sys.argv[1:]:
        ctranslate2_files()
    else:
        torch_files()
        fairseq_file()
