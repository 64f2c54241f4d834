#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests a built site: every link has a target, the search finds pages, and pages fit on a phone.

  docs/site_test.py [--build=PROGRAM] DIR

DIR is the --out of docs/build; with --build=PROGRAM, the site is built first. Exit status 77
(skipped) if MkDocs, Chromium, its driver or selenium is missing.
"""

import argparse
import html.parser
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None

SKIPPED = 77
PHONE, DESK = (375, 740), (1280, 900)
PAGES = ["index.html", "how-it-judges.html", "operations/pad.html", "rulings/index.html",
         "findings/index.html"]  # fmt: skip


class Page(html.parser.HTMLParser):
    """Collects the ids of a page and the references in it."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name in ("href", "src") and value and tag in ("a", "link", "script", "img"):
                self.links.add(value)


def broken_links(site: pathlib.Path) -> list[str]:
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                # A page may link to another site, but must not load anything from it (browser).
                continue
            name = urllib.parse.unquote(parts.path)
            target = (path.parent / name).resolve() if name else path
            target = target / "index.html" if target.is_dir() else target
            fragment = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                broken.append(f"{path.name}: {link}")
            elif fragment and target in pages and fragment not in pages[target].ids:
                broken.append(f"{path.name}: {link} (no such anchor)")
    return broken


def browser() -> "webdriver.Chrome":
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--allow-file-access-from-files"):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def wrong_pages(site: pathlib.Path) -> list[str]:
    operations = (site / "operations" / "elementwise_unary.html").read_text()
    finding = (site / "findings" / "xla-log-of-rsqrt.html").read_text()
    parts = ((operations, "tanh: elementwise_unary."), (operations, "f32 7, f16 1, bf16 1"),
             (operations, 'href="pad.html"'), (finding, "<th>fact</th>"))  # fmt: skip
    return [f"no page has {text}" for page, text in parts if text not in page]


def seen_in_a_browser(driver: "webdriver.Chrome", site: pathlib.Path) -> list[str]:
    wrong = []
    for size in (DESK, PHONE):
        driver.set_window_size(*size)
        for page in PAGES:
            driver.get((site / page).as_uri())
            wide = driver.execute_script(
                "return document.documentElement.scrollWidth - window.innerWidth")
            if wide > 0:
                wrong.append(f"{page} is {wide} pixels wider than a window of {size[0]}")
    driver.set_window_size(*DESK)
    driver.get((site / "index.html").as_uri())
    if driver.execute_script("const tabs = document.querySelector('.md-tabs__list');"
                             "return tabs.scrollWidth > tabs.clientWidth"):  # fmt: skip
        wrong.append("the tabs are cut")
    driver.find_element(By.CSS_SELECTOR, "label.md-search__icon, input.md-search__input").click()
    driver.find_element(By.CSS_SELECTOR, "input.md-search__input").send_keys("leading zeros")
    found = WebDriverWait(driver, 30).until(
        lambda d: d.find_elements(By.CSS_SELECTOR, ".md-search-result__item a"))
    if not any("zeros" in link.get_attribute("href") or "zeros" in link.text for link in found):
        wrong.append("the search for 'leading zeros' finds no page that has them")
    wrong += [f"console: {line['message']}" for line in driver.get_log("browser")
              if line["level"] == "SEVERE"]  # fmt: skip
    requests = [line["message"] for line in driver.get_log("performance")
                if '"Network.requestWillBeSent"' in line["message"]
                and '"url":"http' in line["message"]]  # fmt: skip
    wrong += [f"a page uses the network: {line[:300]}" for line in requests]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--build", type=pathlib.Path, metavar="PROGRAM")
    parser.add_argument("dir", type=pathlib.Path)
    options = parser.parse_args()
    if options.build:
        if importlib.util.find_spec("material") is None:
            print("site_test: MkDocs is missing (pip install -r docs/requirements.txt)")
            return SKIPPED
        builder = pathlib.Path(__file__).resolve().parent / "build"
        subprocess.run([sys.executable, builder, f"--out={options.dir}",
                        f"--hlocts={options.build}"], check=True)  # fmt: skip
    site = options.dir.resolve() / "site"
    wrong = broken_links(site) + wrong_pages(site)
    if webdriver is None or not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("\n".join(wrong) or "site_test: Chromium, its driver or selenium is missing: only "
              "links were checked")  # fmt: skip
        return 1 if wrong else SKIPPED
    driver = browser()
    try:
        wrong += seen_in_a_browser(driver, site)
    finally:
        driver.quit()
    pages = len(list(site.rglob("*.html")))
    print("\n".join(wrong) or f"site: {pages} pages, all links have targets")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
