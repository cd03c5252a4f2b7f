"""One command of spotbot in this process; then its CPU seconds and its peak of memory, for `run.alone`."""

import time

from parlai_spotbot.scripts.main import main
from tests.bench.run import tell

if __name__ == "__main__":
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
    tell(time.process_time())
