// Runs Triton programs with the real virtual machine, one JSON object per line on stdin, and prints
// one JSON object per line: the public output and the nine table heights, or the error.
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use serde_json::{json, Value};
use triton_vm::aet::AlgebraicExecutionTrace;
use triton_vm::air::table::TableId;
use triton_vm::prelude::*;

fn word(v: &Value) -> BFieldElement {
    BFieldElement::new(v.as_str().expect("a decimal string").parse::<u64>().expect("a u64"))
}

fn words(v: &Value) -> Vec<BFieldElement> {
    v.as_array().map(|a| a.iter().map(word).collect()).unwrap_or_default()
}

fn heights(aet: &AlgebraicExecutionTrace) -> Value {
    let h = |t| aet.height_of_table(t);
    json!({
        "processor": h(TableId::Processor), "program": h(TableId::Program),
        "op_stack": h(TableId::OpStack), "ram": h(TableId::Ram),
        "jump_stack": h(TableId::JumpStack), "hash": h(TableId::Hash),
        "cascade": h(TableId::Cascade), "lookup": h(TableId::Lookup), "u32": h(TableId::U32),
    })
}

fn run(case: &Value) -> Value {
    let program = match Program::from_code(case["tasm"].as_str().unwrap_or("")) {
        Ok(p) => p,
        Err(e) => return json!({ "parse_error": e.to_string() }),
    };
    let digests: Vec<Digest> = case["digests"]
        .as_array()
        .map(|a| a.iter().map(|d| Digest::new(words(d).try_into().expect("5 words"))).collect())
        .unwrap_or_default();
    let ram: HashMap<BFieldElement, BFieldElement> = case["ram"]
        .as_object()
        .map(|o| o.iter().map(|(k, v)| (BFieldElement::new(k.parse().expect("a u64")), word(v))).collect())
        .unwrap_or_default();
    let secret = NonDeterminism::new(words(&case["secret"])).with_digests(digests).with_ram(ram);
    let count = program.len_bwords();
    match VM::trace_execution(program, PublicInput::new(words(&case["input"])), secret) {
        Ok((aet, output)) => json!({
            "words": count,
            "output": output.iter().map(|w| w.value().to_string()).collect::<Vec<_>>(),
            "heights": heights(&aet),
        }),
        Err(e) => json!({ "words": count, "error": e.source.to_string() }),
    }
}

fn main() {
    let stdin = io::stdin();
    let mut out = io::stdout().lock();
    for line in stdin.lock().lines() {
        let case: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        writeln!(out, "{}", run(&case)).expect("stdout");
    }
}
