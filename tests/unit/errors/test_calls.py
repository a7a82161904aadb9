"""A call with arguments that a function does not take is refused in our words, not in Python's."""

import inspect

import attrs
import pytest

import deniable
from deniable.errors import InvalidArgument, arguments
from deniable.errors.validate import explain_calls
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses

FUNCTIONS = [name for name in dir(deniable) if inspect.isfunction(getattr(deniable, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_names_an_argument_that_it_does_not_know(name):
    with pytest.raises(InvalidArgument) as refused:
        getattr(deniable, name)(nonsense=1)
    said = refusal_of(refused.value)
    assert said.got == "`nonsense`"
    assert name in said.expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_is_missing_and_how_it_is_called(name):
    function = getattr(deniable, name)
    parameters = inspect.signature(function).parameters.values()
    needed = [each.name for each in parameters if each.default is each.empty]
    if not needed:
        return
    with pytest.raises(InvalidArgument) as refused:
        function()
    said = refusal_of(refused.value)
    assert [f"`{each}`" in said.expected for each in needed] == [True] * len(needed)
    written = said.remedy.removeprefix("Write ").removesuffix(".").replace("…", "0")
    call = inspect.signature(function).bind(*_arguments(written)[0], **_arguments(written)[1])
    assert set(call.arguments) == set(needed)


def _arguments(call):
    """Names without a value are places; eval sees them as the text that they are."""
    inside = call[call.index("(") + 1 : -1].split(", ")
    places = [each for each in inside if "=" not in each]
    return places, dict(each.split("=") for each in inside if "=" in each)


def test_one_argument_too_many_is_answered_with_the_names_of_the_others():
    with pytest.raises(InvalidArgument) as refused:
        deniable.plan({}, object())
    said = refusal_of(refused.value)
    assert said.got == "2"
    assert "data=…" in said.remedy


def test_a_slip_gets_the_word_that_was_meant():
    with pytest.raises(InvalidArgument) as refused:
        deniable.release({}, "out", dat=object())
    assert "`data`" in refusal_of(refused.value).remedy


def test_an_argument_twice_is_refused():
    with refuses(InvalidArgument, "once-it-by-its-epsilon"):
        deniable.explain(1.0, epsilon=1.0)


def test_a_fault_within_a_function_stays_python_s():
    @explain_calls
    def fault(value):
        return value + "text"

    with pytest.raises(TypeError, match="unsupported"):
        fault(1)


@pytest.mark.parametrize(
    ("call", "got"),
    [
        (lambda: deniable.check(42), "int"),
        (lambda: deniable.sign(42), "int"),
        (lambda: deniable.check("x", dossier=42), "int"),
        (lambda: deniable.derive(0.1, "advantage"), "'0.1'"),
        (lambda: deniable.derive("pure-dp:1", 3), "'3'"),
        (lambda: deniable.derive({"epsilon": 1}.items, "advantage"), "builtin_function_or_method"),
        (lambda: deniable.compose(3), "'3'"),
        (lambda: deniable.explain_guarantee(3), "'3'"),
        (lambda: deniable.trade_off(None), "NoneType"),
        (lambda: deniable.risk("pure-dp:1", baselines="x"), "'x'"),
    ],
)
def test_a_value_of_another_kind_is_named(call, got):
    with pytest.raises(InvalidArgument) as refused:
        call()
    assert refusal_of(refused.value).got == got


def test_one_value_stands_where_several_may():
    one = deniable.risk("pure-dp:1", baselines=0.1)
    assert one == deniable.risk(["pure-dp:1"], baselines=[0.1])
    assert deniable.compose("zcdp:0.1") == deniable.compose(["zcdp:0.1"])
    assert deniable.compose("3*zcdp:0.1") == deniable.compose(["zcdp:0.1"] * 3)


@pytest.mark.parametrize("spec", ["zcdp:0.1", "gaussian-dp:1", "positive-membership:2"])
def test_explain_reads_every_guarantee_as_the_command_does(spec):
    assert deniable.explain(spec) == deniable.explain_guarantee(spec)


def test_explain_reads_a_written_budget_as_its_numbers():
    assert deniable.explain("approx-dp:1,1e-6@add-remove") == deniable.explain(
        1.0, 1e-6, adjacency="add-remove"
    )
    assert deniable.explain(deniable.notions.PureDP(1.0)) == deniable.explain(1.0)
    with refuses(InvalidArgument, "one-word"):
        deniable.explain("zcdp:0.1", delta=1e-6)


def test_a_class_of_notions_is_a_wish():
    given = "pure-dp:1"
    wanted = deniable.derive(given, deniable.notions.Advantage)
    assert wanted == deniable.derive(given, "advantage")
    assert attrs.has(type(wanted.target))


def test_a_training_is_calibrated_by_what_its_script_says():
    target = {"delta": 1e-5, "fpr": 0.01}
    script = deniable.calibrate_training(records=1000, batch_size=500, epochs=2, tpr=0.5, **target)
    assert script == deniable.training.calibrate(sample_rate=0.5, steps=4, fnr=0.5, **target)
    with refuses(InvalidArgument, "records-batch-size-and-epochs"):
        deniable.calibrate_training(records=1000, steps=4, advantage=0.5)


HINTS = [
    (deniable.calibrate_training, "sampling_probability", "Did you mean `sample_rate`?"),
    (deniable.calibrate_training, "num_updates", "Did you mean `steps`?"),
    (deniable.calibrate_training, "target_epsilon", "Did you mean `epsilon`?"),
    (deniable.calibrate_training, "max_grad_norm", "Leave it out"),
    (deniable.explain_training, "noise_multiplier", "Write history=["),
    (deniable.certify_training, "batch_size", "Write history=["),
    (deniable.compare_training, "sigma", "Did you mean `noise_multiplier`?"),
    (deniable.explain, "half_width", "explain_accuracy"),
    (deniable.explain, "gamma", "calibrate(gamma=…)"),
    (deniable.calibrate, "target_delta", "Did you mean `delta`?"),
    (deniable.release, "epsilon", "The plan says it: [target] epsilon = …."),
    (deniable.plan, "rows_per_entity", "The plan says it: [limits] rows_per_entity = …."),
    (deniable.release, "output_dir", "Did you mean `out`?"),
    (deniable.audit, "workers", "Write effort=Effort(workers=…)."),
    (deniable.population.gaussian, "std", "Did you mean `sigma`?"),
    (deniable.population.laplace, "std", "Did you mean `scale`?"),
    (deniable.population.laplace, "n", "Did you mean `size`?"),
    (deniable.rules.design, "hide", "Write rule=Hide(1, 9)"),
    (deniable.gwas.scan, "pheno", "Did you mean `phenotype`?"),
    (deniable.gwas.scan, "keep", "Write filters=Filters(keep=…)."),
]
"""Arguments of peers, of the command line and of the plan, in calls that do not have them."""


@pytest.mark.parametrize(("function", "word", "hint"), HINTS)
def test_an_argument_of_others_gets_the_one_to_write(function, word, hint):
    with pytest.raises(InvalidArgument) as refused:
        function(**{word: 1})
    assert hint in refusal_of(refused.value).remedy


def test_every_argument_of_others_leads_to_one_of_a_function():
    """A renamed parameter would otherwise leave a hint that nobody sees."""
    public = [deniable, deniable.gwas, deniable.population, deniable.rules, deniable.training]
    named = {
        word
        for each in public
        for name in dir(each)
        if inspect.isfunction(function := getattr(each, name))
        for word in (function.__name__, *inspect.signature(function).parameters)
    }
    ours = {each for words in arguments.WORDS["others"].values() for each in words}
    assert (ours | {*arguments.WORDS["remarks"]}) - named == set()
