"""A question that may hang, answered in time: by no, if need be."""

import threading
from collections.abc import Callable
from concurrent.futures import Future


class Probe:
    """Asks in a thread of its own, one at a time; whoever asks meanwhile gets the same answer."""

    def __init__(self, ask: Callable[[], bool]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._asking: Future[bool] | None = None

    def says_yes(self, seconds: float) -> bool:
        """Whether the answer is yes, and comes within so many seconds."""
        with self._lock:
            if self._asking is None or self._asking.done():
                self._asking = Future()
                threading.Thread(target=self._run, args=(self._asking,), daemon=True).start()
            asking = self._asking
        try:
            return asking.result(seconds)
        except TimeoutError:
            return False

    def _run(self, asking: "Future[bool]") -> None:
        try:
            asking.set_result(self._ask())
        except Exception as error:
            asking.set_exception(error)
