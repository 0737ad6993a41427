"""Readers of safetensors and GGUF checkpoints in NumPy that share nothing with txvm.

read_model(path) gives the tensors by their safetensors names, as 64-bit floats, and the configuration.
"""
import json, os, struct
import numpy as np


def bf16(raw):
    return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)


def q8_0(raw):
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, 34)
    return blocks[:, :2].copy().view("<f2").astype(np.float32) * blocks[:, 2:].view(np.int8)


def q4_0(raw):
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, 18)
    q = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], 1).astype(np.float32) - 8
    return blocks[:, :2].copy().view("<f2").astype(np.float32) * q


def k_scales(s):
    low, high = s[:, :4] & 63, s[:, 4:8] & 63
    low2 = (s[:, 8:] & 15) | (s[:, :4] >> 6 << 4)
    high2 = (s[:, 8:] >> 4) | (s[:, 4:8] >> 6 << 4)
    return np.concatenate([low, low2], 1), np.concatenate([high, high2], 1)


def q45_k(raw, five):
    b = np.frombuffer(raw, np.uint8).reshape(-1, 176 if five else 144)
    d, least = (b[:, i:i + 2].copy().view("<f2").astype(np.float32) for i in (0, 2))
    scale, minimum = k_scales(b[:, 4:16])
    qs = b[:, 48 if five else 16:].reshape(-1, 4, 1, 32)
    q = np.concatenate([qs & 15, qs >> 4], 2).reshape(-1, 8, 32)
    if five:
        q = q | ((b[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[None, :, None]) & 1) << 4
    return (d * scale)[:, :, None] * q - (least * minimum)[:, :, None]


def q6_k(raw):
    b = np.frombuffer(raw, np.uint8).reshape(-1, 210)
    low, high = b[:, :128].reshape(-1, 2, 2, 32), b[:, 128:192].reshape(-1, 2, 1, 32)
    q = np.concatenate([low & 15, low >> 4], 2)
    q = q | ((high >> np.array([0, 2, 4, 6], np.uint8)[None, None, :, None]) & 3) << 4
    scale = b[:, 192:208].view(np.int8).astype(np.float32).reshape(-1, 16, 1)
    d = b[:, 208:].copy().view("<f2").astype(np.float32)[:, :, None]
    return d * scale * (q.astype(np.float32) - 32).reshape(-1, 16, 16)


READERS = {"F32": lambda r: np.frombuffer(r, "<f4"), "F16": lambda r: np.frombuffer(r, "<f2"), "BF16": bf16}
GGUF_TYPES = {0: (1, 4, READERS["F32"]), 1: (1, 2, READERS["F16"]), 30: (1, 2, bf16), 8: (32, 34, q8_0),
              2: (32, 18, q4_0), 12: (256, 144, lambda r: q45_k(r, False)),
              13: (256, 176, lambda r: q45_k(r, True)), 14: (256, 210, q6_k)}


def read_safetensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors, body = {}, data[8 + size:]
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            raw = body[slice(*entry["data_offsets"])]
            tensors[name] = READERS[entry["dtype"]](raw).astype(np.float64).reshape(entry["shape"])
    return tensors


def read_directory(path):
    config = json.load(open(os.path.join(path, "config.json")))
    index, tensors = os.path.join(path, "model.safetensors.index.json"), {}
    files = {"model.safetensors"}
    if os.path.exists(index):
        files = set(json.load(open(index))["weight_map"].values())
    for file in sorted(files):
        tensors.update(read_safetensors(os.path.join(path, file)))
    heads = config["num_attention_heads"]
    return tensors, dict(layers=config["num_hidden_layers"], heads=heads, epsilon=config["rms_norm_eps"],
                         kv_heads=config.get("num_key_value_heads", heads), base=config["rope_theta"],
                         head_dim=config.get("head_dim") or config["hidden_size"] // heads, pairs=False)


NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head",
         "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj",
         "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def read_gguf(path):
    data, at, meta, infos, tensors = open(path, "rb").read(), 0, {}, [], {}

    def take(form):
        nonlocal at
        value = struct.unpack_from("<" + form, data, at)[0]
        at += struct.calcsize("<" + form)
        return value

    def text():
        nonlocal at
        size = take("Q")
        at += size
        return data[at - size:at].decode("utf-8", "replace")

    def value(kind):
        if kind == 8:
            return text()
        if kind != 9:
            return take(SCALARS[kind])
        item, count = take("I"), take("Q")
        return [value(item) for _ in range(count)]

    assert take("4s") == b"GGUF" and take("I") in (2, 3)
    tensor_count, value_count = take("Q"), take("Q")
    for _ in range(value_count):
        key = text()
        meta[key] = value(take("I"))
    for _ in range(tensor_count):
        name, rank = text(), take("I")
        infos.append((name, [take("Q") for _ in range(rank)][::-1], take("I"), take("Q")))
    align = meta.get("general.alignment", 32)
    start = -(-at // align) * align
    for name, shape, kind, offset in infos:
        block, size, reader = GGUF_TYPES[kind]
        end = start + offset + int(np.prod(shape)) // block * size
        parts = name.split(".")
        new = (f"model.layers.{parts[1]}.{NAMES[parts[2]]}" if parts[0] == "blk" else NAMES[parts[0]]) + ".weight"
        tensors[new] = reader(data[start + offset:end]).astype(np.float64).reshape(shape)
    get, heads = lambda key, default=None: meta.get("llama." + key, default), meta["llama.attention.head_count"]
    return tensors, dict(layers=get("block_count"), heads=heads, kv_heads=get("attention.head_count_kv", heads),
                         epsilon=get("attention.layer_norm_rms_epsilon"), base=get("rope.freq_base", 10000.0),
                         head_dim=get("rope.dimension_count"), pairs=True)


def read_model(path):
    return read_directory(path) if os.path.isdir(path) else read_gguf(path)
