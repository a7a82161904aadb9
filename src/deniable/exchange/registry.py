"""A release as an entry of the Differential Privacy Deployments Registry.

Every text is what the dossier for the registry says under the same key. What a certificate cannot
know, such as the intended use, is left for the owner, and named at the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from deniable.certificate.files import CERTIFICATE
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.errors.validate import in_full
from deniable.pipeline.dossiers import dossier_of, regime_called
from deniable.pipeline.exports import Cells, CheckedRelease, Exported, ExportFormat
from deniable.pipeline.statements import Figure
from deniable.report.heading import Heading

if TYPE_CHECKING:
    import yaml
else:
    yaml = late("yaml", extra="exchange")

_OWNERS = (
    "url_slug", "status", "tier", "deployment/basic/name", "deployment/basic/data_curators",
    "deployment/basic/description", "deployment/basic/intended_use",
    "deployment/basic/data_product_region", "deployment/basic/data_product_sector",
    "deployment/deployment_model/data_source_type", "deployment/administrative",
)  # fmt: skip
"""Keys that the owner fills in or mends, with all below them: a check leaves them out."""


class RegistryYaml(ExportFormat):
    """One file, for a pull request to the registry."""

    ending = ".yaml"

    def confirm(self) -> None:
        """Load the library, or say which extra brings it."""
        _ = yaml.SafeDumper

    def begins(self, content: bytes) -> bool:
        """Return whether its first line is the one that the registry's own scripts look for."""
        return content.startswith(b"url_slug:")

    def export(self, release: CheckedRelease, query: str | None) -> Exported:
        """Return the entry of a release, or of a training, in the order of the registry's keys."""
        if query is not None:
            raise InvalidArgument("Expected no query, for an entry is about all of a release.")
        certificate: Any = release.certificate
        answers = dossier_of(certificate, regime_called("dp-registry"))
        facts = _facts(certificate)
        texts = dict[str, dict[str, None]]()
        for answered in answers.answers:
            texts.setdefault(answered.question.place, {}).update(dict.fromkeys(answered.statements))
        deployment = dict[str, Any]()
        for place, names in texts.items():
            topic, _, key = place.partition("/")
            statements = (answers.table[name] for name in names)
            said = ("\n".join([*each.says, *map(_figure, each.figures)]) for each in statements)
            if (value := facts.get(place, "\n\n".join(said) or None)) is not None:
                deployment.setdefault(topic, {})[key] = value
        basic = deployment["basic"]
        parts = basic["name"], "-".join(basic["data_curators"]), certificate.created[:4]
        slug = "-".join(re.sub(r"\W+|_", "-", each.lower()) for each in parts)
        entry = {"url_slug": slug, "status": "Draft", "tier": 3, "deployment": deployment}
        return Exported(to="registry-yaml", content=_dump(entry))

    def cells(self, content: bytes) -> Cells:
        """Return what the certificate decides, by keys with a slash between; no space counts."""
        try:
            entry = yaml.load(content, _loader())
        except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError):
            raise InvalidArgument("Expected YAML without aliases, got something else.") from None
        return {
            place: value
            for place, value in _leaves(entry, "")
            if not any(f"{place}/".startswith(f"{each}/") for each in _OWNERS)
        }


def _facts(certificate: Any) -> dict[str, Any]:
    """Keys that have a type or a list of words of their own, and keys that the owner fills in."""
    guarantee, heading = certificate.guarantee, Heading.of(getattr(certificate, "plan", None))
    has_rows = "results.parquet" in certificate.file_names
    if has_rows and guarantee.rho is not None and not guarantee.exposure:
        variant, parameters = "Zero-concentrated DP", {"rho": guarantee.rho}
    elif guarantee.delta:
        variant = "Approximate DP"
        parameters = {"epsilon": guarantee.epsilon, "delta": guarantee.delta}
    else:
        variant, parameters = "Pure DP", {"epsilon": guarantee.epsilon}
    is_continued = getattr(certificate, "is_continued", False)
    return {
        "basic/name": heading.title or certificate.title,
        "basic/data_curators": [heading.organisation],
        "basic/intended_use": "",
        "basic/data_product_type": "Summary statistics" if has_rows else "Machine learning model",
        "basic/data_product_region": "",
        "basic/description": "\n\n".join(heading.paragraphs()) or certificate.title,
        "basic/publication_date": certificate.created,
        "dp_variant/variant_name": variant,
        "privacy_loss/privacy_parameters": parameters,
        "deployment_model/model_name": "Central",
        "deployment_model/release_type": "Many releases" if is_continued else "One release",
        "deployment_model/access_type": "Non-interactive",
        "administrative/sources": (
            f"The SHA-256 of what {CERTIFICATE} states is {certificate.statement_sha256}."
        ),
        "administrative/registry_authors": [""],
    }


def _figure(figure: Figure) -> str:
    """A number with its meaning, as a line of a list."""
    if figure.lower == figure.upper and figure.upper is not None:
        return f"- {figure.of}: {in_full(figure.upper)}"
    limits = (("least", figure.lower), ("most", figure.upper))
    bounds = (f"at {word} {in_full(value)}" for word, value in limits if value is not None)
    return f"- {figure.of}: {', '.join(bounds)}"


def _dump(entry: Mapping[str, Any]) -> bytes:
    """The file: texts of several lines in blocks, for the registry refuses folded ones."""

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        pass

    def text(dumper: Any, value: str) -> Any:
        style = "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_multi_representer(str, text)
    Dumper.add_representer(str, text)
    written = yaml.dump(entry, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=2**30)
    empty = [place for place, value in _leaves(entry, "") if value == ""]
    empty += [each for each in _OWNERS if each.endswith(("_sector", "_source_type"))]
    names = "".join(f"#   {place}\n" for place in empty)
    return f"{written}# Fill in, and set tier and status:\n{names}".encode()


def _loader() -> Any:
    """A reader that takes no aliases, whose values could be endless, and no key twice."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError
            node = super().compose_node(parent, index)
            if isinstance(node, yaml.MappingNode):
                keys = [str(key.value) for key, _ in node.value]
                if len({*keys}) < len(keys):
                    raise yaml.YAMLError
            return node

    return Loader


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(each, f"{place}/{key}" if place else str(key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, float(value)
    else:
        yield place, value.strip() if isinstance(value, str) else value
