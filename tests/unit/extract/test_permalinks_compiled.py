from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.compiled import BUILT, native
from veille.core.extract.tree.permalinks import _SIGNS, plain_sign_ends

pytestmark = pytest.mark.skipif(not BUILT, reason="nothing is compiled here")

PIECES = st.sampled_from(
    [
        b"</a>",
        b"</A>",
        b"<a",
        b"</",
        b"</span>",
        b">",
        b"#",
        b" ",
        b"\n",
        b"\x0b",
        b"\xc2\xb6",
        b"&para;",
        b"</a",
        b"a>",
    ]
)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=60).map(b"".join))
def test_any_bytes_have_the_same_ends_of_links_by_both(data: bytes) -> None:
    assert native.sign_ends(data, _SIGNS) == plain_sign_ends(data)


@pytest.mark.parametrize(
    "data", [b"", b"<", b"</a", b"</a>", b"#</a>", b"></a>", b" ></a>", b"#</i> </a>#</a>", b"\0#</a>"]
)
def test_the_shortest_inputs_are_read_the_same(data: bytes) -> None:
    assert native.sign_ends(data, _SIGNS) == plain_sign_ends(data)


def test_only_bytes_are_taken() -> None:
    with pytest.raises(TypeError):
        native.sign_ends("#</a>", _SIGNS)  # type: ignore[arg-type]
    assert native.sign_ends(b"#</a>", b"") == []
