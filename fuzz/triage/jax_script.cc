// SPDX-License-Identifier: Apache-2.0
// Generates the script with which a bundle runs in JAX.
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/installed_backend.h"
#include "fuzz/triage/bundle_texts.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/judge.h"
#include "spec/ops/partitions.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

constexpr char kJaxScript[] = R"py(# $SIGNATURE
# Found in the engine $ENGINE. Runs the module below through JAX (pip install $JAX) on
# $PLACE.
# Says which engine ran, and REPRODUCED (exit status 1), not reproduced (0), or cannot tell (2).
#   python repro_jax.py $USAGE
# JAX converts the module to StableHLO, and the engine converts it back. Where that may change
# instructions, operands or tuples, the script names them; `hlocts replay` gives the engine the HLO
# module itself.
import collections
import json
import math
import os
import re
import subprocess
import sys

MODULE = r"""$MODULE"""
# Bytes of each argument in row-major order, as the type's own bits.
ARGUMENTS = [
$ARGUMENTS]
VERDICT = "$VERDICT"  # what was found: fail, crash, timeout, rejected, accepted
RUNS = $RUNS  # at most; more than one: the failure is not deterministic
# The failing element: output, row-major number, the wrong bits; and what HLO allows there:
# intervals, NaN, zeros (None where it is not a set of real numbers: then the bits are compared).
ELEMENT = $ELEMENT
ALLOWED = $ALLOWED
WORDS = """$WORDS"""
# The values that HLO allows for each element of each output, of a failure without values; else None.
EXPECTED = $EXPECTED
# More than one: the module is partitioned, by gspmd or shardy; OUTPUTS are the shapes of whole results.
PARTITIONS, PARTITIONER = $PARTITIONS, "$PARTITIONER"
COPIES = $COPIES  # of the program, each on a device of its own; this script runs one
OUTPUTS = [$OUTPUTS]
# The compiler options of the failing run. CompileOptions() of JAX would set others, such as
# xla_cpu_enable_fast_min_max=false; those of ParseFromString are the compiler's own defaults.
OPTIONS = [$OPTIONS]
NEEDS_PLUGIN = $NEEDS_PLUGIN  # the failing engine is a plugin file
ENGINES = set()  # that ran, each is printed once


def compile_options(xla_client):
  options = xla_client.CompileOptions.ParseFromString(b"")
  options.num_replicas, options.num_partitions = 1, PARTITIONS
  options.env_option_overrides = OPTIONS
  return options


def stablehlo(text):
  """HLO text to StableHLO, wherever this jaxlib keeps the converter; and the library that converts it back."""
  try:
    from jaxlib import _hlo as hlo
    from jax._src.lib import _jax as lib
  except ImportError:
    from jax._src.lib import xla_client
    hlo = lib = xla_client._xla
  proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
  if hasattr(lib.mlir, "hlo_to_stablehlo"):
    return lib.mlir.hlo_to_stablehlo(proto), lib
  return lib.mlir.xla_computation_to_mlir_module(hlo.XlaComputation(proto)), lib


def operations(text):
  """Counts the operations of HLO text by opcode and shapes (of the result and the operands), the shardings of each
  opcode, and tuples of the entry: those among its parameters, and results with a tuple inside."""
  found, shapes, entry = collections.Counter(), {}, False
  for line in text.split("\n"):
    if re.match(r"(ENTRY )?%?[\w.-]+ .*\{$", line):
      shapes, entry = {}, line.startswith("ENTRY ")
    parts = re.match(r" +(ROOT )?%?([\w.-]+) = (.*?) ([a-z][\w-]*)\((.*)", line)
    if not parts:
      continue
    root, name, shape, opcode, rest = parts.groups()
    shapes[name] = shape = re.sub(r"\{.*?\}|/\*.*?\*/", "", shape)
    operands = re.findall(r"[\w.-]+", re.split(r"\)(?:,|$)", rest)[0])
    if opcode not in ("parameter", "constant", "tuple", "get-tuple-element", "copy", "call"):
      found[(opcode, shape, *(shapes[o] for o in operands if o in shapes))] += 1
      found["the sharding of " + opcode, ""] += ", sharding={" in rest
    found["the tuple of a parameter", shape] += entry and opcode == "parameter" and shape[0] == "("
    found["the tuple in a result", shape] += entry and bool(root and re.match(r"\(.*\(", shape))
  return found


def replaced(lib, program):
  """Names what StableHLO lacks, what the conversion to StableHLO and back does not keep, and what JAX does not read."""
  try:
    back = lib.mlir.mlir_module_to_xla_computation(program, use_tuple_args=False, return_tuple=False).as_hlo_text()
  except Exception:
    return ["the module"]
  from jax._src.interpreters import mlir
  from jax._src.lib.mlir import ir
  with mlir.make_ir_context() as context:
    own = set(re.findall(r'= "?mhlo\.(\w+)', str(ir.Module.parse(program, context))))
  own |= {key[0] for key in operations(MODULE) - operations(back)}
  return sorted(own) + ["the run-time sizes of results"] * bool(re.search(r"^ENTRY .*->.*<=", MODULE, re.M))


def tiles(xla_client, sharding, rank):
  """Tiles along each dimension, and the index of each device's tile."""
  counts, at = [1] * rank, [(0,) * rank] * PARTITIONS
  known = sharding and xla_client.HloSharding.from_proto(sharding)
  if not rank or not known or known.is_replicated() or not known.tile_assignment_dimensions():
    return counts, at
  import numpy as np
  dims = list(known.tile_assignment_dimensions())
  for device, index in zip(known.tile_assignment_devices(), np.ndindex(*dims)):
    at[device] = index[:rank]
  return dims[:rank], at


def run_partitioned(jax, client, program, arguments):
  """Arguments are cut into tiles, whose padding is filled with bytes 0x4d; results are put together."""
  import numpy as np
  from jax._src.lib import xla_client
  from jax.sharding import Mesh, NamedSharding, PartitionSpec
  devices = client.local_devices()[:PARTITIONS]
  options = compile_options(xla_client)
  build = options.executable_build_options
  build.num_replicas, build.num_partitions, build.use_spmd_partitioning = 1, PARTITIONS, True
  build.use_shardy_partitioner = PARTITIONER == "shardy"
  numbers = np.arange(PARTITIONS, dtype=np.int32).reshape(1, -1)
  options.device_assignment = xla_client.DeviceAssignment.create(numbers)
  loaded = client.compile_and_load(program, xla_client.DeviceList(tuple(devices)), options)
  mesh, given = Mesh(np.array(devices), ("d",)), []

  def common(index, tile, whole):
    begins = [min(i * t, w) for i, t, w in zip(index, tile, whole)]
    ends = [min(b + t, w) for b, t, w in zip(begins, tile, whole)]
    return (tuple(slice(b, e) for b, e in zip(begins, ends)),
            tuple(slice(0, e - b) for b, e in zip(begins, ends)))

  for a, sharding in zip(arguments, loaded.get_parameter_shardings() or [None] * len(arguments)):
    counts, at = tiles(xla_client, sharding, a.ndim)
    tile = [-(-w // c) for w, c in zip(a.shape, counts)]
    parts = []
    for index in at:
      part = np.frombuffer(b"\x4d" * (int(np.prod(tile)) * a.itemsize), np.uint8).view(a.dtype).reshape(tile).copy()
      inside, within = common(index, tile, a.shape)
      part[within] = a[inside]
      parts.append(part)
    spread = NamedSharding(mesh, PartitionSpec("d") if a.ndim else PartitionSpec())
    given.append(jax.device_put(np.concatenate(parts) if a.ndim else a, spread))
  results = loaded.execute_sharded(given).disassemble_into_single_device_arrays()
  outputs = []
  for whole, parts, sharding in zip(OUTPUTS, results, loaded.get_output_shardings() or [None] * len(OUTPUTS)):
    _, at = tiles(xla_client, sharding, len(whole))
    output = np.zeros(whole, parts[0].dtype)
    for index, part in reversed(list(zip(at, parts))):
      inside, within = common(index, part.shape, whole)
      output[inside] = np.asarray(part)[within]
    outputs.append(output)
  return outputs


def run(plugin):
  """Prints two lines of JSON: the engine; the outputs' bytes and the failing element as a number."""
  if PARTITIONS > 1:
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={PARTITIONS}"
  import jax
  import ml_dtypes  # comes with jax
  import numpy as np
  from jax._src.lib import xla_client
  jax.config.update("jax_enable_x64", True)  # or device_put makes 32 bits of 64
  platform = "cpu"
  if plugin:
    from jax._src import xla_bridge
    xla_bridge.register_plugin("plugin", library_path=plugin)
    platform = "plugin"
  client = jax.devices(platform)[0].client
  devices = client.local_devices()[:1]
  program, lib = stablehlo(MODULE)
  name = f"{client.platform}, {' '.join(client.platform_version.split())}"
  print(json.dumps({"engine": f"{name}; {plugin or 'jaxlib ' + jax.lib.__version__}",
                    "replaced": replaced(lib, program)}), flush=True)
  arguments = [np.frombuffer(bytes.fromhex(data), dtype=np.dtype(getattr(ml_dtypes, kind, None) or kind)).reshape(dims)
               for kind, dims, data in ARGUMENTS]
  outputs = None
  try:
    if PARTITIONS > 1:
      outputs = run_partitioned(jax, client, program, arguments)
    elif hasattr(client, "compile_and_load"):
      loaded = client.compile_and_load(program, xla_client.DeviceList(tuple(devices)), compile_options(xla_client))
    else:
      loaded = client.compile(program, compile_options(xla_client))
  except Exception as error:
    print(json.dumps({"refused": str(error)}))
    return
  outputs = outputs or [np.asarray(o) for o in loaded.execute([jax.device_put(a, devices[0]) for a in arguments])]
  answer = {"outputs": [str(o) for o in outputs]}
  if EXPECTED:
    answer["values"] = [[repr(float(element)) for element in o.reshape(-1) if o.dtype.kind != "c"] for o in outputs]
  if ELEMENT is not None:
    element = outputs[ELEMENT["output"]].reshape(-1)[ELEMENT["number"]]
    answer["bits"] = "0x" + element.tobytes()[::-1].hex()
    try:
      answer["value"] = repr(int(element) if element.dtype.kind in "iub" else float(element))
    except TypeError:
      pass  # complex
  print(json.dumps(answer))


def allowed(value, by):
  if math.isnan(value):
    return by["nan"]
  if value == 0:
    return math.copysign(1, value) in by["zeros"]
  return any(low <= value <= high for low, high in by["intervals"])


def wrong_values(answer):
  """Names the first value that HLO does not allow, although the found failure had none."""
  for number, (values, sets) in enumerate(zip(answer.get("values", []), EXPECTED or [])):
    for at, (value, by) in enumerate(zip(values, sets)):
      if by and not allowed(float(value), by):
        return f"the engine returns a wrong value instead: {value} at element {at} of output {number}"
  return ""


def judge(answer):
  """True if it is wrong, and what happened in words."""
  wrong = wrong_values(answer)
  if wrong:
    return True, wrong
  if VERDICT == "rejected":
    return "refused" in answer, answer.get("refused", "the module is accepted")
  if VERDICT == "accepted":
    return "refused" not in answer, answer.get("refused", "the module is accepted")
  if "refused" in answer:
    return None, "the module is rejected: " + answer["refused"]
  if ELEMENT is None:
    return None, "returned " + "; ".join(answer["outputs"])
  got = answer.get("value", answer["bits"])
  if ALLOWED is None or "value" not in answer:
    return answer["bits"] == ELEMENT["bits"], f"got {got} ({answer['bits']}); {WORDS}"
  number = int if got.lstrip("-").isdigit() else float
  return not allowed(number(got), ALLOWED), f"got {got} ({answer['bits']}); {WORDS}"


def run_apart(plugin):
  """Runs the module in a process of its own; returns status (None: no answer), lines and errors."""
  command = [sys.executable, __file__, "--run", *([plugin] if plugin else [])]
  with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
    try:
      out, errors = child.communicate(timeout=120)
      status = child.returncode
    except subprocess.TimeoutExpired:
      child.kill()
      out, errors = child.communicate()
      status = None
  return status, [json.loads(line) for line in out.split("\n") if line.startswith("{")], errors


def main():
  if sys.argv[1:2] == ["--run"]:
    return run(sys.argv[2] if len(sys.argv) > 2 else "")
  plugin = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PJRT_PLUGIN", "") if NEEDS_PLUGIN else ""
  if NEEDS_PLUGIN and not plugin:
    print("usage: python repro_jax.py PLUGIN.so   (or set PJRT_PLUGIN): the failing engine is a plugin", file=sys.stderr)
    return 2
  if plugin and not os.path.isfile(plugin):
    print(f"{plugin}: no such file", file=sys.stderr)
    return 2
  for _ in range(RUNS):
    status = run_once(plugin and os.path.abspath(plugin))
    if status == 1:
      break
  return status


def run_once(plugin):
  status, lines, errors = run_apart(plugin)
  if not lines:
    sys.stderr.write(errors)
    print(f"no engine ran: {plugin or 'jaxlib'} did not start, JAX_PLATFORMS excludes it, or JAX cannot convert the module")
    return 2
  if lines[0]["engine"] not in ENGINES:
    print("engine: " + lines[0]["engine"])
  ENGINES.add(lines[0]["engine"])
  if status is None:
    wrong, words = VERDICT == "timeout" or None, "no answer within 120 s"
  elif status < 0:
    wrong, words = VERDICT == "crash" or None, f"the process was killed by signal {-status}"
  elif status != 0:
    sys.stderr.write(errors)
    return 2
  else:
    wrong, words = judge(lines[-1])
    if VERDICT in ("crash", "timeout") and wrong is None:
      wrong = False
  if COPIES > 1 and not (wrong and VERDICT == "crash"):
    print(f"cannot tell: {words}; the failure is that of {COPIES} devices, and this script ran one; see `hlocts replay`")
    return 2
  names = ", ".join(lines[0]["replaced"])
  if not wrong and names:
    print(f"cannot tell: {words}; the way through StableHLO and JAX may change {names}; "
          "`hlocts replay` gives the engine the HLO module itself")
    return 2
  print(("REPRODUCED: " if wrong else "not reproduced: ") + words)
  return 2 if wrong is None else int(wrong)


if __name__ == "__main__":
  sys.exit(main())
)py";

// Returns the name of an element type in numpy or ml_dtypes.
std::string DtypeName(PrimitiveType type) {
  struct Name {
    PrimitiveType type;
    const char* name;
  };
  static constexpr Name kNames[] = {
      {PrimitiveType::kPred, "bool"},
      {PrimitiveType::kBF16, "bfloat16"},
      {PrimitiveType::kF16, "float16"},
      {PrimitiveType::kF32, "float32"},
      {PrimitiveType::kF64, "float64"},
      {PrimitiveType::kC64, "complex64"},
      {PrimitiveType::kC128, "complex128"},
      {PrimitiveType::kF8E5M2, "float8_e5m2"},
      {PrimitiveType::kF8E4M3, "float8_e4m3"},
      {PrimitiveType::kF8E4M3FN, "float8_e4m3fn"},
      {PrimitiveType::kF8E3M4, "float8_e3m4"},
      {PrimitiveType::kF8E4M3B11FNUZ, "float8_e4m3b11fnuz"},
      {PrimitiveType::kF8E4M3FNUZ, "float8_e4m3fnuz"},
      {PrimitiveType::kF8E5M2FNUZ, "float8_e5m2fnuz"},
      {PrimitiveType::kF8E8M0FNU, "float8_e8m0fnu"},
      {PrimitiveType::kF4E2M1FN, "float4_e2m1fn"},
  };
  for (const Name& row : kNames) {
    if (row.type == type) return row.name;
  }
  return absl::StrCat(IsUnsigned(type) ? "uint" : "int", BitWidth(type));
}

std::string PythonArguments(const Bundle& bundle) {
  std::string text;
  for (const Literal& literal : bundle.sample.arguments) {
    std::string bytes;
    for (size_t i = 0; i < literal.raw_size(); ++i)
      absl::StrAppend(&bytes, absl::Hex(literal.raw_data()[i], absl::kZeroPad2));
    absl::StrAppend(&text, "    (\"", DtypeName(literal.element_type()), "\", [",
                    absl::StrJoin(literal.shape().dimensions(), ", "), "], \"", bytes, "\"),\n");
  }
  return text;
}

std::string PythonText(absl::string_view text) {
  return absl::StrCat("\"", absl::CEscape(text), "\"");
}

std::string PythonFloat(double value) {
  if (std::isinf(value)) return value > 0 ? "math.inf" : "-math.inf";
  return absl::StrFormat("%.17g", value);
}

// Returns {"intervals": [...], "nan": ..., "zeros": [...]}, or None.
std::string PythonSet(const AcceptanceSet& set) {
  std::vector<std::string> intervals, zeros;
  auto add = [&](double low, double high) {
    intervals.push_back(absl::StrCat("(", PythonFloat(low), ", ", PythonFloat(high), ")"));
  };
  if (set.unspecified()) return "None";
  const bool nan = set.Has(AcceptanceSet::kNan) || set.Has(AcceptanceSet::kBitsKnown);
  if (set.integer()) {
    add(static_cast<double>(set.ilo), static_cast<double>(set.ihi));
    if (set.ilo <= 0 && set.ihi >= 0) zeros = {"1.0"};
  } else {
    if (set.finite()) add(set.lo, set.hi);
    if (set.Has(AcceptanceSet::kPosInf)) add(HUGE_VAL, HUGE_VAL);
    if (set.Has(AcceptanceSet::kNegInf)) add(-HUGE_VAL, -HUGE_VAL);
    if (set.Has(AcceptanceSet::kPosZero)) zeros.push_back("1.0");
    if (set.Has(AcceptanceSet::kNegZero)) zeros.push_back("-1.0");
  }
  return absl::StrCat("{\"intervals\": [", absl::StrJoin(intervals, ", "),
                      "], \"nan\": ", nan ? "True" : "False", ", \"zeros\": [",
                      absl::StrJoin(zeros, ", "), "]}");
}

// Returns the compiler options as pairs of a name and a bool, number or text.
std::string PythonOptions(const std::string& backend) {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : backends::CompileOptionsOf(backend)) {
    double number = 0;
    const std::string text = value == "true"                    ? "True"
                             : value == "false"                 ? "False"
                             : absl::SimpleAtod(value, &number) ? value
                                                                : PythonText(value);
    pairs.push_back(absl::StrCat("(", PythonText(name), ", ", text, ")"));
  }
  return absl::StrJoin(pairs, ", ");
}

std::string PythonShapes(const Module& module) {
  std::vector<std::string> shapes;
  for (const Shape& shape : backends::OutputLeafShapes(module))
    shapes.push_back(absl::StrCat("[", absl::StrJoin(shape.dimensions(), ", "), "]"));
  return absl::StrJoin(shapes, ", ");
}

// Returns the position and the acceptance set of the failing element as Python code.
std::pair<std::string, std::string> PythonElement(const Bundle& bundle) {
  const auto& failure = bundle.result.verdict.first_failure;
  if (!failure || bundle.result.verdict.localisation.in_piece) return {"None", "None"};
  const std::vector<Shape> leaves = backends::OutputLeafShapes(*bundle.sample.module);
  if (failure->output >= static_cast<int64_t>(leaves.size())) return {"None", "None"};
  const Shape& shape = leaves[failure->output];
  if (shape.rank() != static_cast<int64_t>(failure->index.size())) return {"None", "None"};
  const int64_t number = LinearIndex(failure->index, RowMajorStrides(shape.dimensions()));
  std::string element = absl::StrCat("{\"output\": ", failure->output, ", \"number\": ", number,
                                     ", \"bits\": \"", failure->actual_bits, "\"}");
  auto accepted = AcceptanceFromJsonl(bundle.expected);
  std::string set = "None";
  if (accepted.ok() && failure->output < static_cast<int64_t>(accepted->leaves.size())) {
    const SetArray& array = accepted->leaves[failure->output].set;
    bool plain =
        array.components() == 1 && array.joint == nullptr && number < array.element_count();
    if (plain) set = PythonSet(array.At(number));
  }
  return {element, set};
}

// Returns the acceptance sets of all elements as Python code, for a failure without values.
std::string PythonSets(const Bundle& bundle) {
  const auto accepted = AcceptanceFromJsonl(bundle.expected);
  const bool one_copy =
      bundle.sample.module->replica_count == 1 &&
      (bundle.sample.module->num_partitions == 1 || IsSharded(*bundle.sample.module));
  if (bundle.result.verdict.kind == Outcome::kFail || !accepted.ok() || !one_copy) return "None";
  std::vector<std::string> outputs;
  for (const LeafAcceptance& leaf : accepted->leaves) {
    std::vector<std::string> sets;
    const bool plain = leaf.set.components() == 1 && leaf.set.joint == nullptr &&
                       leaf.set.element_count() <= kExpectedWithoutValuesMax;
    for (int64_t i = 0; plain && i < leaf.set.element_count(); ++i)
      sets.push_back(PythonSet(leaf.set.At(i)));
    outputs.push_back(absl::StrCat("[", absl::StrJoin(sets, ",\n     "), "]"));
  }
  return absl::StrCat("[\n    ", absl::StrJoin(outputs, ",\n    "), "]");
}

}  // namespace

std::string BundleJaxScript(const Bundle& bundle) {
  const reports::Verdict& verdict = bundle.result.verdict;
  const Module& module = *bundle.sample.module;
  const bool sharded = IsSharded(module);
  auto [element, allowed] = PythonElement(bundle);
  std::string words = verdict.first_failure
                          ? absl::StrCat("HLO allows ", verdict.first_failure->accepted)
                          : std::string(OutcomeName(verdict.kind));
  const bool plugin = IsPluginFile(bundle.backend);
  const auto [failed, runs] = RecordedRunsOf(verdict);
  return absl::StrReplaceAll(
      kJaxScript,
      {{"$SIGNATURE", absl::StrReplaceAll(bundle.signature, {{"\n", " "}})},
       {"$ENGINE", absl::StrCat(bundle.backend, plugin ? ", a PJRT plugin" : "")},
       {"$JAX", bundle.jax},
       {"$PLACE", plugin ? "the plugin that you name: the argument, or the variable PJRT_PLUGIN"
                         : "the installed jaxlib's XLA:CPU, or on a PJRT plugin"},
       {"$USAGE", plugin ? "PLUGIN.so" : "[PLUGIN.so]"},
       {"$NEEDS_PLUGIN", plugin ? "True" : "False"},
       {"$MODULE", PrintModule(module)},
       {"$ARGUMENTS", PythonArguments(bundle)},
       {"$VERDICT", std::string(OutcomeName(verdict.kind))},
       {"$RUNS", absl::StrCat(reports::RunsUntilSeen(failed, runs))},
       {"$ELEMENT", element},
       {"$ALLOWED", allowed},
       {"$WORDS", words},
       {"$EXPECTED", PythonSets(bundle)},
       {"$PARTITIONS", absl::StrCat(sharded ? module.num_partitions : 1)},
       {"$COPIES", absl::StrCat(module.replica_count * (sharded ? 1 : module.num_partitions))},
       {"$PARTITIONER", absl::StrContains(bundle.backend, "=shardy") ? "shardy" : "gspmd"},
       {"$OUTPUTS", PythonShapes(module)},
       {"$OPTIONS", PythonOptions(bundle.backend)}});
}

}  // namespace hlocts::fuzz
