# SPDX-License-Identifier: Apache-2.0
"""Operations of several devices: which of them holds what another gets."""

import re

from check_evaluator import Array, operation
from check_numbers import Broken, Unsupported


def group_of(i, device, devices):
    """The replicas that exchange with this one, in their order."""
    text = i.attribute("replica_groups")
    groups = [[int(n) for n in re.findall(r"\d+", g)] for g in re.findall(r"\{([\d, ]+)\}", text)]
    if not re.fullmatch(r"[{}\d, ]*", text) or "channel_id" in i.attributes:
        raise Unsupported("groups in another form, or by channels")
    for group in groups or [list(range(devices))]:
        if device in group:
            return group
    raise Broken("%s: a replica without a group" % i.name)


@operation("exchange", None, "all-gather", together=True)
def all_gather(run, i, of_all, device):
    if len(of_all[device]) != 1:
        raise Unsupported("a gathering of several operands")
    group, dimension = group_of(i, device, len(of_all)), i.integers("dimensions")[0]
    size = of_all[device][0].shape.dims[dimension]

    def at(index):
        place = list(index)
        member, place[dimension] = divmod(index[dimension], size)
        return of_all[group[member]][0][place]

    return Array(i.shape, at)
