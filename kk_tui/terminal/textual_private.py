"""The private names of Textual used in this folder (and only here), with why and what each gains.

A version of Textual may change any of them without notice, so the version is pinned, and
`tests/test_textual_private.py` checks that they are still there.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from textual._context import active_app
from textual.app import App
from textual.keys import _character_to_key


class Private(NamedTuple):
    """Names used for one reason; `buys` says what would be lost without them."""

    why: str
    buys: str
    names: tuple[str, ...]


TEXTUAL: Final = (
    Private(
        "the app in whose context a sentence is translated, and a widget that knows the screens below",
        "one process shows apps in many languages; parts of a screen are drawn without the others",
        ("textual._context.active_app", "textual._context.visible_screen_stack"),
    ),
    Private(
        "what has changed on a screen, and Textual's ways of drawing it",
        "a key draws only the rows that differ and is sent as one frame by our painter: 0.4 KB, not 20",
        (
            "textual._compositor.ChopsUpdate",
            "textual._compositor.Compositor",
            "textual._compositor.CompositorUpdate",
            "textual._compositor.LayoutUpdate",
            "textual._compositor.Compositor._dirty_regions",
            "textual._compositor.Compositor._regions_to_spans",
            "textual.app.App._display",
            "textual.app.App._filters",
            "textual.app.App._sync_available",
            "textual.app.App._batch_count",
            "textual.app.App._driver",
            "textual.message_pump.MessagePump._closed",
            "textual.strip.Strip._segments",
        ),
    ),
    Private(
        "the timer by which a screen is drawn, and what waits for it",
        "all that a key changes is drawn once and without messages, not after each step of the change",
        (
            "textual.screen.Screen._compositor",
            "textual.screen.Screen._compositor_refresh",
            "textual.screen.Screen._dirty_widgets",
            "textual.screen.Screen._layout_required",
            "textual.screen.Screen._on_timer_update",
            "textual.screen.Screen._scroll_required",
            "textual.screen.Screen._update_timer",
            "textual.widget.Widget._check_refresh",
            "textual.widget.Widget._layout_required",
            "textual.widget.Widget._repaint_required",
        ),
    ),
    Private(
        "the layout of a screen that comes up, or has another size",
        "a screen is laid out once, in the classes of its size; Textual does it again for what that changes",
        (
            "textual.app.App._background_screens",
            "textual.app.App._get_screen",
            "textual.dom.DOMNode._parent",
            "textual.screen.Screen._compose",
            "textual.screen.Screen._get_breakpoint_classes",
            "textual.screen.Screen._on_layout",
            "textual.screen.Screen._on_screen_resume",
            "textual.screen.Screen._refresh_layout",
            "textual.screen.Screen._screen_resized",
            "textual.scroll_view.ScrollView._size_updated",
            "textual.widget.Widget._size_updated",
        ),
    ),
    Private(
        "the end of a screen, while it is taken apart widget by widget",
        "closing widgets get no callbacks, focus or drawing, and what is shown next is not disturbed",
        (
            "textual.app.App._exit",
            "textual.dom.DOMNode._pruning",
            "textual.message_pump.MessagePump._closing",
            "textual.screen.Screen._callbacks",
            "textual.screen.Screen._invoke_and_clear_callbacks",
            "textual.screen.Screen._message_loop_exit",
            "textual.screen.Screen._reset_focus",
        ),
    ),
    Private(
        "the lines of a widget that are kept until they change",
        "a board is drawn in half of the time, text beside it in a fifth",
        (
            "textual._styles_cache.StylesCache",
            "textual._styles_cache.StylesCache._cache",
            "textual._styles_cache.StylesCache._dirty_lines",
            "textual._styles_cache.StylesCache._width",
            "textual.widget.Widget._get_style",
            "textual.widget.Widget._styles_cache",
        ),
    ),
    Private(
        "the lines on which the options of a list stand",
        "no option is cut by the end of a list, and its last line tells how many more there are",
        (
            "textual.widgets._option_list.OptionList._heights",
            "textual.widgets._option_list.OptionList._index_to_line",
            "textual.widgets._option_list.OptionList._lines",
        ),
    ),
    Private(
        "what Textual puts into every screen, or asks of every terminal",
        "two widgets fewer on each screen; no code that some terminals print; callbacks are not inspected",
        (
            "textual.app.App._disable_notifications",
            "textual.app.App._disable_tooltips",
            "textual.app.App._set_pointer_shape",
            "textual.content._strip_control_codes",
            "textual.screen.Screen._clear_tooltip",
            "textual._callback.count_parameters._param_count",
        ),
    ),
    Private(
        "all that the mouse does, before a widget hears of it",
        "a click counts as a press like a key does",
        ("textual.screen.Screen._forward_event",),
    ),
    Private(
        "the way of a key from the widget that has the focus to the app",
        "keys act in the order in which they are typed, and need no message",
        (
            "textual._callback.invoke",
            "textual.app.App._check_bindings",
            "textual.message.Message._set_forwarded",
            "textual.message.Message._stop_propagation",
            "textual.message_pump.MessagePump._get_dispatch_methods",
        ),
    ),
    Private(
        "the rules of style sheets, and the properties of a node that selectors query",
        "parsing and matching, more than half of what an app costs to start, are shared by all in a process",
        (
            "textual.css.styles.Styles._rules",
            "textual.css.stylesheet.Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE",
            "textual.css.stylesheet.Stylesheet._process_component_classes",
            "textual.css.stylesheet.Stylesheet._require_parse",
            "textual.css.stylesheet.Stylesheet._rules",
            "textual.css.stylesheet.Stylesheet._rules_map",
            "textual.css.stylesheet.Stylesheet._variable_tokens",
            "textual.dom.DOMNode._PSEUDO_CLASSES",
            "textual.dom.DOMNode._has_focus_within",
            "textual.dom.DOMNode._has_hover_style",
            "textual.dom.DOMNode._has_odd_or_even",
            "textual.dom.DOMNode._has_order_style",
            "textual.dom.DOMNode._id",
        ),
    ),
    Private(
        "the parser of keys, and its time-out",
        "answers of a terminal are no keys, and parsers of apps that have ended are not kept",
        (
            "textual._parser.Parser._timeout_time",
            "textual._xterm_parser.XTermParser",
            "textual._xterm_parser.XTermParser._parse_extended_key",
        ),
    ),
    Private(
        "the driver at home: its threads for reading and writing, its loop and the mouse",
        "a key wakes no thread, which would take a tenth of its time; the mouse can be left to the terminal",
        (
            "textual.driver.Driver._app",
            "textual.driver.Driver._debug",
            "textual.driver.Driver._loop",
            "textual.driver.Driver._mouse",
            "textual.drivers._writer_thread.WriterThread",
            "textual.drivers._writer_thread.WriterThread._file",
            "textual.drivers.linux_driver.LinuxDriver._disable_mouse_support",
            "textual.drivers.linux_driver.LinuxDriver._enable_mouse_support",
            "textual.drivers.linux_driver.LinuxDriver._file",
            "textual.drivers.linux_driver.LinuxDriver._writer_thread",
        ),
    ),
    Private(
        "the end of an app by a fault",
        "no traceback, which would show hands, reaches a player or the host's standard error",
        (
            "textual.app.App._exception",
            "textual.app.App._exit_renderables",
            "textual.app.App._fatal_error",
            "textual.app.App._handle_exception",
            "textual.app.App._print_error_renderables",
            "textual.app.App._return_code",
            "textual.message_pump.MessagePump._close_messages_no_wait",
        ),
    ),
    Private(
        "what an app does to the process around it",
        "several apps share a process: output goes where it went, the loop makes tasks as it did",
        (
            "textual.app.App._capture_stderr",
            "textual.app.App._capture_stdout",
            "textual.app.App._process_messages",
            "textual.app._NullFile",
        ),
    ),
    Private(
        "the names of keys that people choose for themselves",
        "they are compared with those of the keys that come",
        ("textual.keys._character_to_key",),
    ),
    Private(
        "the reference cycles that an app leaves behind, and when it has ended",
        "a departed user's memory is freed at once; a full collection would stop everybody else",
        (
            "textual.app.App._close_all",
            "textual.app.App._registry",
            "textual.app.App._shutdown",
            "textual.cache.LRUCache._cache",
            "textual.message_pump.MessagePump._task",
            "textual.timer.sleep",
            "textual.widget.Widget._component_styles",
            "textual.widget.Widget._get_virtual_dom",
            "textual.widget.Widget._query_one_cache",
            "textual.worker.Worker._task",
        ),
    ),
)


def key_name(character: str) -> str:
    """Return Textual's name of the key that types a character, such as question_mark."""
    return _character_to_key(character)


def current_app() -> App[Any] | None:
    """Return the app in whose context the caller runs."""
    return active_app.get(None)
