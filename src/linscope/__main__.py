"""``python -m linscope`` is the same as ``linscope``."""

from linscope.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
