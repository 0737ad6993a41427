"""The transformer as a torch.nn.Module: a batch of programs in lock-step on exported weights, CPU or CUDA, exact.

    txvm weights export model/ --program examples/gcd.txa --invoke gcd 48 18

    import txvm.torch
    model = txvm.torch.Transformer.load("model/")
    runs = model.run([txvm.torch.read_program("model/program.json")] * 64, fuel=1000)
    runs[0].outcome, runs[0].steps, runs[0].digest

Between two tokens the module does what docs/WEIGHTS.md says: it embeds the state token, lets every head find the key
with the largest score (the latest of equals), applies the gated ReLU, adds, and copies fields. All numbers are
integers below 2^24, so float32 is exact in any order of summation; half precision and TF32 are refused. Hooks of
torch work on every layer, head projection and feed-forward part (`model.layers[0].attention.query`, ...).
"""
import json
import os
import struct
from dataclasses import dataclass

import torch
from torch import nn

_SEED = 0x6A09E667F3BCC908  # of every digest; below 2^63
_MASK32 = 0xFFFFFFFF


class ModelError(ValueError):
    """A file that is no exported model or program, or one that does not fit the other."""


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


@dataclass
class Run:
    """How one program of a batch ended. `top` is the word on top of the stack, `digest` that of the run."""
    outcome: str  # "halted", "trapped", "host" (it calls the host, which a model cannot) or "out_of_fuel"
    cause: int  # of a trap, else 0
    steps: int
    passes: int
    top: int
    digest: int


@dataclass
class Program:
    """The first state and the tokens of a run, as `txvm weights export --program` writes them."""
    state: list
    tokens: list


def read_program(path):
    """The program of program.json, or of the folder it is in. ModelError says what is wrong with the file."""
    path = os.path.join(path, "program.json") if os.path.isdir(path) else path
    try:
        with open(path, encoding="utf-8") as file:
            read = json.load(file)
        return Program([int(x) for x in read["state"]], [[int(x) for x in token] for token in read["tokens"]])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: no program of txvm: {error}") from error


def _read_tensors(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
        size = struct.unpack_from("<Q", data)[0]
        header = json.loads(data[8:8 + size])
        tensors = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            if entry["dtype"] != "F32":
                raise ValueError(f"{name} is {entry['dtype']}: only F32 is exact")
            first, last = entry["data_offsets"]
            raw = bytearray(data[8 + size + first:8 + size + last])
            tensors[name] = torch.frombuffer(raw, dtype=torch.float32).reshape(entry["shape"])
        return tensors
    except (OSError, ValueError, KeyError, TypeError, struct.error, RuntimeError) as error:
        raise ModelError(f"{path}: no weights of txvm: {error}") from error


class Attention(nn.Module):
    """Hard attention: head h of a state token takes the value of its best key, the latest of the best.

    keys: (B, T, H * score_size), values: (B, T, V) of the memory tokens so far, of which program b has lengths[b].
    """

    def __init__(self, layer, width, score_size):
        super().__init__()
        self.heads = [(head["name"], head["space"], head["values"]) for head in layer["heads"]]
        self.score_size = score_size
        scores, values = len(self.heads) * score_size, sum(count for _, _, count in self.heads)
        self.query = nn.Linear(width, scores)
        self.key = nn.Linear(width, scores)
        self.value = nn.Linear(width, values, bias=False)
        self.out = nn.Linear(values, width, bias=False)

    def scores(self, x, keys, lengths):
        """(B, H, T) of state tokens x (B, width); -inf where a program has no token."""
        batch, tokens = keys.shape[:2]
        query = self.query(x).view(batch, len(self.heads), self.score_size)
        key = keys.view(batch, tokens, len(self.heads), self.score_size)
        scores = torch.einsum("bhs,bths->bht", query, key)
        missing = torch.arange(tokens, device=x.device)[None, :] >= lengths[:, None]
        return scores.masked_fill(missing[:, None, :], -torch.inf)

    def forward(self, x, keys, values, lengths):
        scores = self.scores(x, keys, lengths)
        best = scores.amax(-1, keepdim=True)
        at = torch.arange(scores.shape[-1], device=x.device)
        winners = torch.where(scores == best, at, -1).amax(-1)  # (B, H)
        found, first = [], 0
        for head, (_, _, count) in enumerate(self.heads):
            index = winners[:, head, None, None].expand(-1, 1, count)
            found.append(values[:, :, first:first + count].gather(1, index).squeeze(1))
            first += count
        return self.out(torch.cat(found, -1))


class FeedForward(nn.Module):
    """down(relu(gate x) * up x): a unit is lit where its gate is above 0."""

    def __init__(self, width, units):
        super().__init__()
        self.gate, self.up = nn.Linear(width, units), nn.Linear(width, units)
        self.down = nn.Linear(units, width, bias=False)

    def forward(self, x):
        return self.down(torch.relu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    """x + attention(x), where there are heads, then x + feed_forward(x)."""

    def __init__(self, layer, width, score_size):
        super().__init__()
        self.attention = Attention(layer, width, score_size) if layer["heads"] else None
        self.feed_forward = FeedForward(width, layer["units"])

    def forward(self, x, memory, lengths):
        if self.attention is not None:
            x = x + self.attention(x, *memory, lengths)
        return x + self.feed_forward(x)


class Transformer(nn.Module):
    """The machine. `config` is that of config.json; see docs/WEIGHTS.md for the fields of a token."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.width, self.state_fields = config["hidden_size"], config["state_fields"]
        self.memory_fields, self.write_tokens = config["memory_fields"], config["write_tokens"]
        self.field = config["fields"]
        self.embed = nn.Linear(self.state_fields + self.memory_fields, self.width, bias=False)
        self.layers = nn.ModuleList(Layer(layer, self.width, config["score_size"]) for layer in config["layers"])
        self.head = nn.Linear(self.width, self.state_fields + self.write_tokens * self.memory_fields)
        self.requires_grad_(False)

    @classmethod
    def load(cls, directory, device="cpu"):
        """The model that `txvm weights export` wrote. ModelError names the file, and a tensor of another size."""
        path = os.path.join(directory, "config.json")
        try:
            with open(path, encoding="utf-8") as file:
                model = cls(json.load(file))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path}: no configuration of txvm: {error}") from error
        path = os.path.join(directory, "model.safetensors")
        tensors = _read_tensors(path)
        names = model._tensor_names()
        for ours, theirs in names.items():
            target = model.get_parameter(ours)
            if theirs not in tensors:
                raise ModelError(f"{path}: '{theirs}' is missing")
            if tensors[theirs].shape != target.shape:
                raise ModelError(f"{path}: '{theirs}' is {tuple(tensors[theirs].shape)} where config.json says "
                                 f"{tuple(target.shape)}")
            target.data = tensors[theirs].clone()
        unknown = sorted(set(tensors) - set(names.values()))
        if unknown:
            raise ModelError(f"{path}: '{unknown[0]}' is no tensor of this model")
        return model.to(device)

    def _tensor_names(self):
        """Our parameters by the names that they have in the file."""
        names = {"embed.weight": "model.embed_tokens.weight", "head.weight": "lm_head.weight", "head.bias": "lm_head.bias"}
        parts = {"query.weight": "q_proj.weight", "query.bias": "q_proj.bias", "key.weight": "k_proj.weight",
                 "key.bias": "k_proj.bias", "value.weight": "v_proj.weight", "out.weight": "o_proj.weight"}
        for i, layer in enumerate(self.layers):
            if layer.attention is not None:
                names |= {f"layers.{i}.attention.{ours}": f"model.layers.{i}.self_attn.{theirs}"
                          for ours, theirs in parts.items()}
            for part in ("gate.weight", "gate.bias", "up.weight", "up.bias", "down.weight"):
                ours, kind = part.split(".")
                names[f"layers.{i}.feed_forward.{part}"] = f"model.layers.{i}.mlp.{ours}_proj.{kind}"
        return names

    def find_head(self, name):
        """(layer, head) of the head of this name, such as "Fetch"; KeyError where there is none."""
        for i, layer in enumerate(self.layers):
            for h, (known, _, _) in enumerate(layer.attention.heads if layer.attention is not None else ()):
                if known == name:
                    return i, h
        raise KeyError(f"no head is called {name!r}")

    def embed_memory(self, records):
        """Residuals (N, width) of memory tokens (N, memory_fields)."""
        return records @ self.embed.weight[:, self.state_fields:].T

    def forward(self, state, memory, lengths):
        """One pass. state: (B, state_fields). memory: keys and values of each layer, None where it has no heads.

        Returns the next state (B, state_fields) and the writes (B, write_tokens, memory_fields).
        """
        x = state @ self.embed.weight[:, :self.state_fields].T
        for layer, tokens in zip(self.layers, memory):
            x = layer(x, tokens, lengths)
        out = self.head(x)
        return out[:, :self.state_fields], out[:, self.state_fields:].unflatten(-1, (self.write_tokens, -1))

    def run(self, programs, fuel=20_000, on_pass=None):
        """Runs the programs side by side until each has stopped or done `fuel` steps. Returns a Run for each.

        on_pass(state, after, writes), if given, sees every pass. Memory grows with the longest run of the batch.
        """
        return _Batch(self, programs).run(fuel, on_pass)


def _check_exact(model):
    weight = model.embed.weight
    if weight.dtype != torch.float32:
        raise ModelError(f"the model is {weight.dtype}: only float32 is exact")
    if weight.is_cuda and (torch.backends.cuda.matmul.allow_tf32
                           or torch.get_float32_matmul_precision() != "highest"):
        raise ModelError("TF32 is on: it has 10 bits of mantissa and is not exact; "
                         "torch.set_float32_matmul_precision('highest') turns it off")


class _Batch:
    """B programs in lock-step; a program that has stopped keeps its state."""

    def __init__(self, model, programs):
        _check_exact(model)
        if not programs:
            raise ModelError("a batch needs a program")
        self.model, self.device = model, model.embed.weight.device
        for i, program in enumerate(programs):
            if len(program.state) != model.state_fields:
                raise ModelError(f"program {i} has a state of {len(program.state)} fields, the model of "
                                 f"{model.state_fields}")
            if any(len(token) != model.memory_fields for token in program.tokens):
                raise ModelError(f"program {i} has tokens of another size than the model's {model.memory_fields} fields")
        batch = len(programs)
        self.state = torch.tensor([program.state for program in programs], dtype=torch.float32, device=self.device)
        self.lengths = torch.zeros(batch, dtype=torch.int64, device=self.device)
        self.longest, self.capacity = 0, 0
        self.memory = [None for _ in model.layers]
        longest = max(len(program.tokens) for program in programs)
        records = torch.zeros(batch, max(longest, 1), model.memory_fields, device=self.device)
        there = torch.zeros(batch, max(longest, 1), dtype=torch.bool, device=self.device)
        for i, program in enumerate(programs):
            if program.tokens:
                records[i, :len(program.tokens)] = torch.tensor(program.tokens, dtype=torch.float32)
                there[i, :len(program.tokens)] = True
        self.append(records, there)

    def reserve(self, tokens):
        if tokens <= self.capacity:
            return
        capacity = max(256, tokens + tokens // 2)
        for i, layer in enumerate(self.model.layers):
            if layer.attention is None:
                continue
            wider = []
            for j, width in enumerate((layer.attention.key.out_features, layer.attention.value.out_features)):
                larger = torch.zeros(len(self.state), capacity, width, device=self.device)
                if self.memory[i] is not None:
                    larger[:, :self.capacity] = self.memory[i][j]
                wider.append(larger)
            self.memory[i] = wider
        self.capacity = capacity

    def append(self, records, there):
        """Keeps keys and values of records (B, N, memory_fields) where `there` (B, N) says so, in their order."""
        added = there.sum(1)
        self.longest = int((self.lengths + added).max())
        self.reserve(self.longest)
        rows, columns = there.nonzero(as_tuple=True)
        if len(rows):
            places = (self.lengths[:, None] + there.cumsum(1) - 1)[rows, columns]
            x = self.model.embed_memory(records[rows, columns])
            for i, layer in enumerate(self.model.layers):
                if layer.attention is not None:
                    self.memory[i][0][rows, places] = layer.attention.key(x)
                    self.memory[i][1][rows, places] = layer.attention.value(x)
        self.lengths = self.lengths + added

    def word(self, records, name):
        """(B,) words of four bytes, lowest first."""
        first = self.model.field[name]
        scale = torch.tensor([1, 1 << 8, 1 << 16, 1 << 24], device=self.device)
        return (records[:, first:first + 4].to(torch.int64) * scale).sum(1)

    def extend(self, digest, before, after):
        """The digest after one more step (docs/ISA.md); 64 bits, which int64 keeps modulo 2^64."""
        w0 = self.word(after, "op") | self.word(before, "ip") << 32
        w1 = self.word(after, "arg") | self.word(after, "sp") << 32
        x = (digest + w0 * _signed(0x9E3779B97F4A7C15) + w1 * _signed(0xC2B2AE3D27D4EB4F)
             + self.word(after, "top") * _signed(0x165667B19E3779F9))
        return (x ^ (x >> 32 & _MASK32)) * _signed(0xD6E8FEB86659FD93)

    @torch.no_grad()
    def run(self, fuel, on_pass):
        field, flags = self.model.field, self.model.config["space_flags"]
        batch = len(self.state)
        steps = torch.zeros(batch, dtype=torch.int64, device=self.device)
        passes, digest = steps.clone(), torch.full_like(steps, _SEED)
        while True:
            stopped = (self.state[:, field["stopped"]] > 0) | (self.state[:, field["host"]] > 0)
            running = ~stopped & ((steps < fuel) | (self.state[:, field["micro"]] > 0))
            if not bool(running.any()):
                break
            memory = [None if part is None else [both[:, :self.longest] for both in part] for part in self.memory]
            after, writes = self.model(self.state, memory, self.lengths)
            if on_pass is not None:
                on_pass(self.state, after, writes)
            there = (writes[:, :, :flags] != 0).any(-1) & running[:, None]
            self.append(writes, there)
            counted = running & (after[:, field["counted"]] > 0)
            digest = torch.where(counted, self.extend(digest, self.state, after), digest)
            steps, passes = steps + counted, passes + running
            self.state = torch.where(running[:, None], after, self.state)
        return self.results(steps, passes, digest)

    def results(self, steps, passes, digest):
        field = self.model.field
        tops = self.word(self.state, "top").tolist()
        flags = {name: self.state[:, field[name]].to(torch.int64).tolist() for name in ("stopped", "host", "cause")}
        runs = []
        for i, (step, count, value) in enumerate(zip(steps.tolist(), passes.tolist(), digest.tolist())):
            outcome = "out_of_fuel"
            if flags["host"][i]:
                outcome = "host"
            elif flags["stopped"][i]:
                outcome = "trapped" if flags["cause"][i] else "halted"
            runs.append(Run(outcome, flags["cause"][i], step, count, tops[i], value & (1 << 64) - 1))
        return runs
