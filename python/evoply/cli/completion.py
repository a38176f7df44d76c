"""`evoply completion`: what lets a shell complete commands and options."""

import sys
from typing import Literal

from evoply.cli.output import Output
from evoply.cli.shared_options import Json


# The order is that of cyclopts: of two equal unions Python keeps the one that came first.
def completion(
    shell: Literal["zsh", "bash", "fish", "powershell"] | None = None, /, *, json: Json = False
) -> None:
    """Print what lets a shell complete commands and options at the Tab key.

    Parameters
    ----------
    shell
        Default: the shell that you use.
    """
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    from evoply.cli.parsing import whole_app

    try:
        chosen = shell or detect_shell()
    except ShellDetectionError:
        raise ValueError(
            "shell - it cannot be told which one you use - name it: `evoply completion bash`"
        ) from None
    script = whole_app().generate_completion(shell=chosen)
    if not json:
        sys.stdout.write(script)
    Output(json).result({"shell": chosen, "script": script})
