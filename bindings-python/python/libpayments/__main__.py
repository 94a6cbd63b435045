"""The command ``python -m libpayments``."""

import sys

from ._journal_command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
