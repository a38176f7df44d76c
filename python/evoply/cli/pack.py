"""`evoply pack`: learned tables as a file that ships."""

from json import dumps

from evoply.cli.opened_run import opened_run
from evoply.cli.output import Output
from evoply.cli.shared_options import Json, Whole


def pack(
    run: str,
    file: str,
    /,
    *,
    positions: Whole = 60,
    depth: Whole = 8,
    seed: Whole = 1,
    json: Json = False,
) -> None:
    """Write the pattern tables of a run as the file of the player strong.

    Entries are rounded to thousandths. How well a shallow search foretells a
    deep one is measured on positions from games of the tables against
    themselves; levels that leave searches out need this. The same run and
    options give the same file.

    In JSON: file, bytes, digest, entries, and for every depth that is foretold
    the shallow one and slope, offset and sigma of every stage.

    Parameters
    ----------
    run
        Name or path of a run that learned patterns.
    file
        Where to write to; what was there is replaced.
    positions
        Positions of every stage that are searched.
    depth
        The deepest search that is foretold, 1 to 12: each ply takes about three times as long.
    seed
        A whole number that decides which positions are drawn.
    """
    output = Output(json)
    with opened_run(run) as found:
        from evoply.files import write_atomically
        from evoply.players.packed import LARGEST_PACKED
        from evoply.protocols import RunError

        packed, last = found.kind.uses.get("packed"), found.last()
        if packed is None:
            raise RunError(f"run {found.name} has no tables of patterns, which can be packed")
        if last is None:
            raise RunError(f"run {found.name} has no tables yet: no step is finished")
        tables = packed(found.config, last, positions=positions, depth=depth, seed=seed)
    text = dumps(tables.to_data(), indent=1) + "\n"
    if len(text) > LARGEST_PACKED:
        raise ValueError(
            f"{file}: {len(text):,} bytes, and {LARGEST_PACKED:,} are the most: use fewer stages"
        )
    write_atomically(file, text)
    output.say(f"{file}: {tables.label}, {len(text):,} bytes, digest {tables.digest}")
    cuts = [cut.model_dump(mode="json") for cut in tables.cuts]
    for cut in tables.cuts:
        sigmas = " ".join(f"{sigma:.3f}" for _, _, sigma in cut.lines)
        output.say(f"{cut.depth:2} plies foretold by {cut.shallow}: sigma by stage {sigmas}")
    output.result(
        {
            "file": file,
            "bytes": len(text),
            "digest": tables.digest,
            "entries": len(tables.values),
            "cuts": cuts,
        }
    )
