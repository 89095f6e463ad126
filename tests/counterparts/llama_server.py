"""llama_server.py FOLDER: serves a tiny model with random weights through the HTTP server of llama.cpp.

Writes FOLDER/model.gguf, starts the server, and prints its address on one line. Ends when stdin is closed.
"""

import sys
from pathlib import Path

import gguf
import numpy as np
import xllamacpp

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 32, 2, 2, 64, 16384


def write_model(path):
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def add(name, *shape):
        writer.add_tensor(name, random.normal(0, 0.5, shape).astype(np.float32))

    add("token_embd.weight", len(tokens), WIDTH)
    add("output.weight", len(tokens), WIDTH)
    add("output_norm.weight", WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        add(block + "attn_norm.weight", WIDTH)
        add(block + "ffn_norm.weight", WIDTH)
        for part in ["attn_q", "attn_k", "attn_v", "attn_output"]:
            add(f"{block}{part}.weight", WIDTH, WIDTH)
        add(block + "ffn_gate.weight", INNER, WIDTH)
        add(block + "ffn_up.weight", INNER, WIDTH)
        add(block + "ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


model = Path(sys.argv[1]) / "model.gguf"
write_model(model)
params = xllamacpp.CommonParams()
params.model.path = str(model)
params.n_ctx = CONTEXT
params.n_parallel = 1
params.cpuparams.n_threads = 2
params.warmup = False
params.n_predict = 200
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
