"""Checks manifests by the schema of Kubernetes, and that a guide shows only what they contain."""

import pathlib
import re
import sys

import kubernetes_validate
import yaml


def main(manifests: pathlib.Path, guide: pathlib.Path) -> None:
    texts = {path.name: path.read_text() for path in sorted(manifests.glob("*.yaml"))}
    if not texts:
        sys.exit(f"{manifests} has no manifest")
    for name, text in texts.items():
        for resource in yaml.safe_load_all(text):
            # An unknown kind is an error, and so is an unknown field.
            version = kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)
            print(f"{name}: {resource['kind']} {resource['metadata']['name']} fits Kubernetes {version}")
    shown = re.findall(r"^```yaml\n(.*?)^```", guide.read_text(), re.DOTALL | re.MULTILINE)
    if not shown:
        sys.exit(f"{guide} shows no manifest")
    for block in shown:
        if not any(block in text for text in texts.values()):
            sys.exit(f"no manifest contains this block of {guide}:\n{block}")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
