#!/usr/bin/env python3
"""Random programs recorded by the Python model of the allocator, and what the same model makes of them under other settings.

    what_if.py ORACLE_FOLDER OUT_FOLDER             the programs
    what_if.py ORACLE_FOLDER SNAPSHOTS --pairs      allocsim's own answers for the recordings under each other's settings, on standard output

ORACLE_FOLDER holds allocsim.py. Writes OUT_FOLDER/what_if_N.pickle, a snapshot with one program for each device, and
OUT_FOLDER/what_if.txt: `file|device|limit|settings|found`, where found is
`point low high event-of-peak allocated retries driver-calls oom-event oom-repeats`. The test `simulate` reads both, packed with `gzip -9n`.
"""
import copy
import os
import pickle
import random
import sys

from generate import STREAMS, size

MIB = 1 << 20
N_EACH, N_STEPS, SEEDS = 50, 170, 5
RECORDED = ("", "expandable_segments:True", "max_split_size_mb:64,roundup_power2_divisions:2", "max_split_size_mb:20,max_non_split_rounding_mb:64")
SETTINGS = (
    "",
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:128,max_non_split_rounding_mb:40",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:[1:2,4:8,64:4,>:1],large_segment_size_mb:32",
    "garbage_collection_threshold:0.5",
    "max_split_size_mb:64,garbage_collection_threshold:0.8,roundup_power2_divisions:8",
)


def recorder(sim):
    """The model's allocator, telling completed frees among its events as PyTorch does."""

    class Recorder(sim.Allocator):
        def free_completed(self, block):
            if block.pending:
                self.events.append(("free_completed", block.requested, block.ptr, block.stream))
            super().free_completed(block)

    return Recorder


def record(sim, seed, conf):
    """Trace, final segments and limit of one random program. It ends at its first request that is not served."""
    rng = random.Random(seed)
    limit = rng.choice((0, 0, 100, 200, 333, 512, 1000)) * MIB or None
    allocator = recorder(sim)(sim.Config.from_string(conf, limit=limit), sim.DriverModel())
    trace, held, waiting, kind = [], [], [], rng.randrange(6)
    one_stream = rng.random() < 0.5

    def tell(name="malloc"):
        for action, n, address, stream in allocator.events:
            frames = [dict(name=name, filename="program.py", line=1)] if action.startswith("segment_") else []
            trace.append(dict(action=action, size=n, addr=address, stream=stream, frames=frames))
        allocator.events.clear()

    for _ in range(N_STEPS):
        x = rng.random()
        if x < 0.52 or not (held or waiting):
            stream, n = 0 if one_stream else rng.choice(STREAMS), size(rng, kind)
            try:
                block = allocator.malloc(n, stream)
            except sim.OutOfMemory as error:
                tell()
                trace.append(dict(action="oom", size=error.args[0], device_free=123, addr=123, stream=stream, frames=[]))
                break
            tell()
            trace.append(dict(action="alloc", size=n, addr=block.ptr, stream=stream, frames=[]))
            held.append(block)
        elif x < 0.96:
            if held and (not waiting or rng.random() < 0.7):
                block = held.pop(rng.randrange(len(held)))
                trace.append(dict(action="free_requested", size=block.requested, addr=block.ptr, stream=block.stream, frames=[]))
                allocator.free_requested(block)
                if one_stream or rng.random() < 0.7:
                    allocator.free_completed(block)
                else:
                    waiting.append(block)
            elif waiting:
                allocator.free_completed(waiting.pop(0))
            tell()
        else:
            allocator.empty_cache()
            tell("empty_cache")
    return trace, segments(allocator), limit


def segments(allocator):
    """The final segments, as a snapshot has them."""
    out, seen = [], set()
    blocks = set(allocator.waiting)
    for pool in allocator.pools.values():
        blocks.update(pool.free)
    # Live blocks are the neighbours of free ones, or whole segments that nobody has seen: walk from all that were handed out.
    blocks.update(b for b in allocator.handed_out if b.allocated or b.pending)
    for block in sorted(blocks, key=lambda b: b.ptr):
        if id(block) in seen:
            continue
        while block.prev is not None and block.prev.mapped:
            block = block.prev
        run = []
        while block is not None and block.mapped:
            seen.add(id(block))
            run.append(block)
            block = block.next
        if not run:
            continue
        first = run[0]
        rows = [dict(address=b.ptr, size=b.size, requested_size=b.requested if not b.is_free() else 0, frames=[],
                     state="active_allocated" if b.allocated else "active_pending_free" if b.pending else "inactive") for b in run]
        out.append(dict(address=first.ptr, total_size=sum(b.size for b in run), stream=first.stream, blocks=rows, frames=[],
                        segment_type="small" if first.pool.is_small else "large", segment_pool_id=(0, 0),
                        is_expandable=first.vseg is not None, allocated_size=0, active_size=0, requested_size=0))
    return out


def explains(sim, trace, final, settings, limit):
    """Under its limit, and under the one that it proves. Frees completed by a retry look like others where nothing went back before them:
    not every recording can be told for sure."""
    snapshot = dict(segments=[dict(segment, device=0) for segment in final], device_traces=[trace])
    rec = sim.read(snapshot, 0)
    config = sim.Config.from_settings(settings)
    for known in (limit, sim.infer_limit(rec, config)[1]):
        result = sim.replay(rec, sim.replace(config, limit=known), lockstep=True)
        if result.first_mismatch or result.oom_reproduced not in (None, True):
            return False
    return True


def handing_out_anew(hand_out):
    """A block freed by a retry and handed out again is the same object in Python: its old owner's late `free_completed` would free it. Each
    hand-out gets an object of its own."""

    def anew(self, *args):
        block = hand_out(self, *args)
        fresh = copy.copy(block)
        fresh.splice(block.prev, block.next)
        block.allocated = False
        return fresh

    return anew


def in_their_request(sim, requests):
    """R13: a free that completed right after memory went back belongs to the coming request, which synchronised. allocsim's own what-if
    tells it before that request, and then misses some recordings under their own settings; its lockstep does as this."""
    out, waiting, carried = [], [], []
    for r in requests:
        if r.kind == "free_completed" and (r.segs or waiting):
            waiting.append(sim.replace(r, segs=[]))
            carried += r.segs
            continue
        out.append(sim.replace(r, segs=carried + r.segs) if carried else r)
        out += waiting
        waiting, carried = [], []
    return out + waiting


def found(sim, snapshot, device, recorded, conf, limit):
    rec = sim.read(snapshot, device)
    empties = {}
    sim.replay(rec, recorded, lockstep=True, empties=empties)
    config = sim.Config.from_string(conf, limit=limit)
    plain = rec.requests
    rec.requests = in_their_request(sim, plain)

    def run(driver, requests):
        cut = sim.Recording(rec.device, requests, rec.initial, rec.settings, rec.notes)
        return sim.replay(cut, config, driver, empties=empties)

    def until_first_failure(make):
        result = run(make(), rec.requests)
        if result.oom_at is None:
            return result
        return run(make(), [r for r in rec.requests if r.at <= result.oom_at])

    makers = [lambda: sim.borrowing_driver(rec), sim.DriverModel] + [lambda s=s: sim.ShuffledDriver(s) for s in range(SEEDS)]
    results = [until_first_failure(make) for make in (makers[:1] if config.expandable else makers)]
    point, peaks = results[0], [r.sim.reserved.peak for r in results]
    if sim.replay(sim.Recording(rec.device, plain, rec.initial, rec.settings, rec.notes), config, makers[0](), empties=empties).sim.reserved.peak != \
            sim.replay(rec, config, makers[0](), empties=empties).sim.reserved.peak:
        print(f"device {device}, {conf or 'default'}: allocsim's own order of frees comes to another peak", file=sys.stderr)
    oom = -1 if point.oom_at is None else point.oom_at
    repeats = {None: "-", True: "yes", False: "no"}[point.oom_reproduced]
    return (f"{peaks[0]} {min(peaks)} {max(peaks)} {point.peak_at} {point.sim.allocated.peak} {point.sim.retries} "
            f"{point.sim.device_allocs} {oom} {repeats}")


PAIRS = {"": "", "-expandable": "expandable_segments:True", "-split64": "max_split_size_mb:64", "-pow2": "roundup_power2_divisions:4",
         "-gc06": "garbage_collection_threshold:0.6"}


def pairs(sim, folder):
    """`from to point low high`"""
    for workload in ("varlen", "oom_fragmentation"):
        for own in PAIRS:
            for other, conf in PAIRS.items():
                result, spread = sim.what_if(os.path.join(folder, f"{workload}{own}.pickle.gz"), conf, seeds=SEEDS)
                peaks = [result.sim.reserved.peak] + spread
                print(f"{workload}{own} {workload}{other} {peaks[0]} {min(peaks)} {max(peaks)}", flush=True)


def main(oracle, out, mode=""):
    sys.path.insert(0, oracle)
    sys.setrecursionlimit(1_000_000)
    import allocsim as sim

    if mode == "--pairs":
        return pairs(sim, out)
    plain = sim.Allocator.malloc
    sim.Allocator._hand_out = handing_out_anew(sim.Allocator._hand_out)

    def malloc(self, *args):
        block = plain(self, *args)
        self.__dict__.setdefault("handed_out", []).append(block)
        return block

    lines = []
    for n, conf in enumerate(RECORDED):
        config = sim.Config.from_string(conf)
        settings = dict(PYTORCH_CUDA_ALLOC_CONF=conf, expandable_segments=config.expandable, garbage_collection_threshold=config.gc_threshold,
                        max_split_size=-1 if config.max_split_size == sim.NO_LIMIT else config.max_split_size,
                        roundup_power2_divisions={str(1 << i): d for i, d in enumerate(config.pow2_divisions)})
        traces, all_segments, limits, seed = [], [], [], n * 1000
        while len(traces) < N_EACH:
            sim.Allocator.malloc = malloc
            sim.Allocator.handed_out = []
            trace, final, limit = record(sim, seed, conf)
            sim.Allocator.malloc = plain
            seed += 1
            if len(trace) > 20 and explains(sim, trace, final, settings, limit):
                all_segments += [dict(segment, device=len(traces)) for segment in final]
                traces.append(trace)
                limits.append(limit)
        snapshot = dict(segments=all_segments, device_traces=traces, allocator_settings=settings)
        with open(os.path.join(out, f"what_if_{n}.pickle"), "wb") as file:
            pickle.dump(snapshot, file, protocol=4)
        for device in range(N_EACH):
            recorded = sim.Config.from_settings(settings, limit=limits[device])
            for other in SETTINGS:
                told = found(sim, snapshot, device, recorded, other, limits[device])
                lines.append(f"{n}|{device}|{limits[device] or 0}|{other}|{told}")
        print(conf or "default", file=sys.stderr)
    with open(os.path.join(out, "what_if.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
