#!/usr/bin/env python3
"""Random programs for the allocator model, with what the Python model of the allocator makes of them.

    generate.py ORACLE_FOLDER > programs.txt        all programs with their digests
    generate.py ORACLE_FOLDER --show N              one program, with its log line by line, to find a first difference

ORACLE_FOLDER holds allocsim.py. The test `allocator_programs` reads the packed result (`gzip -9n programs.txt`).
The log of a program is one line for each step; its digest is FNV-1a of 64 bits over all lines, each ended by a newline.
"""
import random
import sys

N_PROGRAMS, N_STEPS = 1_200, 110
MIB = 1 << 20
STREAMS = (0, 0, 0, 1, 0x7F0000001000)
POOLS = ((0, 0), (0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (0, 2))


def settings(rng):
    """PYTORCH_ALLOC_CONF, limit in bytes or 0, bytes of the card."""
    options = []
    large = 20
    if rng.random() < 0.15:
        large = rng.choice((12, 24, 32))
        options.append(f"large_segment_size_mb:{large}")
    if rng.random() < 0.3:
        options.append(f"max_split_size_mb:{rng.choice((large, 40, 64, 128, 200))}")
        if rng.random() < 0.4:
            options.append(f"max_non_split_rounding_mb:{rng.choice((large, 40, 100))}")
    if rng.random() < 0.3:
        divisions = rng.choice(("1", "2", "4", "8", "[1:2,4:8,64:4,>:1]", "[>:4]", "[256:1,512:2,>:8]", "[1:0,2:16,>:2]"))
        options.append(f"roundup_power2_divisions:{divisions}")
    if rng.random() < 0.35:
        options.append("expandable_segments:True")
    limit = rng.choice((0, 0, 60, 100, 200, 333, 512, 1000)) * MIB + (rng.choice((0, 777)) if rng.random() < 0.3 else 0)
    if rng.random() < 0.3:
        options.append(f"garbage_collection_threshold:{rng.choice((0.2, 0.5, 0.6, 0.9))}")
    rng.shuffle(options)
    card = rng.choice((141 << 30, 141 << 30, 300 * MIB, 900 * MIB))
    return ",".join(options), limit, card


def size(rng, kind):
    ranges = ((1, 3_000), (1, 2 * MIB), (MIB - 2_000, MIB + 2_000), (MIB, 11 * MIB), (9 * MIB, 45 * MIB), (30 * MIB, 180 * MIB))
    low, high = rng.choice(ranges[kind:kind + 3]) if kind < 4 else rng.choice(ranges)
    n = rng.randrange(low, high)
    return n // 512 * 512 or 1 if rng.random() < 0.5 else n


def program(seed):
    """Settings and steps. A step is a list; blocks are named by the number of the request that made them."""
    rng = random.Random(seed)
    head = settings(rng)
    steps, held, dropped, kind, n = [], [], [], rng.randrange(6), 0
    one_stream, one_pool = rng.random() < 0.5, rng.random() < 0.6
    for _ in range(N_STEPS):
        x = rng.random()
        if x < 0.5 or not (held or dropped):
            stream = 0 if one_stream else rng.choice(STREAMS)
            pool = (0, 0) if one_pool else rng.choice(POOLS)
            steps.append(["a", size(rng, kind), stream, *pool])
            held.append(n)
            n += 1
        elif x < 0.90:
            if held and (not dropped or rng.random() < 0.7):
                block = held.pop(rng.randrange(len(held)))
                steps.append(["f", block])
                if rng.random() < 0.8:
                    steps.append(["c", block])
                else:
                    dropped.append(block)
            elif dropped:
                steps.append(["c", dropped.pop(rng.randrange(len(dropped)))])
        elif x < 0.95:
            steps.append(["e"])
        elif x < 0.97:
            steps.append(["g", *rng.choice(POOLS[4:])])
        elif x < 0.98:
            steps.append(["x"])      # expandable_segments is switched over at run time
        if rng.random() < 0.02:      # a phase of other sizes
            kind = rng.randrange(6)
    return head, steps


def run(oracle, head, steps):
    """The log of a program, and None if the Python model itself gives up."""
    conf, limit, card = head
    config = oracle.Config.from_string(conf, limit=limit or None, device_total=card)
    sim, blocks, log, n = oracle.Allocator(config), {}, [], 0
    dropped = set()                  # blocks that wait; a retry or empty_cache completes them all
    for step in steps:
        sim.events.clear()
        result = "-"
        if step[0] == "a":
            try:
                blocks[n] = sim.malloc(step[1], step[2], (step[3], step[4]))
                result = f"{blocks[n].ptr:x}+{blocks[n].size}"
            except oracle.OutOfMemory:
                result = "oom"
            n += 1
        elif step[0] == "f" and step[1] in blocks:
            sim.free_requested(blocks[step[1]])
            dropped.add(step[1])
        elif step[0] == "c" and step[1] in dropped:
            dropped.discard(step[1])
            sim.free_completed(blocks.pop(step[1]))
        elif step[0] == "e":
            sim.empty_cache()
        elif step[0] == "g" and (step[1], step[2]) not in sim.freeable:
            sim.freeable.append((step[1], step[2]))
        elif step[0] == "x":
            sim.cfg = oracle.replace(sim.cfg, expandable=not sim.cfg.expandable)
        for block in [block for block in dropped if blocks[block] not in sim.waiting]:
            dropped.discard(block)
        events = " ".join(f"{action}:{size}@{address:x}/{stream:x}" for action, size, address, stream in sim.events)
        log.append(f"{result} {events}")
    stats = (sim.reserved, sim.allocated, sim.active, sim.requested, sim.inactive_split, sim.segments)
    log.append(" ".join(f"{stat.current}/{stat.peak}" for stat in stats)
               + f" {sim.retries} {sim.device_allocs} {sim.device_frees}")
    return log


def digest(log):
    value = 0xCBF29CE484222325
    for byte in "".join(line + "\n" for line in log).encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def main():
    sys.path.insert(0, sys.argv[1])
    import allocsim as oracle
    if "--show" in sys.argv:
        head, steps = program(int(sys.argv[sys.argv.index("--show") + 1]))
        print(*head)
        for step, line in zip(steps + [["end"]], run(oracle, head, steps)):
            print(*step, "->", line)
        return
    seed = done = 0
    while done < N_PROGRAMS:
        head, steps = program(seed)
        try:
            log = run(oracle, head, steps)
        except AssertionError:
            print(f"program {seed}: the Python model gave up", file=sys.stderr)
        else:
            print(f"{seed}|{head[0]}|{head[1]}|{head[2]}|{';'.join(' '.join(map(str, s)) for s in steps)}|{digest(log):016x}")
            done += 1
        seed += 1


main()
