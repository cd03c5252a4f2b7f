"""The helpers of the goldens, which its tests import by their names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
