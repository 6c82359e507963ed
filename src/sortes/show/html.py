"""Odds as a small table of HTML with bars, for notebooks: whole in itself, in light and in dark."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from sortes.show import words

if TYPE_CHECKING:
    from sortes.answers import Odds

STYLE = """
.sortes{--for:#1f5fae;--against:#a8641a;--ink:#15201c;--soft:#5c6a64;--line:#d5dbd8;color:var(--ink);
font:14px/1.4 system-ui,sans-serif;border-collapse:collapse;background:none}
@media (prefers-color-scheme:dark){.sortes{--for:#8ab8f8;--against:#eca24b;--ink:#e9efec;--soft:#a3b0aa;--line:#3a4642}}
[data-jp-theme-light=false] .sortes,.vscode-dark .sortes,[data-theme=dark] .sortes
{--for:#8ab8f8;--against:#eca24b;--ink:#e9efec;--soft:#a3b0aa;--line:#3a4642}
[data-jp-theme-light=true] .sortes,.vscode-light .sortes,[data-theme=light] .sortes
{--for:#1f5fae;--against:#a8641a;--ink:#15201c;--soft:#5c6a64;--line:#d5dbd8}
.sortes caption{caption-side:top;text-align:left;color:var(--soft);padding:0 0 .3em}
.sortes th,.sortes td{padding:.15em .7em .15em 0;border-bottom:1px solid var(--line);text-align:left;font-weight:400;
background:none;font-variant-numeric:tabular-nums}
.sortes td.n{text-align:right;white-space:nowrap}.sortes td.f{color:var(--soft)}.sortes td.b{width:12em}
.sortes b{font-weight:400;color:var(--soft)}.sortes b.for{color:var(--for)}.sortes b.against{color:var(--against)}
.sortes i{display:block;height:.7em;min-width:1px;background:var(--soft)}.sortes i.for{background:var(--for)}
.sortes i.against{background:var(--against)}
.sortes i.dots{opacity:.45}.sortes i.stripes{background-image:repeating-linear-gradient(135deg,transparent 0 3px,
color-mix(in srgb,var(--line) 75%,transparent) 3px 6px)}
.sortes i.both{background:repeating-linear-gradient(135deg,var(--for) 0 4px,var(--against) 4px 8px)}
"""

GLYPHS = {"yes-great": "◉", "yes-great-but": "◐", "yes": "●", "yes-but": "◐", "yes-flat": "○", "no-flat": "◇",
          "no": "◆", "no-and": "⬖", "no-great": "◈", "both": "◑", "fact": "✦", "none": "·"}  # fmt: skip


def odds_table(odds: Odds) -> str:
    """The odds of each value of the rule's main field, as HTML that needs nothing else. All text is escaped."""
    rule = odds.rule
    field = rule.fields[0]
    known = odds.by(field)
    most = max(map(float, known.values()), default=1.0) or 1.0
    samples = {} if words.known(rule) else {getattr(outcome, field): outcome for outcome in odds.outcomes}
    rows = []
    for value in sorted(known, key=rule.results.index) if rule.results else known:
        p = known[value]
        mark = words.mark(rule, value, samples.get(value))
        side = (
            "for" if mark.startswith("yes") else "against" if mark == "no" or mark.startswith("no-") else ""
        )
        fill = {"yes-flat": "dots", "no-flat": "dots", "both": "both"}.get(mark, "")
        fill = "stripes" if mark.endswith(("-but", "-and")) else fill
        name = words.title(rule, value) if rule.results else words.value(value)
        rows.append(_row(name, GLYPHS[mark], side, fill, p, float(p) / most))
    left = odds.left(field)
    if left:
        rows.append(_row("Unresolved", "", "", "", left, float(left) / most))
    said = words.params(rule, odds.params)
    caption = f"{rule.id}{', ' if said else ''}{said}"
    body = "".join(rows)
    table = f'<table class="sortes"><caption>{escape(caption)}</caption><tbody>{body}</tbody></table>'
    return f"<style>{STYLE}</style>{table}"


def _row(name: str, glyph: str, side: str, fill: str, p: Fraction, share: float) -> str:
    kinds = f"{side} {fill}".strip()
    return (
        f'<tr><th scope="row"><b class="{side}" aria-hidden="true">{glyph}</b> {escape(name)}</th>'
        f'<td class="b"><i class="{kinds}" style="width:{max(share * 100, 0.4):.2f}%"></i></td>'
        f'<td class="n f">{escape(words.exact(p))}</td><td class="n">{escape(words.percent(p))}</td></tr>'
    )
