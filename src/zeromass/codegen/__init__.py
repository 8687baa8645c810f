"""From LLVM IR to machine code: IR builder, elementary functions, targets, linker for WebAssembly, code cache."""
