# SPDX-License-Identifier: Apache-2.0
"""Makes the installed tree of a release's wheel and tarball: bin, lib/hlocts, share/hlocts.

stage() makes the tree from a Ninja build, with the notices and the SBOM (CycloneDX 1.5) of the
libraries that the build used. Ninja lists their archives and headers, and lib/hlocts has the shared
libraries. Debian's package lists name the packages, and ci/third_party.txt their licences.
"""

import hashlib
import importlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
VERSION = (ROOT / "VERSION").read_text().strip()
LISTS = pathlib.Path("/var/lib/dpkg/info")
NOTICES, SBOM = "THIRD_PARTY_NOTICES.txt", f"hlocts-{VERSION}.cdx.json"  # in share/hlocts
# Omits packages of the system itself: the compiler, the C library and the kernel.
_SYSTEM = re.compile(r"glibc|linux|gcc-\d+|gcc-defaults|llvm-toolchain-\d+|libxcrypt")


def _output(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`{' '.join(map(str, command[:6]))}` failed: {done.stderr.strip()}")
    return done.stdout


def stage(build, folder):
    """Installs `build`, and the plugins of build/engines if they are built, into `folder`."""
    build, folder = pathlib.Path(build), pathlib.Path(folder)
    for part in (build, build / "engines"):
        if (part / "cmake_install.cmake").is_file():
            _output("cmake", "--install", part, f"--prefix={folder}", "--strip",
                    "--component", "Unspecified")  # fmt: skip
    _without_links(folder)
    share = folder / "share" / "hlocts"
    sys.path[:0] = [str(ROOT / path) for path in ("docs", "python/src", "tools/certify")]
    importlib.import_module("site_pages.pictures").make(None, share / "docs/pages")
    _list_findings(share)
    for page in pages_of(share):
        page.write_text(installed_page(page.read_text(), page.parent, share))
    if LISTS.is_dir():
        _describe(components_of(build, folder), folder)


def lacking(words, folder, share):
    """Returns True if a page in `folder` names a file of the source tree that `share` lacks."""
    names = re.findall(r"(?<![\w./<-])(?!build|out/)(?:[\w.-]+/)+(?:[\w.-]*\w)?", words)
    trees = ((ROOT, share), (ROOT / folder.relative_to(share), folder))
    return any((source / name).exists() and not any((tree / name).exists() for _, tree in trees)
               for name in names for source, _ in trees)


def pages_of(share):
    """Returns the pages to change by installed_page. Omits those that claims hash."""
    hashed = (share / "suites/cases", share / "spec/clauses")
    return [page for page in share.rglob("*.md") if not set(hashed) & set(page.parents)]


def _list_findings(share):
    """Appends the list of the findings, with links to their directories, to their page."""
    pages = importlib.import_module("pages")
    folders = sorted(path.parent for path in (ROOT / "results/findings").glob("*/finding.textproto"))
    text = pages.lists_of(pages.findings_of(folders))
    text = re.sub(r"^\| `([\w.-]+)` \|", r"| [\1](../../../results/findings/\1) |", text, flags=re.M)
    with (share / "docs/pages/findings/index.md").open("a") as page:
        page.write("\n" + text)


_SPAN = r"(`+)(?!`)(?:[^\n]|\n(?!\n))+?(?<!`)\1(?!`)"  # a code span; it may contain a line break
_LINK = r"(?<!!)\[([^][]+)\]\(([^)#:\s]+(?:#[^)\s]*)?)\)"


def installed_page(text, folder, share, prefix=""):
    """Returns a page for readers without a checkout. The program has its installed name. Links to
    files in `folder` get `prefix`; other links are replaced by their text. Marks code spans and
    commands that name a file which `share` lacks."""

    spans = []  # replaced by \0NUMBER\0 while links are rewritten: a link in a span is text

    def hide(found):
        spans.append(found[0])
        return f"\0{len(spans) - 1}\0"

    def shown(text, mark=lambda span: ""):
        return re.sub("\0(\\d+)\0", lambda found: (span := spans[int(found[1])]) + mark(span), text)

    def link(found):
        words, target = shown(found[1]), found[2]
        if (folder / target.partition("#")[0]).exists():
            return f"[{words}]({prefix}{target})"
        return f"{words} (source tree)" if words.strip("`") == target or lacking(words, *trees) else words

    for word, name in (("build/hlocts", "hlocts"), ("ci/nightly", f"{prefix}ci/nightly")):
        text = text.replace(word, name)
    # Does not change a line that names a checkout, since it is for users with a checkout.
    text = re.sub(r"(?<!checkout: )(?<!checkout `)pip install \./python", "pip install hlocts-*.whl", text)
    trees, parts = (folder, share), re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for number, part in enumerate(parts):
        if number % 2 == 0:
            part = re.sub(_LINK, link, re.sub(_SPAN, hide, part))
            parts[number] = shown(part, lambda span: " (source tree)" * lacking(span, *trees))
        else:
            parts[number] = "\n".join(
                line + ("" if " #" in line else "  #") + " (source tree)" if lacking(line, *trees) else line
                for line in part.split("\n"))
    return "".join(parts)


def _without_links(folder):
    """Replaces links by files: a library's short name is a link, and wheels cannot contain links."""
    for link in [path for path in folder.rglob("*") if path.is_symlink()]:
        target = link.resolve()
        link.unlink()
        if target.exists():  # two names of one file: the first name gets it
            target.rename(link)


def elf_files(folder):
    return [path for part in ("bin", "lib") for path in sorted((folder / part).rglob("*"))
            if path.is_file() and path.read_bytes().startswith(b"\x7fELF")]


def symbol_version(folder, prefix="GLIBC_"):
    """Returns the newest symbol version that a program or library of the tree needs: (2, 35)."""
    needed = "".join(_output("objdump", "-T", path) for path in elf_files(folder))
    return max(tuple(map(int, version.split(".")))
               for version in re.findall(rf"\({prefix}([\d.]+)\)", needed))


def platform_tag(folder):
    """Returns a wheel's platform tag, with the oldest glibc that has all required symbols."""
    if os.confstr("CS_GNU_LIBC_VERSION").split()[0] != "glibc":
        raise RuntimeError("a wheel with the program needs glibc")
    return "manylinux_{}_{}_{}".format(*symbol_version(folder), platform.machine())


def _files_used(build, targets):
    """Returns the archives, headers and texts that the targets need from outside tree and build."""
    made_of = _output("ninja", "-C", build, "-t", "inputs", *targets).splitlines()
    objects = [name for name in made_of if name.endswith((".o", ".gch", ".pch"))]
    headers = re.findall(r"^ +(\S+)", _output("ninja", "-C", build, "-t", "deps", *objects), re.M)
    return {name for name in made_of + headers
            if name.startswith("/usr/") and not re.search(r"\.so(\.[\d.]+)?$", name)}


def components_of(build, folder):
    """Returns [{source, package, version, shared, licence, url}] by source package of Debian."""
    targets = [(build, ["hlocts", *(f"libhlocts_{name}.so" for name in ("check", "reference", "spec"))])]
    if (build / "engines" / "build.ninja").is_file():
        targets.append((build / "engines", ["libhlocts_cpu.so", "libhlocts_cuda.so"]))
    used = set().union(*(_files_used(*each) for each in targets))
    used |= {os.path.realpath(name) for name in used}
    shared = {path.name: path for path in elf_files(folder) if not _is_own(path)}
    owners = {}
    for listing in LISTS.glob("*.list"):
        lines = listing.read_text(errors="replace").splitlines()
        beside = sorted({name for name in (line.rpartition("/")[2] for line in lines) if name in shared})
        if beside or not used.isdisjoint(lines):
            owners[listing.stem.partition(":")[0]] = beside
    rows = dict(line.split("\t", 1) for line in (ROOT / "ci/third_party.txt").read_text().splitlines()
                if line and line[0] != "#")
    found = {}
    for package, beside in sorted(owners.items()):
        source, version = _output("dpkg-query", "-W", "-f", "${source:Package} ${Version}\n",
                                  package).splitlines()[0].split()
        if _SYSTEM.fullmatch(source):
            continue
        if source not in rows:
            raise RuntimeError(f"ci/third_party.txt has no row for {source} (package {package})")
        licence, url = rows[source].split("\t")
        one = found.setdefault(source, {"source": source, "package": package, "version": version,
                                        "shared": {}, "licence": licence, "url": url})
        one["shared"] |= {name: shared.pop(name) for name in beside if name in shared}
    if shared:
        raise RuntimeError(f"no package of Debian has {', '.join(sorted(shared))}")
    return list(found.values())


def _is_own(path):
    return path.name.startswith(("libhlocts_", "hlocts"))


def _file_of(path, folder):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "file", "name": str(path.relative_to(folder)),
            "hashes": [{"alg": "SHA-256", "content": digest}]}


def _describe(components, folder):
    """Writes the SBOM and the notices."""
    share = folder / "share" / "hlocts"
    listed = [{
        "type": "library", "bom-ref": one["source"], "name": one["source"], "version": one["version"],
        "licenses": [{"expression": one["licence"]}],
        "purl": f"pkg:deb/debian/{one['source']}@{one['version'].replace('+', '%2B')}?arch=source",
        "externalReferences": [{"type": "website", "url": one["url"]}],
        "properties": [{"name": "hlocts:linkage",
                        "value": "shared library" if one["shared"] else "compiled in"}],
        "components": [_file_of(path, folder) for _, path in sorted(one["shared"].items())],
    } for one in components]
    own = {"type": "application", "bom-ref": "hlocts", "name": "hlocts", "version": VERSION,
           "licenses": [{"expression": "Apache-2.0"}],
           "components": [_file_of(path, folder) for path in elf_files(folder) if _is_own(path)]}
    (share / SBOM).write_text(json.dumps(
        {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
         "metadata": {"component": own}, "components": listed,
         "dependencies": [{"ref": "hlocts", "dependsOn": [one["source"] for one in components]}]},
        indent=1) + "\n")  # fmt: skip
    texts, common = [], set()
    for one in components:
        notice = pathlib.Path("/usr/share/doc", one["package"], "copyright").read_text(errors="replace")
        common |= set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", notice))
        how = ", ".join(sorted(one["shared"])) or "compiled in"
        texts.append(f"{one['source']} {one['version']}: {one['licence']}\n{one['url']}\n{how}\n\n{notice}")
    for path in [pathlib.Path("/usr/share/common-licenses", name) for name in sorted(common)]:
        if path.is_file():
            texts.append(f"{path.name}\n\n{path.read_text(errors='replace')}")
    intro = ("Libraries distributed with hlocts, each with its licence. A shared library of "
             "lib/hlocts may be replaced\nby another build of it; the source of each is Debian's "
             "source package of that name and version.\n")  # fmt: skip
    line = "\n" + "=" * 98 + "\n"
    (share / NOTICES).write_text(line.join([intro, *texts]))
