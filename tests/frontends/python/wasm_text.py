"""WebAssembly text as binaries, for tests: libtxvm_core reads .wasm alone."""
import os
import subprocess
import tempfile


def assemble(text):
    """The bytes of a module, by wat2wasm ($WAT2WASM)."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "m.wat"), os.path.join(folder, "m.wasm")
        with open(source, "w") as file:
            file.write(text)
        subprocess.run([os.environ.get("WAT2WASM", "wat2wasm"), "--debug-names", source, "-o", binary], check=True)
        with open(binary, "rb") as file:
            return file.read()
