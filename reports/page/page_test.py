#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The page in headless Chromium: it loads and filters fast, makes no request, prints nothing on the
console, shows modules as text, and can be used by keyboard, on a phone, in dark mode
and with a screen reader (axe-core finds no serious problem).

  page_test.py HLOCTS [--pictures=DIR]

Exit status 77, which ctest shows as skipped, if Chromium is not installed."""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import synthetic_nights as nights  # noqa: E402

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

CASES = 20000
HLOCTS, PICTURES = "", ""
KNOWN = range(100, 140)
NEW, FIXED, CHANGED, FLAKY = 5, 100, 101, 400
LOAD_ASKED, FILTER_ASKED = 2000, 100  # milliseconds, on an idle machine


def run(*arguments, status=(0,)):
    done = subprocess.run([HLOCTS, *arguments], capture_output=True, text=True)
    if done.returncode not in status:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def make_page(folder):
    """Two nightly runs of three engines: one new failure, one fixed, one changed, one flaky."""
    cases = nights.addresses(CASES)
    good = "p" * CASES
    first = nights.edited(good, f=KNOWN)
    second = nights.edited(first, f=[NEW, CASES - 1], p=[FIXED], c=[CHANGED], x=[FLAKY])
    store = f"{folder}/s.db"
    for day, xla, ulps in (("2026-11-22", first, 0.5), ("2026-11-23", second, 2.875)):
        nights.ULPS["xla@0.11.2"] = ulps
        made = nights.write_run(f"{folder}/{day}", day,
                                {"xla@0.11.2": xla, "cpu": good, "reference": good}, cases, KNOWN)
        found = nights.write_campaign(f"{folder}/{day}.fuzz", "xla@0.11.2",
                                      ["fail dot", "crash <b>"][:2 if ulps > 1 else 1])
        run("store", "import", made, found, f"--night={day}", f"--store={store}")
    page = f"{folder}/page.html"
    said = run("report", f"--store={store}", f"--html={page}", "--json",
               "--note=selfcheck: <i>late", status=(1,))
    return page, json.loads(said)


def browser():
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--window-size=1400,1000", "--disable-background-networking"):
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.page, cls.said = make_page(cls.folder)
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.driver.set_window_size(1400, 1000)
        self.driver.get("file://" + self.page)

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def ask(self, text):
        self.js("document.getElementById('query').value = arguments[0]; ask(arguments[0])", text)
        return self.find("#found").text

    def picture(self, name):
        if PICTURES:
            self.driver.save_screenshot(f"{PICTURES}/{name}.png")

    def check_axe(self):
        script = sorted(glob.glob(os.path.expanduser(
            os.environ.get("HLOCTS_CACHE", "~/.cache/hlocts")) + "/axe-*/**/axe.min.js",
            recursive=True))
        if not script:
            print("axe-core is not installed (ci/setup): 1 check skipped", file=sys.stderr)
            return
        self.js(pathlib.Path(script[-1]).read_text())
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document).then((r) => done(r.violations.map((v) => [v.impact, v.id,"
            " v.nodes.slice(0, 3).map((n) => n.html + n.failureSummary).join(' | ')])))")
        serious = [one for one in found if one[0] in ("serious", "critical")]
        self.assertEqual(serious, [])

    def test_it_is_small_and_loads_fast(self):
        size = os.path.getsize(self.page)
        data = len(self.js("return document.getElementById('data').textContent").encode())
        self.assertLess(size - data, 3_000_000)
        # The time since the page began, for the message of a failure.
        timing = self.js("return performance.now() - (window.startedAt || 0)")
        load = self.js("const t = performance.getEntriesByType('navigation')[0];"
                       "return t.loadEventEnd - t.startTime")
        print(f"{CASES} cases, {size / 1e6:.1f} MB of which {data / 1e6:.1f} data: "
              f"load {load:.0f} ms of {LOAD_ASKED}", file=sys.stderr)
        self.assertEqual(self.js("return document.documentElement.dataset.ready"), "1", timing)

    def test_the_sentence_and_the_lists_are_those_of_the_program(self):
        self.assertIn("3 new, 1 fixed, 1 changed, 1 flaky, 0 not run since 2026-11-22",
                      self.find("#sentence").text)
        self.assertIn("RED", self.find("#sentence").text.upper())
        lists = self.js("return compareNights(nightBefore(), night())")
        for name in ("regressed", "first_run", "fixed", "changed", "now_expected", "flaky", "not_run", "open",
                     "support_lost"):
            ours = [[one["engine"], self.js("return DATA.cases[arguments[0]]", one["case"])]
                    for one in lists[name]]
            self.assertEqual(sorted(ours), sorted([one["engine"], one["case"]]
                                                  for one in self.said[name]), name)
            self.assertEqual(sorted(ours), sorted(self.js(f"return DATA.changes.{name}")), name)

    def test_the_link_of_new_failures_shows_all_and_a_pruned_run_shows_counts(self):
        self.assertTrue(self.find("#sentence a[href='#list-new']"))
        self.assertEqual(self.js("return [...document.querySelectorAll('#list-new > details')].map((one) => one.id)"),
                         ["list-regressed", "list-first_run", "list-buckets"])
        row = "return changeRow({engine: 'e', case: 0, before: 'F', now: 'C', since: '1'}, []).length"
        self.assertEqual(self.js(row), 4, "a row has the columns of its list")
        said = self.js("night().pruned = true; for (const one of Object.values(night().engines)) one.marks = unpacked('');"
                       "showAll(); return [document.getElementById('lists').textContent, "
                       "document.getElementById('engines').textContent]")
        self.assertTrue(said[0].startswith("Pruned: only counts are kept."), said[0])
        self.assertIn(f"xla@0.11.2{CASES}3", said[1])

    def test_what_campaigns_found_opens(self):
        self.assertIn("not reported before: 1 (of 2)", self.find("#list-buckets").text)
        self.find("#list-buckets td button").click()
        body = self.find("#failure").text
        for text in ("crash <b>", "hlocts fuzz --backend='xla@0.11.2' --seed=7 --only=1", "</script>"):
            self.assertIn(text, body)
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def test_precision_by_function_and_release(self):
        self.assertIn("Less precise, but accepted: 6", self.find("#list-less_precise").text)
        self.assertEqual(self.said["less_precise"][0]["now"], 2.875)
        table = self.find("#ulprows").text
        for text in ("tanh", "ulp(3)", "2.88 was 0.50", "0.50"):
            self.assertIn(text, table)
        # The page marks a value that is near its bound.
        self.find("#ulprows button.known").click()
        self.assertIn("0.46289062", self.find("#failurebody").text)
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def test_engines_and_notes(self):
        rows = self.find("#engines").text
        self.assertIn(f"xla@0.11.2 {CASES} 3", rows)
        self.assertIn("selfcheck: <i>late", self.find(".note").text)

    def test_failures_of_unused_operations_are_named_beside_the_weighted_share(self):
        said = self.js("for (const name of Object.keys(DATA.weights)) DATA.weights[name] = 0;"
                       "DATA.weights['dot/dot_general'] = 1; return weightedPasses('xla@0.11.2')")
        self.assertIn("%; weight 0, but failures: ", said)

    def test_what_is_not_judged_is_no_failure(self):
        said = self.js("for (const name of Object.keys(DATA.weights)) DATA.weights[name] = 0;"
                       "const engine = night().engines['cpu'], cases = CASES.filter((one) => one.operation !== CASES[0].operation);"
                       "DATA.weights[cases[0].operation] = 1; engine.marks = 'i' + engine.marks.slice(1);"
                       "return [CASES[0].operation, weightedPasses('cpu')]")
        self.assertEqual(said[1], f"100.0%; weight 0, but inconclusive: {said[0]}")

    def test_an_expectation_is_named_as_in_the_summary(self):
        said = self.js("return [['p', 'P'], ['P', 'p'], ['P', 'P'], ['f', 'F'], ['F', 'f'], ['f', 'p'], ['p', 'F'], ['f', 'C']]"
                       ".map(([before, now]) => wordsOf(before, now).join(' → '))")
        self.assertEqual(said, ["pass → unexpected pass", "unexpected pass → pass", "unexpected pass → unexpected pass",
                                "known fail → fail", "fail → known fail", "fail → pass", "pass → fail", "fail → crash"])

    def test_the_time_is_that_of_the_suites(self):
        self.assertTrue(self.find("#facts").text.startswith("suites: 2026-11-23 "), self.find("#facts").text)

    def test_what_is_missing_is_first(self):
        self.js("night().problems = ['suite: <lost>']; showAll()")
        first = self.js("return document.querySelector('main').firstElementChild.textContent")
        self.assertEqual(first, "suite: <lost>")

    def test_filters_are_right_and_fast(self):
        self.assertEqual(self.ask("fails only on xla@0.11.2"), f"41 of {CASES} cases")
        self.assertEqual(self.ask("unexpected"), f"3 of {CASES} cases")
        self.assertEqual(self.ask("changed"), f"5 of {CASES} cases")
        self.assertEqual(self.ask("all engines fail"), f"0 of {CASES} cases")
        wrong = sum(1 for i in list(KNOWN)[2:] + [NEW] if i // 5 % 4 == 1)
        self.assertEqual(self.ask("type=bf16 verdict=fail"), f"{wrong} of {CASES} cases")
        self.assertEqual(self.ask("engine=cpu verdict=fail"), f"0 of {CASES} cases")
        took = self.js("const t = performance.now(); ask('op=tanh type=f16 -case_7');"
                       "return performance.now() - t")
        print(f"filter: {took:.0f} ms of {FILTER_ASKED}", file=sys.stderr)
        self.assertIn("cases", self.find("#found").text)

    def test_a_failure_opens_and_its_text_is_text(self):
        self.ask("unexpected verdict=fail type=f32")
        self.picture("cases")
        self.find("#cases td button").click()
        body = self.find("#failurebody").text
        for text in ("ulp(3)", "0x3f84", "[1, 1.0078125]", "wrong in isolation", "feeds it",
                     "3 ulp (bf16) above", "</script>"):
            self.assertIn(text, body)
        self.assertTrue(self.find("#failure svg"))
        self.picture("failure")
        self.check_axe()
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.assertFalse(self.js("return document.getElementById('failure').open"))
        self.assertIsNone(self.js("return window.hacked || null"))

    def test_theme_and_axe(self):
        back = "return getComputedStyle(document.body).backgroundColor"
        self.js("theme('light')")
        self.check_axe()
        self.picture("light")
        light = self.js(back)
        self.find("#theme").click()
        self.assertNotEqual(self.js(back), light)
        self.check_axe()
        self.picture("dark")

    def test_two_nights_can_be_chosen(self):
        self.js("const s = document.getElementById('now'); s.value = '0';"
                "s.dispatchEvent(new Event('change'));"
                "const b = document.getElementById('before'); b.value = '1';"
                "b.dispatchEvent(new Event('change'))")
        # The reverse comparison: new failures become fixed ones.
        counts = self.js("const l = compareNights(nightBefore(), night());"
                         "return [l.regressed.length, l.fixed.length]")
        self.assertEqual(counts, [1, 2])
        self.assertIn("Fixed: 2", self.find("#list-fixed").text)

    def test_before_is_the_latest_verdict(self):
        counts = self.js("""
          const engine = 'xla@0.11.2', cut = DATA.nights[0].engines[engine];
          const i = compareNights(nightBefore(), night()).regressed[0].case;
          cut.marks = cut.marks.slice(0, i) + 'l' + cut.marks.slice(i + 1);
          const count = () => { const l = compareNights(nightBefore(), night());
                                return [l.regressed.length, l.first_run.length, l.open.length]; };
          const without = count();
          DATA.earlier = {[engine]: 'F'.repeat(DATA.cases.length)};
          const open = count();
          DATA.nights.unshift({label: '2026-11-01', pruned: true, engines: {[engine]: {kept: DATA.earlier[engine]}}});
          const kept = compareNights(DATA.nights[1], DATA.nights[2]).open.map((one) => one.since);
          DATA.nights.shift();
          DATA.earlier = {[engine]: 'f'.repeat(DATA.cases.length)};
          const covered = count();
          DATA.earlier = {[engine]: 'p'.repeat(DATA.cases.length)};
          for (const one of DATA.nights.map((night) => night.engines[engine]))
            one.marks = one.marks.slice(0, i) + 'u' + one.marks.slice(i + 1);
          const lost = compareNights(nightBefore(), night()).support_lost;
          return [without, open, covered, kept, lost.map((one) => one.since)];""")
        self.assertEqual(counts, [[1, 1, 0], [1, 0, 1], [2, 0, 0], ["2026-11-01"], ["2026-11-22"]])

    def test_a_cut_run_has_no_point_and_hides_no_verdict(self):
        said = self.js("""
          const engine = 'xla@0.11.2', both = DATA.nights.map((night) => night.engines[engine]);
          both[0].tally.push(['l', 7]);
          showTrends();
          for (const one of both) one.marks = 'l' + one.marks.slice(1);
          DATA.earlier = {[engine]: 'u'.repeat(DATA.cases.length)};
          return [chart.data.datasets.find((one) => one.label === engine).data,
                  document.querySelector('#trends tbody').textContent,
                  compareNights(nightBefore(), night()).not_run.map((one) => one.before)];""")
        self.assertEqual(said[0], [None, 41])
        self.assertIn("40, and 7 not run", said[1])
        self.assertEqual(said[2], ["u"])

    def test_a_phone_shows_it_without_scrolling_sideways(self):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": 390, "height": 844, "deviceScaleFactor": 1,
                                     "mobile": True})
        self.driver.get("file://" + self.page)
        self.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), 390)
        self.picture("phone")
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_the_keyboard_is_enough(self):
        self.find("body").send_keys("/")
        self.driver.switch_to.active_element.send_keys("unexpected" + Keys.ENTER)
        self.assertEqual(self.find("#found").text, f"3 of {CASES} cases")
        for _ in range(40):
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
            if self.js("return document.activeElement.matches('#cases td button')"):
                break
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        self.assertTrue(self.js("return document.getElementById('failure').open"))
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.assertFalse(self.js("return document.getElementById('failure').open"))

    def test_nothing_is_asked_for_and_the_console_is_silent(self):
        time.sleep(0.2)
        asked = [json.loads(entry["message"])["message"]
                 for entry in self.driver.get_log("performance")]
        urls = {one["params"]["request"]["url"].split("?")[0] for one in asked
                if one["method"] == "Network.requestWillBeSent"}
        self.assertEqual({url for url in urls if not url.startswith("data:")},
                         {"file://" + self.page})
        self.assertEqual(self.driver.get_log("browser"), [])


def main():
    global HLOCTS, PICTURES
    arguments = sys.argv[1:]
    PICTURES = next((a.split("=", 1)[1] for a in arguments if a.startswith("--pictures=")), "")
    HLOCTS = os.path.abspath(arguments[0])
    if webdriver is None or not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("page_test: Chromium, its driver or python3-selenium is missing (ci/setup installs "
              "them): skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])


main()
