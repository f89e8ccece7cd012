"""Ten rounds of tests/soak: faults of all kinds under steady traffic."""
import importlib.util
from pathlib import Path

import pytest

from trio import Trio

_spec = importlib.util.spec_from_file_location("soak", Path(__file__).resolve().parent.parent / "soak" / "soak.py")
soak = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(soak)


@pytest.mark.native
@pytest.mark.timeout(600)
def test_faults_in_any_order_lose_and_double_nothing(tmp_path, chance):
    kafka = Trio(tmp_path / "kafka", *soak.Soak.settings)
    s = soak.Soak(kafka, tmp_path, chance.randrange(1 << 31))
    try:
        s.begin()
        s.run(10)
    finally:
        s.close()
        kafka.stop()
