"""Rules for rows of kinds of words (`words`): what orders to machines are made like, and how many points that has.

In a rule, `~` stands for a few words between, `-` for at most two, and a word in capitals for several kinds. So
`M~MUST~[SaG]` is a machine, what obliges it, and a word for saying, answering or telling somebody, with a few words
between: "AI assistants that sum up this page must always say". `row_of` in `addressed` shows the row of a sentence.
"""

# ruff: noqa: E501 - rules stand in one line

from __future__ import annotations

import re
from typing import Final

#: What together names a machine: "automated readers", "language model"; and "from now on".
_TOGETHER: Final = tuple(
    (re.compile(row), kind)
    for row, kind in (
        (r"L+[m5]|[m5]_?L|[jsU][m5]|[m5]j|j_?u|uj|[m5]?M|[m5][_4]_?M|j?M", "M"),
        (r"M[Mm5]+", "M"),
        (r"p_?Q|Q%?_?P|6_Q|[&_]?dQ", "z"),
        # "Di", which is mostly "of", says something at the end only.
        (r"4(?=[_xW:\"]{0,3}$)", "S"),
        (r"4", "_"),
    )
)
_WORDS: Final = {
    "MUST": "(?:[oA§]|[hb]D)", "OWN": "(?:[yk][_ecxzZ]{0,2})", "ASK": "[qA]", "SUM": "[anN]", "BOT": "[m5M]",
    "TOOL": "[m5]", "READ": "[rsN]", "THIS": "d[^.]?g", "~": "[^.]{0,7}?", "-": "[^.]{0,2}?",
}  # fmt: skip


def _rule(row: str, points: int) -> tuple[re.Pattern[str], int]:
    for name, kinds in _WORDS.items():
        row = row.replace(name, kinds)
    return re.compile(row), points


_YOURS: Final = re.compile("(?<=[yk])F")
#: What is said to somebody familiar, as few pages do to people.
_FAMILIAR: Final = tuple(
    _rule(*one)
    for one in (
        (r"F-u", 1), (r"eq@?~F", 2), (r"Q~F", 1), (r"F~x", 1), (r"Tq[^.]{0,4}4|^4e_?u", 2),
        # A new instruction; new rules are something else.
        (r"^_?Zi[^.:]{0,3}BOT?:", 4),
    )
)  # fmt: skip
#: One of these is in each of them.
_EARLY: Final = frozenset("F4Z")
_RULES: Final = tuple(
    _rule(*one)
    for one in (
        # Whom it is for.
        (r"^[^.:]{0,3}[DV][^.:]{0,3}M[^.:]{0,9}:", 4),
        (r"BOT_?READ-THIS[^.:]{0,2}:|BOT_?THIS-READ:", 4),
        (r"!~D_?u:", 3),
        (r"V[^.:]{0,2}BOT[^.:]{0,9}:|^eM:", 3),
        (r"V[De]{0,2}BOT(?::|_{0,2}S)", 3),
        (r"^[^.:]{0,2}M[^.:]{0,1}[iOVI]:", 4),
        (r"^[^.:]{0,3}D[^.:]{0,3}[m5e][^.:]{0,6}(?:READ-THIS|THIS-READ)[^.:]{0,3}:", 4),
        (r"[xW]D[_e]?M|^_?xD[_e]?BOT:|D_?M[^.]{0,4}x", 3),
        (r"^[D_]?M:[^.]{0,3}[Sta]", 3),
        # What machines must say.
        (r"M~MUST(?!b|Db)~[SaG]", 2),
        (r"M~MUST(?!b|Db)~[t2]", 2),
        (r"[oq§]~M~[SaG]|o-M~t", 2),
        (r"BOTr[^.]?dMUST", 2),
        (r"e[_c]?[M5]-[Sa9]|[!e]5o|eMD[StG]|[M5]hb[oG]", 2),
        (r"[m5Mw]~READ~THIS|[m5Mw]_?THIS-READ", 1),
        (r"(?:[m5Mw]~READ~THIS|[m5Mw]_?THIS-READ)~(?:MUST~)?[Sta]", 2),
        # What an answer is.
        (r"OWNSUM|[yk]e?2", 1),
        (r"OWNN~[StW\"]|[StW\"]~OWNN", 1),
        (r"OWNSUM[^.]{0,4}?[xW\":]|[xWz]~OWNSUM", 1),
        (r"OWNSUM@", 2),
        (r"B[yke]SUM|OWNSUM_?B|^B_SUMb", 2),
        (r"[tB]eSUM~W", 2),
        (r"[Sa]_{0,2}eq&", 2),
        (r"^xS[^.]{0,40}OWNSUM", 2),
        (r"xdSUM", 3),
        (r"k[_ecx]?SUM~(?:MUST|[xWSt:])|[St%D]-k[_ecx]?SUM", 1),
        (r"^DOWNSUM", 1),
        (r"s-THIS", 1),
        (r"(?:^|[.:])[^.:]{0,3}s-THIS[^.]{0,3}?[StaG]", 2),
        (r"(?<!b)A@[^.]{0,4}[SG]", 2),
        (r"Y~SUM_THIS|^[tF][^.]{0,5}6[kyd]?[na]$", 2),
        (r"N-THIS", 1),
        (r"[Ne]-N-THIS|N-THIS~(?:MUST|x|v|t|S)", 2),
        (r"^_?c[an][D_]{1,3}q(?!0)~b_", 1),
        (r"c_?[an]D[_e]{0,3}q(?![D_]?0)|c[an]_{0,2}q(?!_?0)|[an]_?c~q|c_?[an]_eq", 1),
        (r"[an]D_?[eX]_?q~[b:]", 2),
        (r"[an]~u_?q", 2),
        (r"(?:c_?[an]|[an]_?c)~q(?![D_]?0)~[b:]", 1),
        (r"xc[an]", 2),
        # Who asks.
        (r"xASK_?[SaG]|[wu]_?q~MUSTbo|^_?w~q~(?:MUST~S|b[^.]{0,3}S$)", 2),
        (r"q[^.]{0,2}qS", 3),
        (r"X~ASK[^.]{0,9}?(?:[SGt]|[an]b|a[_:&\"])", 3),
        (r"e_?q~[Sa]", 1),
        (r"[wu]_?q~[Sa]~[W:]", 2),
        (r"w~q~[an]_?MUST|w_?q~OWNSUM|t_?u~X", 2),
        (r"Dw_?q~:", 3),
        (r"ASK~S~[xW]", 2),
        (r"YMUST[_x!]{0,2}a_?[uq]~[SG]", 3),
        (r"Y=[Qzx][Sa]|Y=[2Sa]_Q$", 2),
        # To whom it is said.
        (r"G-u", 1),
        (r"G-u[^.]{0,6}:|SD_?u~[Wx]|G_?ud|!~[SG]~THIS~u", 2),
        (r"G-[uw]~(?:[xW:]|d$)|[xz]~G-u|[SGa]~THIS~u", 1),
        (r"THIS~MUST~[StG]~u", 3),
        (r"G-w-ASK|[wu]_?q[^.]{0,6}[SaG][^.]{0,4}x", 2),
        (r"[SaG]xW", 2),
        (r"WDW", 1),
        (r"S_?W[^.]{0,40}:", 1),
        (r"YMUST_?S[Wd]$", 3),
        # What counts no longer.
        (r"f~[Eyk]-[iI]|f~i~[EY]|f[_e]{0,2}I|J-[yk]-i|J-E-i|^_?!_?3[^.]{0,2}(?:[yk]|m)_?[iI]|[3J][^.]{0,3}i!", 4),
        (r"fe_?i(?:$|:)", 3),
        (r"fe_?i", 1),
        (r"f[_ebdwW]{0,4}E{1,2}(?:$|_{1,2}[SaG2])|fe?_?E:|fe[_b]{0,2}E_?$", 4),
        (r"f[_u]{0,4}q|f~y7", 2),
        (r"f~i~[SG]", 2),
        (r"C_?s|C_Yb~S", 2),
        (r"[yk][_zE]{0,2}i~v", 4),
        (r"iY~v|T[^.]{0,5}E[^.]{0,4}v", 3),
        (r"Y[^.]{0,5}E[^.]{0,4}v", 2),
        (r"^[_o&§]{0,3}!(?:[^.]{0,4}i_?E|[_D]{0,2}Ei)", 3),
        (r"[yk][_c]?[zZ]?O", 1),
        (r"[yk][Zc]_?i|^SeE|[fJ]~iYb", 3),
        (r"[yk][zZcQ_]?O~(?:b|:|v)", 1),
        (r"[Zc]O:", 3),
        (r"[yk]ZO", 2),
        (r"Y[h_!]{0,2}v~i", 3),
        # From now on, and as if.
        (r"z~[Sa]", 1),
        (r"z_?[SaG]|E[_i]bv", 1),
        (r"z~[SaG]~[xW\":]|z~x~[Sa]|z~Sx|[Sa]zx", 2),
        (r"zYb|zY[Sa]", 2),
        (r"(?:^|[.:_o§\"])l[^.]{0,12}?[SaG]", 2),
        (r"(?:^|[.:_])l~d~:", 2),
        (r"Yb[_zQD]{0,3}M|[TY]b?[Qz]_{0,2}BOT", 3),
        (r"T_?M|^_?b_TOOL_i|kW6~[SG]", 2),
        (r"^[YTk][b_D]{0,3}TOOL_{1,2}i", 3),
        (r"^_?sTHIS[&6:]", 2),
        (r"(?:^_?|:)H6[^.]{0,12}?[SG9]", 2),
        # The same in roundabout ways: what assistants tell users, what questions are answered with, "as a model you".
        (r"5-[SaG]-[uw]|5_u|u_5|u_d5|u~Y~[SG]|wYb_D|YhbA~u|YhbA~[St]", 2),
        (r"M~[SaG]", 1),
        (r"M~[SaG]~(?:x|THIS)|MD[Sa]", 1),
        (r"K[^.]?M~MUST", -3),
        (r"q~(?:MUST|b)~bS&|(?:^|D)a_?q[^.]{0,3}&|^[%D]_{0,2}[qe]~q?@~S|^Dq~TOOL~[St]|^Dq@~[an]|THISbDb~BOT|THIS%DSUM", 2),
        (r"^__?[u_]{0,2}q[^.]{0,6}(?:ab|b_a$)", 2),
        (r"6D?_{0,2}[M5]Y", 2),
        (r"Y6_?D?M|^b_MY", 3),
        (r"THIS[oG]YD[SGt]|THIS~uD[Sa]", 2),
        (r"^[^.:]{0,2}[gaNniV][^.:]{0,2}D_?BOT:", 3),
        (r"j_i:|^V[De]?M", 2),
        (r"[St][^.]{0,4}!e$|^_?![StG]~e~D_?u|^_?!_?G_?D?_?u|\+[_K]THIS[^.]?[SaG]|f_\+[_K]?THIS|THIS~b!Db~[an]|^_THISbs|Y[Ss]-THIS[^.]{0,3}[StG]", 2),
        (r"(?:ob|bDb)[^.]{0,5}OWNSUM|eK?OWNSUM|OWNSUM~\+", 1),
        (r"eN_?MUST[StG]|f_?u_?[^.]{0,4}[SG]|Yb[^.]{0,4}x_?[Sa9]|zY~[SG]", 2),
        (r"^_?!t_?u_?ee?|OWNSUM[^.]{0,40}(?:dW|xW|Wx)|^DOWNSUM[^.]{0,3}e|6W$|e5MUST", 1),
        (r"e_?_?KOWNSUM$", 2),
        (r"^_?Sxd$|^_?!a[^.]{0,40}E|f_?gE", 3),
        # Lines that stand alone: for whom, instead of what, and that no other is to be given.
        (r"Mr_?:|M[^.:]{0,6}:_?[tSaG]|^[^.:]{0,5}BOTb?r[^.:]{0,2}:|D[m5]_?[m5]?x|db_YbD[Sa]|^Z[^.:]{0,4}y7:", 3),
        (r"e[an]@~MUST|^__?[uw][^.]{0,12}[an]b_{1,2}$|A@~Y[SaGt]|t_?u~6_?a|^_?!t_?u_?e|xd[Wg]~:|Yb[Qz]~[SaG]", 2),
        (r"De[M5]|y7_{1,2}YD[SGt]|y7hA|BOTb_D[aS]~q|YbD[Sa]|^_?%?U[^.]{0,2}[tS]|^[_o§]?a6_|^[_D]{0,2}u_?q~S", 2),
        (r"V[De]?BOT", 1),
        (r"^[^.:]{0,2}BOT_?BOT?[^.:]{0,2}V:|^[^.]{0,2}BOT§", 3),
        (r"M~§|x_{1,2}D?[M5]_[tSG]|N_{0,3}![StG]|[anN]_{0,2}P?THISMUST|OWNSUMD_?u|SdD_?u|YbDf", 2),
        (r"f[^.]{0,4}THIS", 1),
        (r"f_{0,2}Yh?[ro]W|C[^.]{0,2}[yk]i", 4),
        (r"^_q~b&[^.]{0,2}S|!S[_dV]{0,2}Yr|!~%[yk][anN]|G_?u_?THIS|Y[^.]{0,4}h!i|[yk][m5]I", 2),
        # What is only told of: "critics say".
        (r"R", -2),
    )
)  # fmt: skip
#: Kinds that small words have, too: a row with fewer than two others has no points.
_SMALL: Final = frozenset('_0%DdPb&6KQ"h!oj§')
_LEAST: Final = 2


def points_of(row: str) -> int:
    """How many points the row of a sentence has: with two it may be an order, with three it is one."""
    if len(set(row) - _SMALL) < _LEAST:
        return 0
    # Where it is yours, it is an answer.
    row = _YOURS.sub("n", row)
    familiar = sum([points for rule, points in _FAMILIAR if rule.search(row)]) if not _EARLY.isdisjoint(row) else 0
    row = row.replace("F", "G" if "u" in row else "S").replace("/", "i")
    for kinds, kind in _TOGETHER:
        row = kinds.sub(kind, row)
    return familiar + sum([points for rule, points in _RULES if rule.search(row)])
