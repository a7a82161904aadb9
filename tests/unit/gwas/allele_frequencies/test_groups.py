from deniable.errors import InvalidArgument
from deniable.gwas.allele_frequencies import Group, frequency_part
from deniable.gwas.scores import StudyAdjacency
from tests.cases.refusals import refuses


def test_groups_have_their_people():
    assert Group("cases").people(3, 4) == {"cases": 3}
    assert Group("controls").people(3, 4) == {"controls": 4}
    assert Group("everybody").people(3, 4) == {"everybody": 7}
    with refuses(InvalidArgument, "not-one-of: _ | cases, controls, everybody, both"):
        Group("case")


def test_what_neighbours_agree_on_gets_no_noise_and_is_refused():
    with refuses(InvalidArgument, "everybody-two-change-places"):
        frequency_part(StudyAdjacency.SWAP, Group.EVERYBODY, 3)
    with refuses(InvalidArgument, "below-least: variants | 1"):
        frequency_part(StudyAdjacency.GENOTYPE, Group.EVERYBODY, 0)
