# SPDX-License-Identifier: Apache-2.0
import sys

from bascule.cli import main

sys.exit(main())
