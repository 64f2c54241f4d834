# SPDX-License-Identifier: Apache-2.0
"""Runs many jobs in one process of hlocts with --batch=-: one JSON object per line, in and out."""

import json
import subprocess


def answers(command, jobs, **options):
    """Returns the answer of each job, a dictionary, in the order of `jobs`.

    `command` is the program with its options, but without --batch; `options` are passed to
    subprocess.run. Raises RuntimeError if the process exits before it has answered every job.
    """
    done = subprocess.run([*command, "--batch=-"], capture_output=True, text=True, check=False,
                          input="".join(json.dumps(job) + "\n" for job in jobs), **options)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(jobs):
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return found
