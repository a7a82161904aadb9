import subprocess
import sys
import typing

import attrs
import pytest

from deniable.pipeline.noise import Part, PublicPart, SelectionPart, VectorPart


def test_a_part_is_one_of_three_frozen_values():
    assert typing.get_args(Part) == (VectorPart, SelectionPart, PublicPart)
    part = PublicPart("entities")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        part.label = "another"


def test_a_study_is_released_without_an_engine():
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import deniable.gwas.publication.release, sys; print('ibis' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "False\n"
