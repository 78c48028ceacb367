"""The wheels in `dist`, installed in empty environments as a user does it: `make try-dist`.

For every Python that is found (3.11 to 3.14) and for both wheels: pip install with everything that the core needs,
`veille demo`, and whether the compiled part is there. Prints the CPU seconds of the installation, at most 30.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_CPU_S = 30
_NATIVE = "from veille.core.compiled import BUILT; print(BUILT)"


def tried(python: str, wheel: Path, *, is_native: bool) -> float:
    """Install a wheel and run the demo; CPU seconds of the installation."""
    with tempfile.TemporaryDirectory(prefix="veille-dist-") as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        bin_ = Path(folder, "bin")
        # No compiler in sight.
        environment = {**os.environ, "CC": "false", "PATH": str(bin_)}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        install: list[str | Path] = [bin_ / "pip", "install", "--quiet", "--only-binary", ":all:", wheel]
        subprocess.run(install, check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        demo: list[str | Path] = [bin_ / "veille", "demo", "--no-serve", "--data", Path(folder, "data")]
        said = subprocess.run(demo, capture_output=True, text=True, check=True, env=environment, cwd=folder).stdout
        assert "Search what was kept" in said
        built = subprocess.run([bin_ / "python", "-c", _NATIVE], capture_output=True, text=True, check=True).stdout
        assert built.strip() == str(is_native), built
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    from packages.interpreters import pythons  # noqa: PLC0415 - found as a program only

    wheels = sorted((ROOT / "dist").rglob("veille-*.whl"))
    assert wheels, "run `make dist`"
    for version, python in pythons().items():
        tag = f"cp{version.replace('.', '')}"
        for wheel in wheels:
            is_native = tag in wheel.name
            if not is_native and "py3-none-any" not in wheel.name:
                continue
            cpu_s = tried(python, wheel, is_native=is_native)
            kind = "compiled" if is_native else "pure"
            print(f"Python {version}, {kind}: installed in {cpu_s:.1f} s of CPU, the demo ended well.", flush=True)
            assert cpu_s < MOST_CPU_S, "the core takes too long to install"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    main()
