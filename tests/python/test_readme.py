"""The README's Python, run as it stands there, against a server that has alice and dave follow bob."""

import os
import pathlib
import subprocess

README = pathlib.Path(__file__).parents[2] / "README.md"


def test_the_readmes_python_prints_bobs_followers(endpoint, capsys):
    for command in (
        "model apply follow",
        "link follow follows alice bob",
        "link follow follows dave bob",
    ):
        args = [os.environ["BOTHWAYS"], *command.split(), "--endpoint", endpoint]
        subprocess.run(args, check=True, timeout=60, stdin=subprocess.DEVNULL)
    blocks = README.read_text(encoding="utf-8").split("```python\n")[1:]
    assert len(blocks) == 1
    code = blocks[0].split("```")[0]
    assert "http://127.0.0.1:8000" in code
    exec(code.replace("http://127.0.0.1:8000", endpoint), {})
    assert capsys.readouterr().out == "['ACTOR#alice', 'ACTOR#dave']\n"
