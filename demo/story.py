"""What happened in the sample project, as plain data.

``FILES`` is the project as a person had written it before any agent; ``SESSIONS`` tells, oldest first,
what each agent was asked and did. Replaying every edit in order gives the project as it is today, so
the transcripts and the workspace always agree. All of it is invented.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Change:
    """``old`` is replaced by ``new`` once; an empty ``old`` creates the file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Run:
    """A command the agent ran, what it printed, and whether it succeeded."""

    command: str
    output: str
    ok: bool = True


@dataclass(frozen=True)
class Look:
    """A file the agent read."""

    path: str


Step = Change | Run | Look


@dataclass(frozen=True)
class Talk:
    """One exchange: the prompt, the agent's remarks between the steps, and its closing answer."""

    prompt: str
    answer: str
    steps: tuple[Step, ...] = ()
    minutes: int = 4


@dataclass(frozen=True)
class Sitting:
    """One session: ``days_ago`` and ``hour`` place it in time; ``key`` makes its ids."""

    agent: str
    key: str
    title: str
    days_ago: int
    hour: int
    talks: tuple[Talk, ...]
    branch: str = "main"
    model: str = "large-model-1"
    subfolder: str = field(default="")


FILES: dict[str, str] = {
    "README.md": """# ferryline

Timetables and tickets for a small ferry company. `make test` runs the tests.
""",
    "Makefile": """test:
\tpython -m pytest -q
""",
    "ferryline/__init__.py": '''"""Timetables and tickets."""
''',
    "ferryline/pool.py": '''"""A bounded pool of database connections."""

import queue


class Pool:
    def __init__(self, connect, size=4):
        self._connect = connect
        self._idle = queue.Queue()
        for _ in range(size):
            self._idle.put(connect())

    def acquire(self):
        return self._idle.get()

    def release(self, connection):
        self._idle.put(connection)
''',
    "ferryline/tickets.py": '''"""Booking and price of tickets."""

from ferryline.pool import Pool


def book(pool: Pool, departure: str, seats: int) -> int:
    connection = pool.acquire()
    row = connection.execute("insert into ticket values (?, ?) returning id", (departure, seats))
    ticket = row.fetchone()[0]
    pool.release(connection)
    return ticket


def price(seats: int, child: bool = False) -> float:
    base = 14.5
    return seats * base * (0.5 if child else 1)
''',
    "web/timetable.ts": """export interface Departure {
  port: string;
  leaves: string;
}

export function label(departure: Departure): string {
  return departure.port + " " + new Date(departure.leaves).toLocaleTimeString();
}
""",
}


SESSIONS: tuple[Sitting, ...] = (
    Sitting(
        agent="claude-code",
        key="pool-timeout",
        title="Connection pool hangs under load",
        days_ago=41,
        hour=9,
        branch="fix/pool-timeout",
        talks=(
            Talk(
                "Bookings hang for ever when more than four people book at once. I think the connection pool never "
                "gives up. Can you find out why and make it fail with a clear error instead?",
                "The pool blocks for ever because `Queue.get` has no timeout, and `book` leaks its connection when the "
                "insert raises, so after four failures nothing is left to hand out.\n\n"
                "I gave `acquire` a `timeout` of 5.0 seconds that raises `PoolTimeout`, and `book` now releases its "
                "connection in a `finally` block. The load test with 50 bookings passes.",
                (
                    Look("ferryline/pool.py"),
                    Run(
                        "python -m pytest -q tests/test_load.py",
                        "FAILED tests/test_load.py::test_fifty_bookings - queue.Empty\n1 failed in 30.02s",
                        ok=False,
                    ),
                    Change(
                        "ferryline/pool.py",
                        "import queue\n\n\nclass Pool:",
                        "import queue\n\n\nclass PoolTimeout(Exception):\n"
                        '    """No connection became free in time."""\n\n\nclass Pool:',
                    ),
                    Change(
                        "ferryline/pool.py",
                        "    def acquire(self):\n        return self._idle.get()\n",
                        "    def acquire(self, timeout=5.0):\n        try:\n            return self._idle.get(timeout=timeout)\n"
                        "        except queue.Empty:\n"
                        '            raise PoolTimeout(f"no connection free after {timeout} s") from None\n',
                    ),
                    Change(
                        "ferryline/tickets.py",
                        '    row = connection.execute("insert into ticket values (?, ?) returning id", (departure, seats))\n'
                        "    ticket = row.fetchone()[0]\n    pool.release(connection)\n    return ticket\n",
                        "    try:\n"
                        '        row = connection.execute("insert into ticket values (?, ?) returning id", (departure, seats))\n'
                        "        return row.fetchone()[0]\n    finally:\n        pool.release(connection)\n",
                    ),
                    Run("python -m pytest -q tests/test_load.py", "1 passed in 1.84s"),
                ),
                minutes=11,
            ),
            Talk(
                "Why 5 seconds and not 30?",
                "The reverse proxy closes a request after 8 seconds (`proxy_read_timeout 8s`), so a pool timeout of 30 "
                "seconds would never be seen: the visitor gets a 504 before `PoolTimeout` is raised. 5.0 leaves time to "
                "render the error page. I changed nothing.",
                (Run("grep -rn timeout deploy/", "deploy/nginx.conf:12:    proxy_read_timeout 8s;"),),
                minutes=2,
            ),
        ),
    ),
    Sitting(
        agent="codex",
        key="child-price",
        title="Child price rounding",
        days_ago=33,
        hour=14,
        talks=(
            Talk(
                "Child tickets show 7.25 on the page but the receipt says 7.3. Prices must be in cents everywhere, as "
                "integers, no floats.",
                "`price` now returns integer cents: `BASE_CENTS = 1450` and half of it for children. The receipt "
                "rounded the float 7.25 to one digit; with cents there is nothing left to round.",
                (
                    Look("ferryline/tickets.py"),
                    Change(
                        "ferryline/tickets.py",
                        "def price(seats: int, child: bool = False) -> float:\n    base = 14.5\n"
                        "    return seats * base * (0.5 if child else 1)\n",
                        "BASE_CENTS = 1450\n\n\ndef price_cents(seats: int, child: bool = False) -> int:\n"
                        '    """Price of a booking in cents; children pay half."""\n'
                        "    each = BASE_CENTS // 2 if child else BASE_CENTS\n    return seats * each\n",
                    ),
                    Run("python -m pytest -q tests/test_price.py", "4 passed in 0.21s"),
                ),
                minutes=6,
            ),
        ),
    ),
    Sitting(
        agent="aider",
        key="settings",
        title="Settings from the environment",
        days_ago=27,
        hour=16,
        talks=(
            Talk(
                "read the database url and pool size from FERRYLINE_DATABASE_URL and FERRYLINE_POOL_SIZE, with defaults",
                "I'll add a small settings module that reads both variables once.",
                (
                    Change(
                        "ferryline/settings.py",
                        "",
                        '"""Settings from the environment."""\n\nimport os\n\n'
                        'DATABASE_URL = os.environ.get("FERRYLINE_DATABASE_URL", "sqlite:///ferryline.db")\n'
                        'POOL_SIZE = int(os.environ.get("FERRYLINE_POOL_SIZE", "4"))\n',
                    ),
                ),
            ),
        ),
    ),
    Sitting(
        agent="copilot-cli",
        key="timetable-zone",
        title="Departure times an hour off",
        days_ago=19,
        hour=11,
        talks=(
            Talk(
                "since the clocks changed the timetable shows departures one hour too early for people abroad",
                "`toLocaleTimeString()` formats in the visitor's own time zone. Departures belong to the port, so "
                '`label` now formats with `timeZone: "Europe/Oslo"` and a two-digit hour and minute.',
                (
                    Look("web/timetable.ts"),
                    Change(
                        "web/timetable.ts",
                        '  return departure.port + " " + new Date(departure.leaves).toLocaleTimeString();\n',
                        '  const clock = new Intl.DateTimeFormat("nb-NO", {\n    hour: "2-digit",\n    minute: "2-digit",\n'
                        '    timeZone: "Europe/Oslo",\n  });\n'
                        "  return `${departure.port} ${clock.format(new Date(departure.leaves))}`;\n",
                    ),
                ),
            ),
        ),
    ),
    Sitting(
        agent="claude-code",
        key="token-race",
        title="Sign-in token refreshed twice",
        days_ago=12,
        hour=10,
        talks=(
            Talk(
                "Two requests at the same time both refresh the sign-in token and the second one gets a 401 "
                "invalid_grant. Write the token client so that only one refresh runs.",
                "I wrote `ferryline/signin.py` with a lock around the refresh: the second caller waits and then finds the "
                "fresh token, so the old refresh token is never sent twice and `invalid_grant` cannot happen. A token "
                "is renewed 30 seconds before it expires (`LEEWAY`).",
                (
                    Change(
                        "ferryline/signin.py",
                        "",
                        '"""The sign-in token, refreshed by one caller at a time."""\n\nimport threading\nimport time\n\n'
                        "LEEWAY = 30.0\n\n\nclass TokenClient:\n    def __init__(self, fetch, clock=time.monotonic):\n"
                        "        self._fetch = fetch\n        self._clock = clock\n        self._lock = threading.Lock()\n"
                        "        self._token = None\n        self._expires = 0.0\n\n    def token(self):\n"
                        "        with self._lock:\n            if self._clock() > self._expires - LEEWAY:\n"
                        "                self._token, lifetime = self._fetch()\n"
                        "                self._expires = self._clock() + lifetime\n            return self._token\n",
                    ),
                    Run("python -m pytest -q tests/test_signin.py", "3 passed in 0.11s"),
                ),
                minutes=8,
            ),
            Talk(
                "Use the pool size from the settings in Pool as the default too",
                "`Pool` now takes its default size from `settings.POOL_SIZE` instead of the literal 4.",
                (
                    Change(
                        "ferryline/pool.py",
                        "import queue\n\n\nclass PoolTimeout",
                        "import queue\n\nfrom ferryline import settings\n\n\nclass PoolTimeout",
                    ),
                    Change(
                        "ferryline/pool.py",
                        "    def __init__(self, connect, size=4):\n",
                        "    def __init__(self, connect, size=settings.POOL_SIZE):\n",
                    ),
                ),
                minutes=3,
            ),
        ),
    ),
    Sitting(
        agent="specstory",
        key="cache-decision",
        title="Do we need a cache server",
        days_ago=6,
        hour=15,
        talks=(
            Talk(
                "Should the timetable be cached in Redis? It changes twice a year.",
                "No. The whole timetable is 212 rows and 40 kB; a module-level dictionary loaded at start answers in "
                "microseconds, and a deploy already happens when it changes. Redis would add a server to operate for "
                "nothing. If several processes ever need to invalidate it at once, `LISTEN timetable_changed` in "
                "PostgreSQL is enough.",
                (),
            ),
        ),
    ),
    Sitting(
        agent="gemini-cli",
        key="flaky-load-test",
        title="Flaky load test",
        days_ago=3,
        hour=13,
        talks=(
            Talk(
                "tests/test_load.py fails about one time in ten on the build machine with PoolTimeout, find the reason",
                "The test started 50 threads against a pool of 4 with the 5 second timeout, and the build machine is "
                "slow enough that the last ones waited longer. The load test now passes `timeout=60` explicitly; "
                "production keeps 5.0.",
                (
                    Change(
                        "tests/test_load.py",
                        "",
                        "import threading\n\nfrom ferryline.pool import Pool\n\n\ndef test_fifty_bookings():\n"
                        "    pool = Pool(connect=object, size=4)\n    done = []\n\n    def work():\n"
                        "        connection = pool.acquire(timeout=60)\n        done.append(connection)\n"
                        "        pool.release(connection)\n\n"
                        "    threads = [threading.Thread(target=work) for _ in range(50)]\n    for thread in threads:\n"
                        "        thread.start()\n    for thread in threads:\n        thread.join()\n"
                        "    assert len(done) == 50\n",
                    ),
                ),
            ),
        ),
    ),
)


def workspace() -> dict[str, str]:
    """The project as it is today: every successful edit replayed over ``FILES``, path -> text."""
    files = dict(FILES)
    for sitting in SESSIONS:
        for talk in sitting.talks:
            for step in talk.steps:
                if isinstance(step, Change):
                    files[step.path] = replay(files.get(step.path, ""), step)
    return files


def replay(text: str, change: Change) -> str:
    """``text`` after ``change``; the old text must occur exactly once."""
    if not change.old:
        return change.new
    if text.count(change.old) != 1:
        raise ValueError(f"{change.path}: the old text occurs {text.count(change.old)} times")
    return text.replace(change.old, change.new)
