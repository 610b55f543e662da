"""A headless browser for tests of pages."""

import shutil

import pytest

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
NO_BROWSER = (
    "the pages are not looked at in a browser: no chromium is installed. "
    "`make browser` installs it on Debian as root; elsewhere put chromium on the path"
)
# It draws by itself, and asks nobody for anything but the pages.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
needs_browser = pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def chromium():
    """A running browser, closed at the end of the module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=QUIET)
        yield browser
        browser.close()


class Visit:
    """A page in the browser, with all that it asked for and all that it complained of."""

    def __init__(self, browser, path, *, width=1440, scheme="light", **more):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **more
        )
        self.page = self.context.new_page()
        self.asked, self.said, self.dialogs, self.sources = [], [], [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", self._hear)
        self.page.on("pageerror", self._suffer)
        self.page.on(
            "dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss())
        )
        self.page.goto(path if isinstance(path, str) else path.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def _hear(self, message):
        self.said.append(message.text)
        self.sources.append(message.location.get("url", ""))

    def _suffer(self, error):
        self.said.append(str(error))
        self.sources.append(error.stack or "")

    def ours(self):
        """What was said by modules that a notebook has from a kernel, of which ours is the only."""
        pairs = zip(self.said, self.sources, strict=True)
        return [text for text, source in pairs if "blob:" in source or "linscope" in text]

    @property
    def outside(self):
        """Requests for anything but the file itself and what is written in it."""
        return [url for url in self.asked[1:] if not url.startswith("data:")]

    @property
    def overflow(self):
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def faults(self, part=None):
        """What axe-core finds serious or critical, in the whole page or a part of it."""
        from axe_playwright_python.sync_playwright import Axe

        # A figure is one picture with one text: what is inside it is not looked at.
        inside = {"exclude": [["svg[role=img] > *"]], **({"include": [[part]]} if part else {})}
        found = Axe().run(self.page, context=inside).response["violations"]
        return [
            (fault["id"], [node["target"] for node in fault["nodes"]])
            for fault in found
            if fault["impact"] in ("serious", "critical")
        ]
