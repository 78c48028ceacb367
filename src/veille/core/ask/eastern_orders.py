"""Orders to machines in Chinese and Japanese, where no spaces tell which words there are: only what is named counts."""

# ruff: noqa: RUF001 - signs as they are written

from __future__ import annotations

import re
from typing import Final

#: Kinds as in `order_words`.
_KINDS: Final = {
    "M": "人工智能 语言模型 大模型 聊天机器人 人工知能 言語モデル チャットボット AI",
    "m": "助手 程序 アシスタント プログラム 系统 システム",
    "P": "本页 此页 本文 这句话 这页 这篇 このページ この文 この文章 このサイト",
    "r": "读取 阅读 总结 读到 読む 読み 要約する",
    "N": "摘要 要約",
    "S": "回答 回复 答复 告诉 告知 引用 输出 说 称 写 答 写上 答え 伝え 言っ 回答し 返答し 返信し 出力し 書い 出力 教え 含め 包含",
    "a": "答案 答え 返答 的回答 的回复",
    "o": "请 必须 应 应当 务必 须 ください 下さい なさい こと べき ように",
    "k": "你的 您的 あなたの 君の あなたへの",
    "Y": "你现在 あなたは 想象 假装 扮演 ふりを",
    "u": "用户 提问者 ユーザー 利用者 質問者 読者 读者",
    "q": "询问 问什么 问题 聞かれ 尋ね 質問 问",
    "f": "忽略 无视 忘记 忘掉 不要理会 不理会 無視 忘れ",
    "E": "之前 以上 上述 上面 前面 先前 以前 上記 これまで 今まで 先の 前の すべての 全ての 所有",
    "i": "指令 指示 规则 説明 命令 ルール 規則",
    "v": "失效 无效 無効 作废",
    "x": "只 一律 仅 仅供 总是 不要写别的 始终 だけ のみ 必ず 専用 常に 什么都",
    "X": "无论 不管 不论 何を どんな いかなる 何であっても",
    "W": "如下 以下の 次のように 次のよう",
    "z": "从现在 新的指令 新指令 新しい指示 今后",
    ":": "： :",
}
_KIND_OF: Final = {sign: kind for kind, signs in reversed(_KINDS.items()) for sign in signs.split()}
_SIGNS: Final = re.compile("|".join(sorted(map(re.escape, _KIND_OF), key=len, reverse=True)).replace("AI", "(?<![A-Za-z])AI(?![A-Za-z])"))
_EASTERN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_STOP: Final = re.compile(r"[。！？!?\n]")
#: Which kinds a sentence has, and how many points it gets for them.
_RULES: Final = (
    ("M o S", 3), ("m P o", 3), ("m P S", 2), ("M x :", 3), ("N P o", 3), ("k i v", 4), ("E i v", 2), ("k S x", 3), ("k a o", 3), ("k N", 2),
    ("u q S x", 3), ("u q S o", 2), ("u S W", 3), ("u S :", 3), ("X q S", 3), ("X q a", 3), ("f E i", 4), ("f i", 3), ("Y S x", 3), ("Y m", 2), ("Y M", 3), ("z", 1), ("z S", 2), ("S x o", 2),
    ("o x S", 2), ("k a S", 2),
)  # fmt: skip


def eastern_points(text: str) -> int:
    """The most points that one of some sentences gets."""
    if _EASTERN.search(text) is None:
        return 0
    return max(map(_points, _STOP.split(text)), default=0)


def _points(sentence: str) -> int:
    found = {_KIND_OF[sign] for sign in _SIGNS.findall(sentence)}
    return max((points for kinds, points in _RULES if found.issuperset(kinds.split())), default=0)
