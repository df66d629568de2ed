"""Standings counted anew from what the API tells of matches and rounds, in another way than ours."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from flask.testing import FlaskClient

RANKS, SUITS = "23456789TJQKA", "dchs"
BETTER_IF_MORE = ("wins", "rows_won", "sweeps")

Item = dict[str, Any]


def deal(chance: Random, players: list[str]) -> list[Item]:
    """A round's seats: each hand sorted by rank, mostly in order, at times a foul."""
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    chance.shuffle(deck)
    seats = []
    for place, player in enumerate(players):
        hand = sorted(deck[13 * place : 13 * place + 13], key=lambda card: RANKS.index(card[0]))
        seats.append({"player": player, "top": hand[:3], "middle": hand[3:8], "bottom": hand[8:]})
    return seats


def pages(client: FlaskClient, path: str) -> Iterator[Item]:
    """All items of a list."""
    cursor = ""
    while True:
        page = client.get(f"{path}&limit=500{cursor}").get_json()
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        cursor = f"&cursor={page['next_cursor']}"


def recount(client: FlaskClient, tournament: Item, stage: int | None = None) -> list[Item]:
    """The items of the standings as they should be."""
    matches = {
        match["id"]: match
        for match in pages(client, f"/v1/matches?tournament={tournament['id']}")
        if stage in (None, match["stage"])
    }
    path = f"/v1/tournaments/{tournament['id']}"
    everybody = {player["player"]: player for player in pages(client, f"{path}/players?")}
    if stage is not None:
        seated = {player for match in matches.values() for player in match["players"]}
        everybody = {player: told for player, told in everybody.items() if player in seated}
    lines: dict[str, Item] = {player: defaultdict(int) for player in everybody}
    of_match: dict[str, dict[str, int]] = {match: {} for match in matches}
    for round_ in pages(client, f"/v1/rounds?tournament={tournament['id']}"):
        if round_["match"] in matches and round_["status"] != "void":
            _count_round(round_, lines, of_match[round_["match"]])
    for match in matches.values():
        for given in match["adjustments"]:
            lines[given["player"]]["adjustments"] += given["points"]
        if match["status"] == "finished":
            _count_match(match, of_match[match["id"]], lines)
    if stage is None:
        for event in pages(client, f"{path}/events?kind=adjusted"):
            lines[event["player"]]["adjustments"] += event["points"]
    stake = tournament["stake"]
    items = [_line(player, line, everybody[player], stake) for player, line in lines.items()]
    return _ranked(items, tournament["rank_by"])


def _count_round(round_: Item, lines: dict[str, Item], points: dict[str, int]) -> None:
    for seat in round_["seats"]:
        player, line = seat["player"], lines[seat["player"]]
        points[player] = points.get(player, 0) + seat["points"]
        line["points"] += seat["points"]
        line["rounds"] += 1
        line["fouls"] += seat["foul"] is not None
        line["specials"] += seat["special"] is not None
        line["clean_sweeps"] += seat["clean_sweep"]
        for name in ("fee", "net"):
            line[name] += seat["money"][name] if "money" in seat else 0
        for duel in round_["duels"]:
            if player in duel["players"]:
                line["opponents"] += 1
                won = sum(row["winner"] == player for row in (duel["rows"] or {}).values())
                line["rows_won"] += won
        line["sweeps"] += seat["sweeps"]


def _count_match(match: Item, points: dict[str, int], lines: dict[str, Item]) -> None:
    totals = {
        player: total + sum(a["points"] for a in match["adjustments"] if a["player"] == player)
        for player, total in points.items()
    }
    for player, total in totals.items():
        others = [other for name, other in totals.items() if name != player]
        # One for being there, one for each who is beaten, a half for each who is as good.
        beaten, equal = sum(o < total for o in others), sum(o == total for o in others)
        lines[player]["placings"] += 1 + beaten + Fraction(equal, 2)
        lines[player]["matches"] += 1
        lines[player]["wins"] += beaten == len(others)


def _line(player: str, line: Item, told: Item, stake: int | None) -> Item:
    points = line["points"] + line["adjustments"]
    names = ("opponents", "matches", "wins", "rounds", "rows_won", "sweeps", "clean_sweeps")
    item = {"player": player, "points": points, "adjustments": line["adjustments"]}
    item |= {name: line[name] for name in (*names, "fouls", "specials")}
    item["placings"] = float(line["placings"])
    each = Fraction(points, line["opponents"]) if line["opponents"] else None
    item["points_per_opponent"] = each
    item["withdrawn"] = told["withdrawn_at"] is not None
    if stake is not None:
        item["money"] = {"won": line["points"] * stake, "fee": line["fee"], "net": line["net"]}
    return item


def _ranked(items: list[Item], rank_by: str) -> list[Item]:
    def better(one: Item, other: Item) -> bool:
        mine, theirs = one[rank_by], other[rank_by]
        if mine != theirs:
            return theirs is None or (mine is not None and mine > theirs)
        for name in BETTER_IF_MORE:
            if one[name] != other[name]:
                return bool(one[name] > other[name])
        return bool(one["fouls"] < other["fouls"])

    for item in items:
        item["place"] = 1 + sum(better(other, item) for other in items)
    for item in items:
        item["tied"] = sum(other["place"] == item["place"] for other in items) > 1
    for item in items:
        if item["points_per_opponent"] is not None:
            item["points_per_opponent"] = round(float(item["points_per_opponent"]), 4)
    return sorted(items, key=lambda item: (item["place"], item["player"]))
