from deniable.training.explain import DEFAULT_DELTA
from deniable.training.usual_schedules import SCHEDULES, training_curves, training_loss


def test_the_kept_losses_are_upper_ends_of_what_is_computed_now():
    curves = training_curves()
    kept = [(each["rate"], each["steps"]) for each in curves["schedules"]]
    assert kept == list(SCHEDULES)
    for schedule in curves["schedules"]:
        for i in (0, 77, 199):
            truth = training_loss(schedule["rate"], schedule["steps"], curves["noise"][i])
            assert truth <= schedule["loss"][i] <= truth * 1.0011


def test_losses_are_at_the_delta_that_trainings_are_explained_with():
    assert training_curves()["delta"] == DEFAULT_DELTA


def test_more_noise_loses_less():
    curves = training_curves()
    assert curves["noise"] == sorted(curves["noise"])
    for schedule in curves["schedules"]:
        assert len(schedule["loss"]) == len(curves["noise"]) == 200
        assert schedule["loss"] == sorted(schedule["loss"], reverse=True)
