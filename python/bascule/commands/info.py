# SPDX-License-Identifier: Apache-2.0
"""`bascule info`."""

import argparse
import json

import bascule
from bascule.commands import Command
from bascule.commands.target import HELP, resolve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help=HELP)
    parser.add_argument("--json", action="store_true", help="print the manifest as JSON")


def run(arguments: argparse.Namespace) -> int:
    from bascule import _native

    target = resolve(arguments.target)
    path = target.library
    try:
        manifest = json.loads(_native.manifest_read(str(path)))
    except bascule.BadLibrary as error:
        if "holds no manifest" not in str(error):
            raise
        manifest = target.open().manifest  # lone kernels, or the sentence that says so
    if arguments.json:
        print(json.dumps(manifest, indent=2))
        return 0
    if "bascule" not in manifest:
        print(f"{path}, lone kernels (no manifest; docs/lone_kernels.md)")
        for kernel in manifest["operators"]:
            print(f"  {kernel['name']}")
        return 0
    print(f"{path}, built by bascule {manifest['bascule']}")
    for operator in manifest["operators"]:
        print(f"\n{operator['name']}")
        parameters = [("input", p) for p in operator["inputs"]]
        parameters += [("output", p) for p in operator["outputs"]]
        for role, parameter in parameters:
            kind = "" if parameter["kind"] == "required" else f", {parameter['kind']}"
            print(f"  {role + kind:<10} {parameter['name']:<8} {', '.join(parameter['dtypes'])}")
        for attribute in operator["attributes"]:
            required = attribute["required"]
            default = "required" if required else f"default {attribute['default']}"
            print(f"  {'attribute':<10} {attribute['name']:<8} {attribute['kind']}, {default}")
        gradient = operator["gradient"]
        text = f"{gradient['function']} in {gradient['file']}" if gradient else "none"
        print(f"  {'gradient':<10} {text}")
    return 0


COMMAND = Command("info", "show what a library holds", run, add_arguments)
