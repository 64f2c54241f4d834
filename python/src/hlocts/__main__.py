# SPDX-License-Identifier: Apache-2.0
"""`python3 -m hlocts`: runs the program, like the script `hlocts`."""

import sys

from hlocts import binary

if sys.argv[1:] and sys.argv[1].endswith(".py"):
    sys.exit(f"hlocts: to check a script, run `python3 -m hlocts.check {sys.argv[1]}`")
binary.main()
