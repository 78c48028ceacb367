"""Orders to machines in Chinese and Japanese, where no spaces tell which words there are: only what is named counts."""

# ruff: noqa: E501, RUF001 - signs as they are written

from __future__ import annotations

import re
from typing import Final

#: Kinds as in `words`.
_KINDS: Final = {
    "M": "人工智能 语言模型 大模型 聊天机器人 自动读者 自動読者 人工知能 言語モデル チャットボット AI",
    "A": "助手 アシスタント",
    "m": "程序 工具 プログラム ツール 系统 システム",
    "V": "亲爱的 親愛なる 致 注意",
    "P": "本页 此页 本文 本说明 这句话 这段文字 这页 这篇 このページ この文 この文章 この記事 この注意 この説明 このサイト",
    "r": "读取 阅读 总结 读到 読む 読み 要約する",
    "N": "摘要 要約",
    "S": "回答 回复 答复 告诉 告知 引用 输出 说 称 写 答 写上 答え 伝え 言っ 回答し 返答し 返信し 出力し 書い 書く 書か 述べ 言え 教え 提到 含め 包含",
    "a": "答案 答え 返答 的回答 的回复",
    "o": "请 必须 应 应当 务必 须 ください 下さい なさい こと べき ように なければならない せよ 应该",
    "k": "你之前 你的 您的 あなたの 君の あなたへの",
    "Y": "你现在 你是 你已 あなたは",
    "l": "想象 假装 ふりを ふりをし",
    "u": "用户 提问者 ユーザー 利用者 質問者 読者 读者",
    "q": "询问 问什么 问题 聞かれ 尋ね 質問 问",
    "f": "忽略 无视 忘记 忘掉 不要理会 不理会 無視 忘れ",
    "E": "之前 以上 上述 上面 前面 先前 以前 上記 これまで 今まで 先の 前の すべての 全ての 所有",
    "i": "指令 指示 规则 説明 命令 ルール 規則",
    "v": "失效 无效 無効 作废",
    "y": "一律 总是 始终 必ず 常に 都",
    "x": "只 仅 仅供 不要写别的 だけ のみ 専用 专用 仅限 仅适用于 什么都",
    "X": "无论 不管 不论 何を どんな いかなる 何であっても",
    "W": "如下 以下の 次のように 次のよう",
    "c": "唯一 正确 正しい",
    "&": "作为 として",
    "w": "有人 聞く人 尋ねる人",
    "!": "とだけ",
    "z": "从现在 新的指令 新指令 新しい指示 今后",
    ":": "： :",
}
_KIND_OF: Final = {sign: kind for kind, signs in reversed(_KINDS.items()) for sign in signs.split()}
_SIGNS: Final = re.compile(
    "|".join(sorted(map(re.escape, _KIND_OF), key=len, reverse=True)).replace("AI", "(?<![A-Za-z])AI(?![A-Za-z])")
)
_EASTERN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_STOP: Final = re.compile(r"[。！？!?\n]")
#: Which kinds a sentence has, and how many points it gets for them.
_RULES: Final = (
    ("! S", 3), ("M o S", 3), ("m P o", 3), ("m P S", 2), ("M x :", 3), ("N P o", 3), ("k i v", 4),
    ("E i v", 2), ("k S x", 3), ("k a o", 3), ("k N", 2), ("u q S x", 3), ("Y S x", 2), ("u S W", 3),
    ("u S :", 3), ("X q S", 3), ("X q a", 3), ("f E i", 4), ("f i S", 3), ("f i o", 3), ("f E", 2),
    ("u q S y", 3), ("l S x", 3), ("l S", 2), ("Y A", 3), ("Y M", 3), ("V A", 3), ("V M", 3), ("A P o", 3),
    ("A P S", 2), ("P M x", 3), ("E S v", 2), ("q a c", 3), ("k a &", 3), ("a & S", 2), ("w q S", 2),
    ("w S o", 2), ("z", 1), ("z S", 2), ("q S y", 2), ("k a S", 2),
)  # fmt: skip


def eastern_points(text: str) -> int:
    """The most points that one of some sentences gets."""
    if _EASTERN.search(text) is None:
        return 0
    return max(map(_points, _STOP.split(text)), default=0)


def _points(sentence: str) -> int:
    found = {_KIND_OF[sign] for sign in _SIGNS.findall(sentence)}
    return max((points for kinds, points in _RULES if found.issuperset(kinds.split())), default=0)
