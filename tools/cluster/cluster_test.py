#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests jobs of `hlocts cluster`: they are valid by the recorded schemas, and the shards, one of
which is lost and runs again, merge to the result of one run for any number of shards.

  cluster_test.py HLOCTS"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

HERE = pathlib.Path(__file__).resolve().parent
HLOCTS = ""
QUERIES = ("movement/rev", "elementwise/not")
ENGINES = ("--backend=legal-noise", "--backend=reference")


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parents[1])
    if done.returncode != status:
        raise AssertionError(f"{command}: {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def schema(name):
    return json.loads((HERE / "schemas" / name).read_text())


def verdicts(folder):
    """Returns the verdicts of a run, without fields that differ from run to run."""
    said = []
    for line in (pathlib.Path(folder) / "verdicts.jsonl").read_text().splitlines():
        record = json.loads(line)
        record.pop("seconds")
        said.append(json.dumps(record, sort_keys=True))
    return sorted(said)


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.out = f"{self.folder}/cluster"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, kind, *more, shards=3):
        return run(HLOCTS, "cluster", kind, f"--shards={shards}", f"--out={self.out}",
                   f"--program={HLOCTS}", *more)

    def shard(self, i, status=0):
        return run("sh", f"{self.out}/shard.sh", str(i), status=status)

    def test_the_kubernetes_job_is_valid(self):
        self.write("k8s", *ENGINES, "--image=registry.example/hlocts:1", *QUERIES)
        job = yaml.safe_load(pathlib.Path(self.out, "job.yaml").read_text())
        jsonschema.validate(job, schema("kubernetes-job-1.31.json"))
        self.assertEqual(job["spec"]["completionMode"], "Indexed")
        self.assertEqual(job["spec"]["completions"], 3)
        job["spec"]["complete"] = 3
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(job, schema("kubernetes-job-1.31.json"))

    def test_the_workflow_is_valid(self):
        self.write("actions", *ENGINES, *QUERIES)
        # YAML 1.1 parses the key "on" as true.
        text = pathlib.Path(self.out, "hlocts.yml").read_text().replace("\non:", '\n"on":')
        workflow = yaml.safe_load(text)
        jsonschema.validate(workflow, schema("github-workflow.json"))
        self.assertEqual(workflow["jobs"]["shard"]["strategy"]["matrix"]["shard"], [1, 2, 3])
        for job in workflow["jobs"].values():
            commands = [step.get("run", "") for step in job["steps"]]
            self.assertTrue(any("tar -xzf" in one for one in commands), "a release, not a source tree")
        workflow["jobs"]["shard"]["stops"] = []
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(workflow, schema("github-workflow.json"))

    def test_shards_merge_into_what_one_run_gives(self):
        run(HLOCTS, "run", *QUERIES, *ENGINES, "--tier=presubmit", f"--out={self.folder}/one")
        for shards in (1, 3):
            shutil.rmtree(self.out, ignore_errors=True)
            self.write("slurm", *ENGINES, "--tier=presubmit", *QUERIES, shards=shards)
            for i in range(1, shards + 1):
                self.shard(i)
            self.assertIn("none missing, none duplicated",
                          run(HLOCTS, "cluster", "merge", f"--out={self.out}"))
            self.assertEqual(verdicts(f"{self.out}/merged"), verdicts(f"{self.folder}/one"))
            run(HLOCTS, "report", f"{self.out}/merged")

    def test_a_lost_shard_is_named_and_run_again(self):
        self.write("slurm", *ENGINES, *QUERIES)
        self.shard(1)
        self.shard(3)
        # The record of an interrupted run has no end.
        record = pathlib.Path(self.out, "shard-3/run.json")
        cut = json.loads(record.read_text())
        del cut["finished"]
        record.write_text(json.dumps(cut))
        said = run(HLOCTS, "cluster", "merge", f"--out={self.out}", status=1)
        self.assertIn("2 of 3 shards are not finished: 2, 3", said)
        self.assertIn("sbatch --array=2,3 job.sbatch", said)
        self.assertFalse(os.path.exists(self.out + "/merged"))
        self.assertIn("is finished", self.shard(1))
        self.shard(2)
        self.shard(3)
        run(HLOCTS, "cluster", "merge", f"--out={self.out}")

    def test_a_campaign_is_the_same_for_any_number_of_shards(self):
        found = []
        for shards in (1, 2):
            shutil.rmtree(self.out, ignore_errors=True)
            self.write("slurm", "--backend=canary:subtract.operands-swapped", "--modules=300",
                       "--chunk=100", "--seed=5", shards=shards)
            for i in range(1, shards + 1):
                self.shard(i)
            said = run(HLOCTS, "cluster", "merge", f"--out={self.out}")
            self.assertIn("300 modules", said)
            lines = pathlib.Path(self.out, "merged/findings.jsonl").read_text().splitlines()
            found.append(sorted(json.loads(line)["bucket"] for line in lines))
        self.assertEqual(found[0], found[1])
        self.assertGreater(len(found[0]), 0)
        os.remove(self.out + "/chunk-2/finished")
        said = run(HLOCTS, "cluster", "merge", f"--out={self.out}", status=1)
        self.assertIn("1 of 2 shards is not finished: 2", said)

    def test_a_wrong_command_line_writes_nothing(self):
        run(HLOCTS, "cluster", "slurm", f"--out={self.out}", status=2)
        run(HLOCTS, "cluster", "pbs", "--backend=legal-noise", f"--out={self.out}", status=2)
        run(HLOCTS, "cluster", "merge", f"--out={self.out}", status=2)
        self.assertFalse(os.path.exists(self.out))

    def test_the_shards_of_another_job_are_kept(self):
        self.write("slurm", *ENGINES, *QUERIES)
        os.mkdir(self.out + "/shard-1")
        self.write("slurm", *ENGINES, *QUERIES)
        command = "cluster", "slurm", "--shards=2", f"--out={self.out}", *ENGINES, *QUERIES
        self.assertIn("shard-1 of another job", run(HLOCTS, *command, status=2))
        self.assertIn('"shards": 3', pathlib.Path(self.out, "cluster.json").read_text())


HLOCTS = os.path.abspath(sys.argv.pop(1))
unittest.main()
