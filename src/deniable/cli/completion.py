"""Completion of commands and options in the user's shell, by Click's scripts."""

import os
from pathlib import Path

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
)

_VARIABLE = "_DENIABLE_COMPLETE"  # what a shell sets when it asks which words may follow
_FILES = {
    "bash": (".bash_completions/deniable.sh", ".bashrc", '. "{}"'),
    "zsh": (".zfunc/_deniable.zsh", ".zshrc", 'autoload -Uz compinit; compinit; . "{}"'),
    "fish": (".config/fish/completions/deniable.fish", "", ""),
    "powershell": (
        ".config/powershell/deniable.ps1",
        ".config/powershell/Microsoft.PowerShell_profile.ps1",
        '. "{}"',
    ),
}
"""The place of each shell's script, the file that the shell reads first, and its new line."""


@add_completion_class
class PowerShell(ShellComplete):
    """Completion in PowerShell."""

    name = "powershell"
    source_template = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $cursor)
    $env:%(complete_var)s = "powershell_complete"
    $env:DENIABLE_LINE = $line.ToString()
    $env:DENIABLE_WORD = $word
    & %(prog_name)s | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        $kind = [System.Management.Automation.CompletionResultType]::ParameterValue
        [System.Management.Automation.CompletionResult]::new($value, $value, $kind, $help)
    }
    $env:%(complete_var)s = $env:DENIABLE_LINE = $env:DENIABLE_WORD = ""
}
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one at the cursor, and that one."""
        word = os.environ["DENIABLE_WORD"]
        words = click.shell_completion.split_arg_string(os.environ["DENIABLE_LINE"])[1:]
        return words[:-1] if word and words else words, word

    def format_completion(self, item: CompletionItem) -> str:
        """A word that may follow, and what it does."""
        return f"{item.value}\t{item.help or ''}"


def show(ctx: click.Context) -> None:
    """Print the script of the current shell."""
    click.echo(_script(ctx, _shell()))


def install(ctx: click.Context) -> None:
    """Write the script of the current shell where it reads it, for this account."""
    shell = _shell()
    script, profile, line = _FILES[shell]
    place = Path.home() / script
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_script(ctx, shell), encoding="utf-8")
    if profile:
        read_first = Path.home() / profile
        before = read_first.read_text(encoding="utf-8") if read_first.exists() else ""
        if (wanted := line.format(place)) not in before:
            read_first.parent.mkdir(parents=True, exist_ok=True)
            read_first.write_text(f"{before}\n{wanted}\n", encoding="utf-8")
    click.echo(f"{shell} completion installed in {place}")
    click.echo("Completion will take effect once you restart the terminal")


def _shell() -> str:
    """The shell of this account; PowerShell sets no variable of its own that says so."""
    name = Path(os.environ.get("SHELL", "powershell")).stem
    name = "powershell" if name == "pwsh" else name
    if name not in _FILES:
        raise click.UsageError(f"Expected one of {', '.join(_FILES)} as shell, got {name}.")
    return name


def _script(ctx: click.Context, shell: str) -> str:
    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"Expected a shell that has completion, got {shell}.")
    return complete(ctx.command, {}, "deniable", _VARIABLE).source()
