# SPDX-License-Identifier: Apache-2.0
"""`bascule info`."""

import argparse
import json
from typing import Any

import bascule
from bascule.commands import Command
from bascule.commands.target import HELP, resolve
from bascule.console import print_json, styled, table

COLUMNS = ("", "name", "kind", "dtypes or value", "formats")


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
    names = [operator["name"] for operator in manifest["operators"]]
    if target.operator is not None and target.operator not in names:
        raise bascule.OperatorNotFound(
            f"{path} has no operator '{target.operator}'. It has: {', '.join(names)}."
        )
    if arguments.json:
        print_json(manifest)
    elif "bascule" not in manifest:
        print(f"{path}, lone kernels (no manifest; docs/lone_kernels.md)")
        for kernel in manifest["operators"]:
            print(f"  {kernel['name']}")
    else:
        show(path, manifest, target.operator)
    return 0


def show(path: Any, manifest: dict[str, Any], wanted: Any) -> None:
    print(f"{path}, built by bascule {manifest['bascule']}")
    facts = [
        f"library interface {manifest['library_abi']}",
        f"kernel interface {manifest['kernel_abi']}",
        f"sources {manifest['source_hash']}",
    ]
    if "runtime" in manifest:
        facts.append(f"self-contained, with runtime {manifest['runtime']}")
    print(", ".join(facts))
    files = {}
    for operator in manifest["operators"]:
        if wanted not in (None, operator["name"]):
            continue
        print()
        styled(f"{operator['name']} ({operator['type']}), {combinations(operator)}", "bold")
        table(COLUMNS, list(rows(operator)))
        for part in ("gradient", "reference"):
            described = operator.get(part) or {}
            if "text" in described:
                files[described["file"]] = described
    for name, described in files.items():
        print()
        styled(f"{name}, hash {described['hash']}", "bold")
        print("\n".join(f"    {line}".rstrip() for line in described["text"].splitlines()))


def combinations(operator: dict[str, Any]) -> str:
    count = operator["columns"]
    cores = ", ".join(sorted({kernel["core"] for kernel in operator["kernels"]}))
    return f"{count} combination{'s' if count != 1 else ''} of dtypes, cores {cores or 'none'}"


def rows(operator: dict[str, Any]):
    for role in ("inputs", "outputs"):
        for parameter in operator[role]:
            yield (
                role[:-1],
                parameter["name"],
                parameter["kind"],
                ", ".join(parameter["dtypes"]),
                ", ".join(dict.fromkeys(parameter["formats"])),
            )
    for attribute in operator["attributes"]:
        required = attribute["required"]
        value = "" if required else json.dumps(attribute["default"])
        kind = f"{attribute['kind']}, required" if required else attribute["kind"]
        yield "attribute", attribute["name"], kind, value, ""
    for what in ("shape", "dtype"):
        if not operator[f"infer_{what}"]:
            yield "inference", what, "none", "", ""
    yield "gradient", *gradient(operator), "", ""
    declared = operator["gradient"] or {}
    if declared.get("saved"):
        yield "saved", ", ".join(declared["saved"]), "for the gradient only", "", ""
    if declared.get("recompute"):
        yield "outputs", "made again", "for the gradient", "", ""
    if "reference" in operator:
        reference = operator["reference"]
        yield "reference", reference["function"], reference["file"], "", ""


def gradient(operator: dict[str, Any]) -> tuple[str, str]:
    """Its name, and what kind it is."""
    declared = operator["gradient"]
    if not declared:
        return "none", ""
    if declared["kind"] == "operator":
        return declared["operator"], "operator"
    if declared["kind"] == "none":
        return "none", declared["reason"]
    return declared["function"], declared["file"]


COMMAND = Command("info", "show what a library holds", run, add_arguments)
