"""The benchmarks that asv follows over the history of the repository: CPU seconds of what the programs in the folder above
measure in detail. `asv run` at the root of the repository; asv.conf.json says where results go."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
