"""Whether we and the reference SDK for Python read the same of the same folders; `cargo xtask sessions-agree` runs it.

`agree.py TOLD SEED FOLDERS [--self-test]`: makes so many folders by chance, from that seed on, reads each with the SDK
and with the program TOLD, and compares.
With `--self-test` nothing is excused, and it fails where nothing is unlike.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import uuid
from datetime import datetime, timezone

# What the CLI does otherwise than the Python SDK, and we with it: a session or a project that has it is not compared,
# but at least one of them must indeed be told differently, or the line is stale.
DIFFER = {
    "kept": "the CLI puts messages that a compaction kept behind its summary; the SDK leaves them out",
    "queued": "the CLI shows prompts that a turn took from the queue; the SDK leaves them out",
    "utf8": "the CLI reads a line that is not UTF-8 with U+FFFD; the SDK fails to read the session's messages",
    "leaf": "the CLI goes on with what was written last outside of sidechains, be it an attachment behind an older "
    "message or what only the CLI said; the SDK takes the last message of the user's or the model's",
    "name": "the CLI counts UTF-16 units and composes nothing; the SDK counts characters and composes",
}


class Session:
    """Writes one session by chance, with traits of DIFFER only where `odd` names one."""

    def __init__(self, rng, cwd, odd):
        self.rng, self.cwd, self.odd = rng, cwd, odd
        self.id = self.uuid()
        self.lines, self.last, self.said = [], None, []
        self.time = 1_750_000_000_000 + rng.randrange(10**10)
        self.traits = set()

    def uuid(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def stamp(self):
        self.time += self.rng.randrange(1, 5000)
        return datetime.fromtimestamp(self.time // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (self.time % 1000)

    def text(self):
        words = ["fix", "the", "é", "e\u0301", "\U0001f600", '"quoted"', "\\path", "line\nbreak", "тест", "a" * 50]
        return " ".join(self.rng.choice(words) for _ in range(self.rng.randrange(1, 12)))

    def add(self, kind, parent="last", **beside):
        parent = self.last if parent == "last" else parent
        entry = {"parentUuid": parent, "isSidechain": False, "cwd": self.cwd, "sessionId": self.id, "type": kind,
                 "uuid": self.uuid(), "timestamp": self.stamp(), "gitBranch": self.rng.choice(["main", "topic", ""])}
        entry.update(beside)
        if self.rng.random() < 0.2:
            entry.pop("cwd")
        self.lines.append(json.dumps(entry, ensure_ascii=self.rng.random() < 0.5, separators=self.rng.choice([(",", ":"), (", ", ": ")])))
        return entry["uuid"]

    def chain(self, kind, **beside):
        self.last = self.add(kind, **beside)
        if kind in ("user", "assistant"):
            self.said.append(self.last)
        return self.last

    def user(self, content=None, **beside):
        content = content if content is not None else self.rng.choice([
            self.text(), [{"type": "text", "text": self.text()}], "<command-name>/init</command-name>", "<tick>now</tick>",
            "[Request interrupted by user]", "<ide_selection>x</ide_selection>", " ", self.text() * 30])
        return self.chain("user", message={"role": "user", "content": content}, **beside)

    def assistant(self, block=None, response=None, **beside):
        message = {"role": "assistant", "id": response or "msg_" + self.uuid()[:8], "content": [block or {"type": "text", "text": self.text()}]}
        return self.chain("assistant", message=message, **beside)

    def parallel(self):
        response, calls = "msg_" + self.uuid()[:8], []
        for _ in range(self.rng.randrange(1, 5)):
            call = "toolu_" + self.uuid()[:8]
            calls.append((self.assistant({"type": "tool_use", "id": call, "name": "Read", "input": {"tag": "v1"}}, response), call))
        self.rng.shuffle(calls)
        for entry, call in calls[: len(calls) if self.rng.random() < 0.9 else 1]:
            parent = entry if self.rng.random() < 0.9 else self.last
            source = {"sourceToolAssistantUUID": entry} if self.rng.random() < 0.5 else {}
            self.last = self.add("user", parent, message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": self.text()}]}, **source)
        self.assistant()

    def beside(self):
        kind = self.rng.choice(["custom-title", "ai-title", "tag", "last-prompt", "summary", "mode", "file-history-snapshot", "junk", "blank", "filler"])
        if kind == "junk":
            line = self.rng.choice(["{broken", "[1]", "null", '"text"', '{"type":"user"'])
        elif kind == "blank":
            line = self.rng.choice(["", "   "])
        elif kind == "filler":
            line = json.dumps({"type": "progress-note", "text": "x" * self.rng.choice([1000, 30_000, 70_000])})
        else:
            value = self.rng.choice(["", self.text(), "short"])
            beside = {"custom-title": "customTitle", "ai-title": "aiTitle", "tag": "tag", "last-prompt": "lastPrompt", "summary": "summary"}.get(kind, "note")
            line = json.dumps({"type": kind, beside: value, "sessionId": self.id}, separators=(",", ":"))
        self.lines.append(line)

    def aside(self):
        before = None
        for _ in range(self.rng.randrange(1, 4)):
            before = self.add(self.rng.choice(["user", "assistant"]), before, isSidechain=True, message={"role": "user", "content": self.text()})

    def compaction(self):
        kept = {}
        if self.odd == "kept" and len(self.said) > 2:
            self.traits.add("kept")
        boundary = self.uuid()
        summary_of = self.said[-2:]
        self.last = self.add("system", None, subtype="compact_boundary", logicalParentUuid=self.last, content="", uuid=boundary, **kept)
        at = len(self.lines) - 1
        summary = self.chain("user", message={"role": "user", "content": "summary"}, isCompactSummary=True)
        if "kept" in self.traits:
            line = json.loads(self.lines[at])
            line["compactMetadata"] = {"trigger": "auto", "preservedMessages": {"anchorUuid": summary, "uuids": summary_of}}
            self.lines[at] = json.dumps(line)
        self.said = [summary]

    def repeat(self):
        """Writes the first entries again with the same ids, as the CLI sometimes does."""
        entries = [line for line in self.lines if '"uuid"' in line]
        self.lines += entries[: self.rng.randrange(len(entries) + 1)]

    def turn(self):
        rng = self.rng
        if rng.random() < 0.1:
            self.repeat()
        if self.said and rng.random() < 0.15:
            self.last = rng.choice(self.said)
        self.user(isMeta=True) if rng.random() < 0.1 else self.user()
        if rng.random() < 0.15:
            self.chain(rng.choice(["system", "progress", "attachment"]), subtype="note", attachment={"type": "file"})
        self.parallel() if rng.random() < 0.4 else self.assistant()
        if self.odd == "queued":
            self.traits.add("queued")
            self.chain("attachment", attachment={"type": "queued_command", "prompt": self.text()})
            self.assistant()
        if rng.random() < 0.15:
            self.aside()
        if rng.random() < 0.1:
            self.compaction()
            self.assistant()

    def end(self):
        if self.odd == "leaf" and len(self.said) > 2:
            self.traits.add("leaf")
            self.last = self.said[0]
            self.chain("user", isMeta=True, message={"role": "user", "content": "meta"})
        if self.odd == "utf8":
            self.traits.add("utf8")

    def write(self, folder):
        if self.rng.random() < 0.04:
            self.aside()
        for _ in range(self.rng.randrange(0, 8)):
            while self.rng.random() < 0.4:
                self.beside()
            self.turn()
        self.end()
        while self.rng.random() < 0.5:
            self.beside()
        text = "\n".join(self.lines).encode("utf-8", "surrogatepass") + b"\n" * (self.rng.random() < 0.8)
        if "utf8" in self.traits:
            text += b"\n{\"type\":\"note\",\"text\":\"\xff\xfe\"}\n"
        if self.rng.random() < 0.2:
            text += b'\n{"type":"user","uuid":"half","parentUuid":"' + str(self.last).encode()
        path = os.path.join(folder, self.id + ".jsonl")
        with open(path, "wb") as file:
            file.write(text)
        self.subagents(os.path.join(folder, self.id, "subagents"))
        return path

    def subagents(self, folder):
        for number in range(self.rng.choice([0, 0, 1, 3])):
            place = os.path.join(folder, "workflows/run") if self.rng.random() < 0.3 else folder
            os.makedirs(place, exist_ok=True)
            agent = Session(self.rng, self.cwd, None)
            for _ in range(self.rng.randrange(0, 3)):
                agent.turn()
            with open(os.path.join(place, f"agent-{number}.jsonl"), "w") as file:
                file.write("\n".join(agent.lines))
            if self.rng.random() < 0.7:
                meta = self.rng.choice([{"toolUseId": "toolu_1", "agentType": "x"}, {"toolUseId": 1, "parentAgentId": "p"}, [], {}])
                with open(os.path.join(place, f"agent-{number}.meta.json"), "w") as file:
                    json.dump(meta, file)


def key(path):
    """The folder's name as the CLI writes it."""
    units = path.encode("utf-16-le")
    units = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= 200:
        return name
    number = 0
    for unit in units:
        number = (number * 31 + unit) & 0xFFFFFFFF
    number = abs(number - (1 << 32) if number >= 1 << 31 else number)
    digits = ""
    while True:
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36] + digits
        number //= 36
        if number == 0:
            return name[:200] + "-" + digits


def make(root, rng):
    """Projects with sessions; gives the projects, and the sessions with their traits."""
    work, projects, sessions = os.path.join(root, "work"), [], {}
    names = ["plain.dir", "with space", "long/" + "/".join("n" * 70 for _ in range(4)), "emoji-\U0001f600", "de-e\u0301", "co-é"]
    for name in rng.sample(names, 4):
        os.makedirs(os.path.join(work, name))
        projects.append(os.path.join(work, name))
    if rng.random() < 0.5:
        main, linked = os.path.join(work, "main"), os.path.join(work, "linked tree")
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        subprocess.run([*git, "init", "-q", main], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "a"], check=True, cwd=main)
        subprocess.run([*git, "worktree", "add", "-q", "-b", "linked", linked], check=True, cwd=main, capture_output=True)
        projects += [main, linked]
    second = 1_700_000_000
    for project in projects:
        folder = os.path.join(root, "config/projects", key(project))
        os.makedirs(folder, exist_ok=True)
        for _ in range(rng.randrange(1, 6)):
            odd = rng.choice([None] * 8 + ["kept", "queued", "utf8", "leaf"])
            session = Session(rng, project, odd)
            path = session.write(folder)
            second += 1 + rng.randrange(9)
            os.utime(path, ns=(second * 10**9 + 500_500_000,) * 2)
            sessions[session.id] = session.traits
    return projects, sessions


def theirs(config, projects, ids):
    os.environ["CLAUDE_CONFIG_DIR"] = config
    import claude_agent_sdk as sdk

    def info(told):
        return told and {
            name: value
            for name, value in {
                "sessionId": told.session_id, "summary": told.summary, "lastModified": told.last_modified, "fileSize": told.file_size,
                "customTitle": told.custom_title, "firstPrompt": told.first_prompt, "gitBranch": told.git_branch, "cwd": told.cwd,
                "tag": told.tag, "createdAt": told.created_at}.items()
            if value is not None}

    def messages(told):
        return [{"type": m.type, "uuid": m.uuid, "session_id": m.session_id, "message": m.message,
                 "parent_tool_use_id": m.parent_tool_use_id, "parent_agent_id": m.parent_agent_id} for m in told]

    def attempt(read):
        try:
            return read()
        except UnicodeDecodeError as error:
            return repr(error)

    def infos(**options):
        return [info(told) for told in sdk.list_sessions(**options)]

    sessions = {}
    for id in ids:
        subagents = {agent: attempt(lambda: messages(sdk.get_subagent_messages(id, agent))) for agent in sdk.list_subagents(id)}
        sessions[id] = {
            "info": info(sdk.get_session_info(id)), "messages": attempt(lambda: messages(sdk.get_session_messages(id))),
            "page": attempt(lambda: messages(sdk.get_session_messages(id, limit=2, offset=1))), "subagents": subagents}
    return {"all": infos(), "page": infos(limit=3, offset=1), "sessions": sessions,
            "projects": {p: {"with": infos(directory=p), "without": infos(directory=p, include_worktrees=False)} for p in projects}}


def plain(value):
    """As it would come from a program that prints JSON."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def main():
    told, seed, folders, broken = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), "--self-test" in sys.argv
    seen, compared, failures = set(), 0, []
    for seed in range(seed, seed + folders):
        root = os.path.realpath(tempfile.mkdtemp(prefix="sessions-agree-"))
        try:
            projects, sessions = make(root, random.Random(seed))
            config = os.path.join(root, "config")
            wanted = json.dumps({"folder": config, "projects": projects, "ids": list(sessions)})
            output = subprocess.run([told], input=wanted.encode(), stdout=subprocess.PIPE, check=True).stdout
            ours, published = json.loads(output), plain(theirs(config, projects, sessions))
        finally:
            shutil.rmtree(root)

        def compare(what, traits, a, b):
            nonlocal compared
            compared += 1
            agree = a == b
            if not agree and traits and not broken:
                seen.update(traits)
            elif not agree:
                failures.append(f"seed {seed}, {what}:\n  ours   {json.dumps(a)[:1500]}\n  theirs {json.dumps(b)[:1500]}")

        compare("list of all", set(), ours["all"], published["all"])
        compare("page", set(), ours["page"], published["page"])
        for project in projects:
            odd = any(ord(c) > 0xFFFF for c in project) or unicodedata.normalize("NFC", project) != project
            for what in ("with", "without"):
                compare(f"list of {project} {what} worktrees", {"name"} if odd else set(), ours["projects"][project][what], published["projects"][project][what])
        for id, traits in sessions.items():
            for what in ("info", "messages", "page", "subagents"):
                odd = traits if what in ("messages", "page") else set()
                compare(f"{what} of {id}", odd, ours["sessions"][id][what], published["sessions"][id][what])
    if broken:
        # What is known to differ counts as unlike then, so that it is seen that the comparison finds it.
        print(f"{len(failures)} unlike, of which none is excused")
        sys.exit(0 if failures else 1)
    for failure in failures[:5]:
        print(failure)
    stale = DIFFER.keys() - seen if folders >= 20 else set()
    for trait in sorted(stale):
        print(f"stale: nothing differs by `{trait}` any more ({DIFFER[trait]})")
    print(f"{folders} folders, {compared} comparisons, {len(failures)} unlike; {len(DIFFER)} differences are known")
    sys.exit(1 if failures or stale else 0)


main()
