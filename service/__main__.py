"""Where the command ``susun`` begins.

To import all that it needs takes half a second, in which the interpreter may lose an interrupt. There is
nothing to put in order by then, so the system itself ends us.
"""

import signal


def main() -> None:
    """Run the command line."""
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from service.cli import main as commands  # noqa: PLC0415 (see above)

    if interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    commands()


if __name__ == "__main__":
    main()
