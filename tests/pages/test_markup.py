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


def test_elements_without_content_end_as_their_language_wants() -> None:
    assert tag("br") == "<br>"
    assert tag("img", src="a.png", alt="") == '<img src="a.png" alt="">'
    assert tag("rect", width=2.5, rx=3) == '<rect width="2.5" rx="3"/>'
    assert tag("circle", tag("title", "a")) == "<circle><title>a</title></circle>"
    assert tag("div") == "<div></div>"


def test_children_may_be_nested_and_none_is_nothing() -> None:
    assert joined() == ""
    assert joined("a", [None, ["<", [tag("b", "c")]]], None) == "a&lt;<b>c</b>"
    assert tag("ul", (tag("li", str(n)) for n in range(2))) == "<ul><li>0</li><li>1</li></ul>"


def test_text_made_of_markup_is_escaped_again() -> None:
    # Only what `tag` and `joined` return is markup: text that was cut or joined by other means is text.
    assert joined(tag("b", "x") + "!") == "&lt;b&gt;x&lt;/b&gt;!"
    assert joined(f"{tag('b', 'x')}") == "&lt;b&gt;x&lt;/b&gt;"
