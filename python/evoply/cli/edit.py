"""`evoply edit`: a weight of a run changed by hand."""

from evoply.cli.opened_run import opened_run
from evoply.cli.output import Output
from evoply.cli.shared_options import Json
from evoply.cli.shell_hints import suggested


def edit(
    run: str,
    feature: str,
    /,
    *,
    weight: float = 0.0,
    time_weight: float = 0.0,
    json: Json = False,
) -> None:
    """Change a weight of a learning run by hand, as a step of its own.

    The step says what was changed, so the history of the weights stays
    whole; `evoply resume` goes on from it.

    Parameters
    ----------
    run
        Name or path of the run.
    feature
        The feature whose weight it is.
    weight
        What is added to the weight.
    time_weight
        What is added to the time weight.
    """
    output = Output(json)
    with opened_run(run) as found:
        from evoply.cli.run_loop import typed_command
        from evoply.protocols import RunError

        edited = found.kind.uses.get("edited")
        if edited is None:
            raise RunError(f"run {found.name} has no weights of features, which can be edited")
        with found.lock():
            last = found.last()
            if last is None:
                raise RunError(f"run {found.name} has no weights yet: no step is finished")
            step = edited(found.config, last, feature, weight=weight, time_weight=time_weight)
            found.record(
                "edited",
                generation=step.number,
                feature=feature,
                weight=weight,
                time_weight=time_weight,
                command=typed_command(),
            )
            found.save(step)
            found.set_meta(status="stopped")
        before, after = last.statistics, step.statistics
        names = [name for name in after if name.split(" ")[0] == feature]
        for name in names:
            output.say(f"{name}: {before[name]:+.4f} -> {after[name]:+.4f}")
        output.say(f"Go on with: {suggested(f'resume {found.name}')}")
        output.result(
            {
                "run": str(found.path),
                "generation": step.number,
                "digest": step.digest,
                "feature": feature,
                "before": {name: before[name] for name in names},
                "after": {name: after[name] for name in names},
            }
        )
