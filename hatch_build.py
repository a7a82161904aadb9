"""What the build adds to the metadata: the README as an index shows it, and the project's links."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)\s]+)\)")
"""A link of Markdown to a file of the repository; no link of ours has another one within."""
PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?://)([^)\s]+)\)\n*")
"""A picture of the repository; an address of its page shows it only with `?raw=true`."""


class Metadata(MetadataHookInterface):
    """Sets `readme` and `urls` from README.md and the repository's address, which stands once."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both; without an address there are no links, and none is dead."""
        address = self.config.get("repository", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": on_an_index(text, address, metadata["version"]),
        }
        metadata["urls"] = urls(address) if address else {}


def on_an_index(text: str, address: str, version: str) -> str:
    """Return the README with absolute links to the files of this version, or their words alone."""
    if not address:
        return LINK.sub(r"\1", PICTURE.sub("", text))
    text = PICTURE.sub(lambda found: found[0].replace(found[1], f"{found[1]}?raw=true"), text)
    return LINK.sub(rf"[\1]({address}/blob/v{version}/\2)", text)


def urls(address: str) -> dict[str, str]:
    """Links that an index shows beside the project."""
    return {
        "Source": address,
        "Documentation": f"{address}/tree/main/docs",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
        "Security": f"{address}/security/advisories",
    }
