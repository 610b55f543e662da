"""The playground in a headless browser, answered by this process over HTTP."""

import asyncio
import base64
import json
import threading

import pytest
import uvicorn

from linscope.web.answers import answer, answer_text
from linscope.web.hosts.assets import in_address
from linscope.web.hosts.server import application
from linscope.web.samples import sample
from tests.browser import Visit

# A bad question is answered with a sentence and a status that the browser notes down by itself.
REFUSED = "the server responded with a status of 422"
# Milliseconds; kernels may have to be compiled first, on a machine that is busy.
PATIENCE = 60_000


class Here:
    """Answers in a thread of this process, in place of the crew of other processes."""

    def __init__(self):
        self.lock = threading.Lock()

    def start(self):
        pass

    stop = start

    def _answer(self, kind, body):
        with self.lock:
            return answer_text(kind, body)

    async def ask(self, kind, body):
        return await asyncio.to_thread(self._answer, kind, body)


@pytest.fixture(scope="module")
def address():
    """Where the playground is served."""
    config = uvicorn.Config(application(crew=Here()), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


def spec_of(name, algorithm, params=None, made=None, **more):
    """A spec as the page would send it, normalised."""
    document = {**sample(name, made), "algorithm": algorithm, "params": params or {}, **more}
    return answer("fit", document)["spec"]


class Playground(Visit):
    """The page with a spec, and the things a person does to it."""

    def __init__(self, browser, address, spec=None, query="", **more):
        self.address = address
        super().__init__(browser, address + query + (in_address(spec) if spec else ""), **more)
        self.page.set_default_timeout(PATIENCE)
        self.ready()

    def __exit__(self, *error):
        super().__exit__(*error)
        if error == (None, None, None):
            assert [line for line in self.said if REFUSED not in line] == []
            own = ("data:", "blob:", self.address)
            assert [url for url in self.asked if not url.startswith(own)] == []

    def ready(self):
        """Waits until nothing is asked of Python any more."""
        self.page.wait_for_function(
            "() => document.querySelector('[data-testid=say]')?.textContent"
            " && !document.querySelector('.linscope').hasAttribute('data-busy')"
        )

    def open(self, spec):
        """Goes to another spec by the address, as with a link in the same window."""
        # A change of a moment ago is written into the address first, as when the page is left: else
        # that of the spec might stand there still. The page hears of the new one before we do, and
        # is busy from then on.
        self.page.evaluate(
            """hash => {
                dispatchEvent(new PageTransitionEvent("pagehide"));
                return hash !== location.hash && new Promise(heard => {
                    addEventListener("hashchange", heard, { once: true });
                    location.hash = hash;
                }).then(() => true);
            }""",
            in_address(spec),
        )
        self.ready()
        # As in a window of its own: a control that a test has used would take the keys.
        self.page.evaluate("document.activeElement.blur()")

    def __getitem__(self, name):
        return self.page.locator(f"[data-testid='{name}']")

    def text(self, name):
        return self[name].inner_text()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.ready()

    def at(self, place):
        """Waits until the cursor is there: on a busy machine keys are heard late."""
        self.page.wait_for_function(
            "text => document.querySelector('[data-testid=place]').innerText === text", arg=place
        )

    def rows(self):
        """The cells of the ledger."""
        return self["ledger"].evaluate(
            "table => [...table.tBodies[0].rows]"
            ".map(row => [...row.cells].map(cell => cell.textContent))"
        )

    def shared(self):
        """What the address would hold if the page were left now."""
        self.ready()
        self.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
        text = self.page.url.split("#s=")[1]
        return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))

    def middle(self, node):
        box = node.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, node, dx, dy, steps=4):
        """Drags by so many pixels."""
        x, y = self.middle(node)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=steps)
        self.page.mouse.up()
        self.ready()
