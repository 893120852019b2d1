#!/usr/bin/env python3
"""Runs the kernels for AVX-512 VNNI in the emulator Bochs, as a processor of the kind Tiger Lake, and compares what they write to the portable kernels, byte by byte.
  docs/bench/vnni.py
Needs: go, cc, nm, Linux; pip install bochscpu-python==0.4.0 (Bochs as a library). For processors that are not at hand: the engine itself compares the same integers at start.
The library emulates an older processor; a preloaded object has it make the other one. Buffers lie on pages of their own with none behind them, so that a kernel that reads or writes far outside them
fails; the output's bytes between rows must stay."""
import base64, ctypes, glob, importlib.util, json, os, struct, subprocess, sys, tempfile
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."); PACKAGE = "suffice.dev/suffice/model/reader."
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
unsigned long long __isoc23_strtoull(const char *s, char **e, int b) { return strtoull(s, e, b); } // for C libraries before 2.38
int __isoc23_sscanf(const char *s, const char *f, ...) { va_list v; va_start(v, f); int r = vsscanf(s, f, v); va_end(v); return r; }
void *_Z23create_corei3_cnl_cpuidP8BX_CPU_C(void *cpu) {
	void *(*make)(void *) = (void *(*)(void *))dlsym(dlopen(LIBRARY, RTLD_NOLOAD | RTLD_NOW), "_Z22create_tigerlake_cpuidP8BX_CPU_C");
	return make(cpu);
}
"""


def preload(work):
    package = os.path.dirname(importlib.util.find_spec("bochscpu").origin)
    library = glob.glob(os.path.join(package, "_bochscpu.*.so"))[0]
    source, shim = os.path.join(work, "shim.c"), os.path.join(work, "shim.so")
    open(source, "w").write(f'#define LIBRARY "{library}"\n{SHIM}')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    return shim


def main():
    if "VNNI_WORK" not in os.environ:
        with tempfile.TemporaryDirectory() as work:
            binary, calls = os.path.join(work, "reader.test"), os.path.join(work, "calls.json")
            subprocess.run(["go", "test", "-c", "-o", binary, "./model/reader"], cwd=ROOT, check=True, env={**os.environ, "CGO_ENABLED": "0"})
            subprocess.run([binary, "-test.run", "TestWriteCalls"], cwd=os.path.join(ROOT, "model", "reader"), check=True, env={**os.environ, "SUFFICE_EMULATE": calls}, stdout=subprocess.DEVNULL)
            env = {**os.environ, "VNNI_WORK": work, "LD_PRELOAD": preload(work)}
            sys.exit(subprocess.run([sys.executable, os.path.abspath(__file__)], env=env).returncode)
    del os.environ["LD_PRELOAD"]
    import bochscpu, bochscpu.cpu, bochscpu.memory as memory
    work = os.environ["VNNI_WORK"]; binary = os.path.join(work, "reader.test"); calls = json.load(open(os.path.join(work, "calls.json")))
    at = {}
    for line in subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[2].startswith(PACKAGE) and parts[2].endswith("AVX512.abi0"):
            at[parts[2][len(PACKAGE):-len(".abi0")]] = int(parts[0], 16)
    elf = open(binary, "rb").read()
    offset, = struct.unpack_from("<Q", elf, 32); size, count = struct.unpack_from("<HH", elf, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", elf, offset + i * size) for i in range(count)]
    file, address = next((h[2], h[3]) for h in headers if h[0] == 1 and h[1] & 1)  # loaded and executable
    PAGE = 4096; tables = memory.PageMapLevel4Table(); host = {}

    def page(va):
        va &= -PAGE
        if va not in host:
            host[va] = memory.allocate_host_page(); physical = 0x1000000 + len(host) * PAGE
            memory.page_insert(physical, host[va]); tables.insert(va, physical, 1)
        return host[va] if va in host else None

    def write(va, data):
        done = 0
        while done < len(data):
            n = min(PAGE - (va + done) % PAGE, len(data) - done)
            ctypes.memmove(page(va + done) + (va + done) % PAGE, data[done:done + n], n); done += n

    def read(va, n):
        out = b""
        while n:
            k = min(PAGE - va % PAGE, n); out += ctypes.string_at(page(va) + va % PAGE, k); va += k; n -= k
        return out
    for va in range(min(at.values()) & -PAGE, max(at.values()) + PAGE, PAGE):
        write(va & -PAGE, elf[(va & -PAGE) - address + file:][:PAGE])
    stack, back, tree = 0x70000000, 0x50000000, 0x800000
    page(stack); write(back, b"\xf4" * 16)  # HLT
    starts, va = [], 0x20000000
    for i in range(max(len(c["Buffers"]) for c in calls)):
        longest = max(len(base64.b64decode(c["Buffers"][i])) for c in calls if i < len(c["Buffers"]))
        starts.append(va)
        for p in range(va, va + longest, PAGE):
            page(p)
        va += (longest + PAGE - 1) // PAGE * PAGE + 4 * PAGE
    for memory_of, physical in tables.commit(tree):
        memory.page_insert(physical, memory_of)
    session, state, end = bochscpu.Session(), bochscpu.State(), [""]

    def segment(selector, attributes):
        s = bochscpu.Segment(); s.present, s.selector, s.base, s.limit, s.attr = True, selector, 0, 0xFFFFFFFF, attributes
        return s
    bochscpu.cpu.set_long_mode(state)
    state.cr3, state.cr4, state.xcr0, state.rflags, state.mxcsr, state.mxcsr_mask = tree, state.cr4 | 1 << 9 | 1 << 10 | 1 << 18, 0xE7, 2, 0x1F80, 0xFFFF
    state.cs = segment(8, 0x209B); state.ss = state.ds = state.es = state.fs = state.gs = segment(16, 0xC093)

    def stopped(why):
        def hook(s, *details):
            end[0] = f"{why} {details[1:]}" if why else ""; s.stop()
        return hook
    hook = bochscpu.Hook(); hook.hlt, hook.exception = stopped(""), stopped("exception")
    session.missing_page_handler = lambda physical: sys.exit(f"no page at {physical:#x}")
    failed = 0
    for c in calls:
        for i, b in enumerate(c["Buffers"]):
            write(starts[i], base64.b64decode(b))
        write(stack + 2048, struct.pack("<Q", back) + b"".join(struct.pack("<q", starts[-1 - a] if a < 0 else a) for a in c["Args"]))
        state.rsp, state.rip, state.rbp = stack + 2048, at[c["Func"]], 0x1234
        session.cpu.state = state; end[0] = "did not return"
        session.run([hook])
        want = base64.b64decode(c["Want"]); got = read(starts[0], len(want))
        wrong = end[0] or (got != want and f"{sum(x != y for x, y in zip(got, want))} bytes differ") or (session.cpu.state.rbp != 0x1234 and "BP is not kept")
        failed += bool(wrong)
        print(c["Func"], *[a for a in c["Args"] if a >= 0], wrong or "equal", flush=True)
    print(f"{len(calls) - failed} passed, {failed} failed", flush=True)
    os._exit(failed > 0)  # the library does not end cleanly


if __name__ == "__main__":
    main()
