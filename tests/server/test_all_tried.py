"""Every command and every setting is tried by a test: who adds one, adds where that is done."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import msgspec
import pytest

from kk_server.serve.settings import Settings
from kk_server.visits.console.parser import parse
from tests.server.test_admins import ADMINS
from tests.server.test_console import COMMANDS

TESTS = Path(__file__).parent

EVERYBODYS = {
    "tables": "test_console::test_tables_are_listed_with_round_points_and_who_is_to_move",
    "who": "test_console::test_who_tells_who_is_here_and_where_and_addresses_to_nobody",
    "watch": "test_watch::test_a_match_is_watched_to_its_end_and_undo_is_told",
    "history": "test_console::test_the_record_of_a_table_that_is_not_for_everybody_is_for_those_who_played",
    "keys": "test_accounts::test_the_keys_of_an_account_are_listed_with_name_since_when_and_last_used",
    "calls": "test_being_called::test_calls_are_ordered_confirmed_and_stopped_by_a_command_too",
    "record": "test_console::test_a_record_comes_as_the_file_that_it_is_with_its_signature",
    "leaderboard": "test_console::test_the_leaderboard_has_the_best_of_every_game",
    "day": "test_daily::test_the_command_prints_the_table_of_the_day_in_words_and_in_json",
    "health": "test_console::test_health_is_told_in_words_and_in_json",
    "join": "test_openssh::"
    "test_the_code_of_an_invitation_leads_to_its_table_and_a_wrong_one_is_refused_in_a_sentence",
    "plain": "test_openssh::test_the_command_for_lines_of_text_needs_no_screen",
    "table": "test_web_links::test_a_table_is_gone_to_by_its_id_over_ssh_too",
    "match": "test_web_links::test_a_finished_match_is_gone_to_by_its_number_over_ssh_too",
    "link": "test_openssh::test_a_further_key_is_linked_by_the_command_and_leads_into_the_game",
    "report": "test_complaints::"
    "test_a_report_keeps_the_last_lines_with_names_and_addresses_and_tells_the_admins",
    "help": "test_console::test_the_help_names_every_command_and_each_has_a_help_of_its_own",
}
"""Where each command that is for everybody is tried."""

SETTINGS = {
    "host": "test_settings::test_a_server_listens_on_the_address_of_its_settings_alone",
    "port": "test_subsystem::test_a_port_that_is_taken_is_named",
    "address": "test_settings::"
    "test_people_are_told_the_port_of_the_address_and_otherwise_the_one_that_is_listened_on",
    "data": "test_settings::test_files_that_a_settings_file_names_are_seen_from_its_folder",
    "store": "test_postgres::test_a_password_in_the_address_of_a_database_is_refused",
    "node": "test_served_nodes::test_nodes_need_addresses_of_their_own",
    "guests": "test_accounts::test_where_guests_are_not_wanted_they_are_told_what_to_do",
    "allow": "test_accounts::test_only_listed_keys_come_in_and_the_others_are_told",
    "admins": "test_admins::test_an_admin_comes_in_where_only_listed_keys_do",
    "language": "test_terminal::test_who_asks_for_no_language_is_told_in_that_of_the_host",
    "log": "test_service::test_the_log_is_json_lines_or_words",
    "address_days": "test_addresses::"
    "test_where_people_came_from_is_known_after_a_restart_and_only_as_long_as_the_settings_say",
    "metrics_host": "test_listening::test_figures_are_at_the_address_of_the_settings_alone",
    "welcome.name": "test_welcome::test_it_stands_in_a_file_in_lines_or_is_typed",
    "welcome.rules": "test_welcome::test_it_stands_in_a_file_in_lines_or_is_typed",
    "welcome.news": "test_welcome::test_it_stands_in_a_file_in_lines_or_is_typed",
    "metrics": "test_metrics::test_what_happens_is_counted",
    "bot_processes": "test_thinking::test_after_a_restart_a_bot_that_thought_makes_its_move",
    "workers": "test_kill::test_after_kill_9_and_a_restart_all_that_was_acknowledged_stands",
    "web": "test_web::test_web_is_a_port_or_a_host_and_a_port",
    "web_address": "test_web::test_the_page_is_where_web_address_says_or_else_the_address",
    "web_proxies": "test_web::test_behind_a_proxy_of_web_proxies_the_last_address_that_it_was_told_counts",
    "web_cert": "test_web::"
    "test_with_web_cert_and_web_key_the_page_comes_over_tls_and_a_reload_takes_a_new_certificate",
    "web_key": "test_web::"
    "test_with_web_cert_and_web_key_the_page_comes_over_tls_and_a_reload_takes_a_new_certificate",
    "motion": "test_motion::test_nothing_moves_on_the_screens_of_a_host_who_does_not_want_it",
    "bot_pause": "test_settings::test_bots_wait_as_long_before_a_move_as_the_settings_say",
    "drain_minutes": "test_admins::test_without_a_number_people_have_as_long_as_the_settings_say",
    "purge_days": "test_purging::test_what_was_finished_at_a_purged_table_is_told_as_before",
    "calls.away_minutes": "test_being_called::test_people_are_called_once_they_have_been_away_for_so_long",
    "calls.private_addresses": "test_being_called::"
    "test_in_a_week_by_correspondence_everybody_is_told_of_every_turn_once_and_of_none_that_is_made",
    "calls.webhooks": "test_being_called::"
    "test_in_a_week_by_correspondence_everybody_is_told_of_every_turn_once_and_of_none_that_is_made",
    "calls.smtp": "test_being_called::test_the_server_logs_in_where_the_mail_server_wants_it",
    "calls.sender": "test_being_called::test_the_server_logs_in_where_the_mail_server_wants_it",
    "calls.smtp_user": "test_being_called::test_the_server_logs_in_where_the_mail_server_wants_it",
    "calls.smtp_password": "test_being_called::test_the_server_logs_in_where_the_mail_server_wants_it",
    "calls.smtp_security": "test_being_called::"
    "test_a_mail_server_without_encryption_is_not_used_where_the_settings_ask_for_it",
    "times.reconnect": "test_tables::test_a_table_waits_for_people_who_lost_their_connection_but_not_forever",
    "times.handover": "test_owners::test_a_table_is_handed_on_when_its_owner_is_gone",
    "times.vote": "test_proposals::test_only_for_who_has_been_away_for_a_while_can_a_bot_be_asked_for",
    "times.empty": "test_clocks::test_an_open_table_without_its_people_goes_after_a_while",
    "times.unplayed": "test_clocks::"
    "test_a_match_that_nobody_comes_back_to_ends_and_its_people_are_told_when_they_come",
    "limits.tables": "test_tables::test_a_server_has_only_so_many_tables",
    "limits.tables_per_user": "test_tables::"
    "test_a_user_opens_only_so_many_tables_and_may_open_more_after_leaving_one",
    "limits.tables_per_address": "test_limits::"
    "test_from_one_address_so_many_tables_are_opened_under_whatever_names",
    "limits.requests_per_second": "test_tables::test_too_many_requests_at_once_are_refused",
    "limits.requests_at_once": "test_tables::test_too_many_requests_at_once_are_refused",
    "limits.openings_per_minute": "test_limits::"
    "test_who_opens_tables_faster_than_anybody_can_is_refused_until_a_while_has_gone_by",
    "limits.openings_at_once": "test_limits::"
    "test_who_opens_tables_faster_than_anybody_can_is_refused_until_a_while_has_gone_by",
    "limits.looks_per_second": "test_limits::test_who_flips_through_tables_by_hand_is_never_refused",
    "limits.looks_at_once": "test_limits::test_who_looks_about_faster_than_anybody_can_is_refused",
    "limits.lines_per_second": "test_chat::test_who_says_much_at_once_has_to_wait",
    "limits.lines_at_once": "test_chat::test_who_says_much_at_once_has_to_wait",
    "limits.names_per_minute": "test_limits::test_what_was_used_up_comes_back_by_the_minute",
    "limits.names_at_once": "test_limits::test_from_one_address_so_many_names_are_claimed",
    "limits.codes_per_minute": "test_limits::test_what_was_used_up_comes_back_by_the_minute",
    "limits.codes_at_once": "test_limits::test_so_many_wrong_codes_of_invitations_are_borne_of_one_user",
    "limits.links_per_minute": "test_limits::test_what_was_used_up_comes_back_by_the_minute",
    "limits.links_at_once": "test_limits::test_so_many_codes_for_further_keys_are_tried_from_one_address",
    "limits.call_codes_per_hour": "test_being_called::"
    "test_so_many_codes_are_sent_for_one_user_and_to_one_address_and_no_more",
    "limits.call_codes_at_once": "test_being_called::"
    "test_so_many_codes_are_sent_for_one_user_and_to_one_address_and_no_more",
    "limits.analyses_per_minute": "test_analysis::"
    "test_a_user_has_so_many_matches_analysed_in_a_time_and_no_more",
    "limits.analyses_at_once": "test_analysis::"
    "test_a_user_has_so_many_matches_analysed_in_a_time_and_no_more",
    "limits.patience": "test_sync::test_who_does_not_read_for_too_long_is_disconnected",
    "limits.connections": "test_limits::test_connections_are_limited_all_together",
    "limits.connections_per_address": "test_subsystem::test_connections_and_channels_are_limited",
    "limits.connections_per_second": "test_limits::"
    "test_who_connects_again_and_again_is_turned_away_and_others_come_in",
    "limits.connections_at_once": "test_arrivals::"
    "test_a_network_from_which_many_have_come_waits_while_others_come_in",
    "limits.unauthenticated": "test_limits::test_those_who_have_not_logged_in_are_limited_all_together",
    "limits.unauthenticated_per_address": "test_limits::"
    "test_who_holds_the_door_open_without_logging_in_is_turned_away_and_others_come_in",
    "limits.login_seconds": "test_limits::test_who_does_not_log_in_is_disconnected_after_a_while",
    "limits.keys_per_connection": "test_accounts::test_who_offers_too_many_keys_is_disconnected",
    "limits.sessions_per_user": "test_limits::"
    "test_one_account_has_so_many_sessions_whatever_connections_they_come_over",
    "limits.channels_per_connection": "test_subsystem::test_connections_and_channels_are_limited",
    "limits.keys_per_second": "test_limits::"
    "test_a_megabyte_of_noise_is_not_read_and_another_player_does_not_wait_for_it",
    "limits.keys_at_once": "test_limits::"
    "test_a_megabyte_of_noise_is_not_read_and_another_player_does_not_wait_for_it",
    "limits.window_bytes": "test_limits::test_what_is_not_looked_at_fills_a_small_window_and_no_memory",
    "limits.frame_bytes": "test_limits::"
    "test_a_message_that_is_longer_than_a_frame_may_be_ends_the_session_with_a_sentence",
    "limits.columns": "test_limits::test_a_terminal_is_drawn_as_large_as_the_host_allows",
    "limits.rows": "test_limits::test_a_terminal_is_drawn_as_large_as_the_host_allows",
    "limits.idle_seconds": "test_limits::test_who_says_nothing_for_long_is_told_and_his_session_ended",
    "limits.queued_bytes": "test_limits::test_so_much_and_one_frame_waits_for_a_slow_reader",
}
"""Where each setting is tried."""


def keys(tree: object, within: str = "") -> set[str]:
    """The names of all settings."""
    if not isinstance(tree, dict):
        return {within.removesuffix(".")}
    return {name for key, value in tree.items() for name in keys(value, f"{within}{key}.")}


@cache
def sources(module: str) -> dict[str, str]:
    """The text of every test of a module."""
    text = (TESTS / f"{module}.py").read_text(encoding="utf-8")
    nodes = ast.parse(text).body
    tests = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {test.name: ast.get_source_segment(text, test) or "" for test in tests}


def test_every_setting_is_in_the_list() -> None:
    assert set(SETTINGS) == keys(msgspec.to_builtins(Settings()))


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_is_named_in_a_test_that_tries_it(setting: str) -> None:
    module, _, test = SETTINGS[setting].partition("::")
    assert setting.rpartition(".")[2] in sources(module)[test]


def test_every_command_is_for_everybody_or_among_those_that_are_refused_to_all_but_admins() -> None:
    admins = {line.split()[0] for line in ADMINS}
    assert not admins & set(EVERYBODYS)
    assert sorted(admins | set(EVERYBODYS)) == COMMANDS


@pytest.mark.parametrize("line", [*ADMINS, "tables", "who", "history", "leaderboard", "health", "help"])
def test_a_command_is_for_admins_where_the_list_says_so(line: str) -> None:
    assert parse(line).is_admins is (line in ADMINS)


@pytest.mark.parametrize("command", EVERYBODYS)
def test_every_command_for_everybody_is_named_in_a_test_that_tries_it(command: str) -> None:
    module, _, test = EVERYBODYS[command].partition("::")
    assert command in sources(module)[test]
