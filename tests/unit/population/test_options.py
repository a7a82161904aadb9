from deniable.population import commands as population_options
from tests.cases.command_line import app


def test_an_option_of_one_name_is_one_option_on_every_command():
    members = app.commands["population"].commands.values()
    helps = {}
    for command in members:
        for each in command.params:
            helps.setdefault(each.opts[-1], set()).add(each.help)
    shared = {name for name, texts in helps.items() if len(texts) == 1}
    assert shared >= {"--data", "--size", "--target", "--seed", "--time-limit", "--records"}
    defined = [
        option.help
        for value in vars(population_options).values()
        for option in getattr(value, "__metadata__", ())
    ]
    assert len(defined) == len(set(defined))
