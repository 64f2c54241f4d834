# SPDX-License-Identifier: Apache-2.0
"""Jobs for one process of hlocts, by --batch=-: a JSON object a line, in and out."""

import json
import subprocess


def answers(command, jobs, **options):
    """The answer of each job, a dictionary, in the order of `jobs`.

    command: program and options, without --batch. options: further ones of subprocess.run.
    Raises RuntimeError where the process ends before it has answered every job.
    """
    done = subprocess.run([*command, "--batch=-"], capture_output=True, text=True, check=False,
                          input="".join(json.dumps(job) + "\n" for job in jobs), **options)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(jobs):
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return found
