"""Logits of a folder's llama with a PEFT adapter: what transformers and peft make of both.

    adapter_peft.py MODEL ADAPTER TOKEN,TOKEN,...
"""
import sys
import warnings

warnings.filterwarnings("ignore")

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

model_path, adapter_path, tokens = sys.argv[1:]
torch.set_num_threads(1)
base = AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.float32)
model = PeftModel.from_pretrained(base, adapter_path, torch_device="cpu").eval()
ids = torch.tensor([[int(token) for token in tokens.split(",")]])
with torch.no_grad():
    logits = model(input_ids=ids).logits[0]
print(" ".join(repr(value) for value in logits.double().flatten().tolist()))
