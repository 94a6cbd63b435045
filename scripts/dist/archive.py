"""Creates a reproducible zip archive of a folder.

Usage: archive.py OUT.zip FOLDER

Every file is dated SOURCE_DATE_EPOCH.
"""

import os
import sys
import time
import zipfile
from pathlib import Path

out, folder = Path(sys.argv[1]), Path(sys.argv[2])
date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), date)
        mode = 0o755 if os.access(file, os.X_OK) else 0o644
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, file.read_bytes())
