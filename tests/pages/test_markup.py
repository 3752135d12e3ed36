"""Markup: text is escaped, markup is not."""

from tacit.pages.markup import Markup, joined, tag

EVIL = "<script>alert('x')</script>&\"'>"


def test_markup_escapes_text_and_attributes_but_not_itself() -> None:
    assert tag("p", EVIL, title=EVIL) == (
        '<p title="&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;&quot;&#x27;&gt;">'
        "&lt;script&gt;alert('x')&lt;/script&gt;&amp;\"'&gt;</p>"
    )
    assert tag("p", tag("b", "x"), None, ["y", "<"], aria_label="l", hidden=None) == (
        '<p aria-label="l"><b>x</b>y&lt;</p>'
    )
    assert isinstance(joined("a", Markup("<br>")), Markup)
