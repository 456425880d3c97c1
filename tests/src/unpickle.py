"""Reads snapshots as Python does, with a reader that refuses every global, and prints their figures as JSON."""
import json
import pickle
import sys


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"a global: {module}.{name}")


def figures(path):
    with open(path, "rb") as file:
        data = Plain(file).load()
        assert file.read() == b"", "bytes after the end"
    segments = data["segments"] + data.get("host_segments", [])
    for segment in segments:
        blocks = segment["blocks"]
        assert not blocks or sum(block["size"] for block in blocks) == segment["total_size"]
        active = [block for block in blocks if block["state"] != "inactive"]
        assert segment["requested_size"] == sum(block["requested_size"] for block in active)
        assert segment["active_size"] == sum(block["size"] for block in active)
        allocated = [block for block in active if block["state"] == "active_allocated"]
        assert segment["allocated_size"] == sum(block["size"] for block in allocated)
        assert all(isinstance(frame["line"], int) for block in blocks for frame in block["frames"])
    traces = data["device_traces"] + ([data["host_traces"]] if "host_traces" in data else [])
    return {
        "keys": sorted(data),
        "events": [len(trace) for trace in traces],
        "actions": [[event["action"] for event in trace[:3]] for trace in traces],
        "frames": sum(len(event.get("frames", [])) for trace in traces for event in trace),
        "reserved": sum(segment["total_size"] for segment in segments),
        "requested": sum(segment["requested_size"] for segment in segments),
        "annotations": len(data.get("external_annotations", [])),
    }


print(json.dumps([figures(path) for path in sys.argv[1:]]))
