/* What C programs run by txvm can use beyond the standard headers. */
#pragma once

/* Exports a function under its own name even when it is unused or hidden. */
#define TXVM_EXPORT __attribute__((used, visibility("default")))

/* Declares a function of the host: TXVM_IMPORT("env", "print_i32") void show(int value); */
#define TXVM_IMPORT(module, name) \
  __attribute__((import_module(module), import_name(name)))

/* Write a number and a newline to standard output. */
void print_i32(int value);
void print_u32(unsigned value);
void print_i64(long long value);
void print_u64(unsigned long long value);
