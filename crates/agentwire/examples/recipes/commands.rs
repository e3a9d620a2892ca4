//! Recipe `commands`: denies destructive commands.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::fields;

/// Denies `Bash` and `Monitor` commands that destroy data, take over the machine, or run text that can't be inspected.
///
/// Commands that can't be parsed reliably are denied too: a computed program name (`$X`, `` `…` ``), a continued line,
/// `eval`, a nested shell, `xargs`, and all of `git` but a few harmless commands.
/// Quotes and backslashes hide nothing; at worst they cause a false denial.
///
/// Not covered: scripts and interpreters (`python3 clean.py`, `make clean`, `sed` and `awk` programs), renamed
/// programs, and damage by harmless programs (`mv`, `> file`).
/// A deny list reduces accidents and stops no attacker: for that use a sandbox, or [`only`].
pub(crate) fn block_dangerous(hooks: Hooks) -> Hooks {
    hooks.on_matching(PreToolUse, Matcher::tools(TOOLS), |input, _cx| ready(judge(&input, danger)))
}

/// Denies `Bash` and `Monitor` all programs but these, each called by its plain name, without redirections and
/// variables;
/// the rest is decided as usual: by rules, the mode and the permission handler.
///
/// Do not list programs that run others or write to given paths, such as `env`, `find`, `git`, `sort` or `tee`.
pub(crate) fn only<I>(hooks: Hooks, programs: I) -> Hooks
where
    I: IntoIterator,
    I::Item: Into<String>,
{
    let programs: Vec<String> = programs.into_iter().map(Into::into).collect();
    hooks.on_matching(PreToolUse, Matcher::tools(TOOLS), move |input, _cx| {
        ready(judge(&input, |command| unlisted(command, &programs)))
    })
}

/// An error denies the call too.
pub(super) fn judge(
    input: &PreToolUseInput,
    objection: impl Fn(&str) -> Option<String>,
) -> Result<HookReply<PreToolUse>, String> {
    let fields = fields(input)?;
    let Some(command) = fields.get("command").and_then(|command| command.as_str()) else {
        return Err(format!("the input of {} has no `command`", input.tool_name));
    };
    if input.tool_name == "PowerShell" {
        return Ok(HookReply::deny("commands of PowerShell can't be judged here: use another tool"));
    }
    let found = unreadable(command).map(str::to_owned).or_else(|| objection(command));
    Ok(found.map_or_else(HookReply::proceed, HookReply::deny))
}

/// Returns why the words and lines of the command can't be determined.
fn unreadable(command: &str) -> Option<&'static str> {
    // Whether the shell joins lines depends on quotes, comments and further backslashes.
    if command.split('\n').any(|line| line.trim_end_matches('\r').ends_with('\\')) {
        return Some("write the command without a backslash at the end of a line");
    }
    // The shell treats other blanks as letters of a word.
    let odd = |char: char| (char.is_whitespace() || char.is_control()) && !matches!(char, ' ' | '\t' | '\n');
    command
        .contains(odd)
        .then_some("use no other blanks and control characters than spaces, tabs and line ends")
}

/// Returns why a command is denied if each of its programs must be on the list.
///
/// Quotes are not parsed: a `;` inside quotes counts as the end of a command, and a program name has no quotes.
pub(super) fn unlisted(command: &str, programs: &[String]) -> Option<String> {
    // `${ …; }` runs a command, `${X:=…}` and `$[X=…]` set a variable, `${X@P}` runs the value of one.
    let is_plain = |text: &str| {
        let name = text.strip_prefix('{').map(|rest| rest.split_once('}').map_or("", |(name, _)| name));
        let of_a_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        !text.starts_with('[') && name.is_none_or(|name| !name.is_empty() && name.chars().all(of_a_name))
    };
    if !command.split('$').skip(1).all(is_plain) {
        return Some("use no variables but `$NAME` and `${NAME}`".to_owned());
    }
    command.split(BETWEEN_COMMANDS).find_map(|one| {
        let program = one.split_whitespace().next()?;
        let known = programs.iter().any(|known| known == program) && !one.contains(['<', '>']);
        (!known).then(|| format!("`{}` is not what may be run here", one.trim()))
    })
}

/// Returns the danger of a command, if any.
pub(super) fn danger(command: &str) -> Option<String> {
    let bare = command.replace(['"', '\'', '\\'], "");
    bare.split(BETWEEN_COMMANDS).find_map(|one| {
        let words: Vec<&str> = one.split_whitespace().collect();
        // Some shells start a block without a `;` before it.
        words.split(|word| *word == "{").find_map(danger_of_one)
    })
}

fn danger_of_one(words: &[&str]) -> Option<String> {
    let start =
        words.iter().position(|word| !BEFORE_COMMANDS.contains(&last(word)) && !is_assignment(word))?;
    let (program, rest) = words[start..].split_first()?;
    if program.contains(UNREADABLE) || program.contains('=') || program.starts_with('-') {
        return Some(format!("it is unknown what `{program}` runs: write the program's name out"));
    }
    // A shell may be named with its version, as `zsh-5.9`.
    let name = last(program).trim_end_matches(|char: char| char.is_ascii_digit() || "-.".contains(char));
    let starts = |starts: &[&str]| rest.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    let harm = match name {
        "rm" => starts(&["-"]) || rest.iter().any(|word| word.contains(UNREADABLE)),
        "git" => !is_harmless_git(rest),
        _ if name.starts_with("mkfs") || name.starts_with("ld-") => true,
        _ => NEVER.split_whitespace().any(|never| never == name || never == last(program)),
    };
    let option = WITH_OPTIONS.iter().any(|(with, options)| *with == name && starts(options));
    let of_the_system = |word: &&str| {
        let path = word.trim_start_matches(|char: char| char.is_ascii_digit() || "<>=".contains(char));
        ["/dev/", "/proc/sys", "/sys/"].iter().any(|start| path.starts_with(start))
            && !DEVICES.contains(&path)
    };
    let harm = harm || option || words.iter().any(of_the_system);
    harm.then(|| format!("`{}` is not run here: ask the user to do it", words.join(" ")))
}

/// Returns whether a `git` command deletes nothing, overwrites nothing and runs no other program.
fn is_harmless_git(words: &[&str]) -> bool {
    let words = match words {
        ["-C", _, rest @ ..] | ["--no-pager" | "-P", rest @ ..] => rest,
        words => words,
    };
    let Some((command, rest)) = words.split_first() else { return true };
    let starts = |starts: &[&str]| rest.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    // Long options may be abbreviated, and short ones combined.
    let short = |letters: &[char]| {
        rest.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
    };
    let runs =
        starts(&["--op", "--up", "--rec", "--ex", "-O"]) || rest.iter().any(|word| word.contains("::"));
    !runs
        && match *command {
            "branch" | "switch" | "tag" => !short(&['d', 'D', 'f', 'C', 'M']) && !starts(&["--d", "--f"]),
            "checkout" => {
                rest.first() == Some(&"-b")
                    && rest.len() <= 3
                    && !rest[1..].iter().any(|word| word.starts_with('-'))
            }
            "clone" => !short(&['c', 'u']) && !starts(&["--c", "--t"]),
            "stash" => !rest.iter().any(|word| ["drop", "clear"].contains(word)),
            command => GIT.split_whitespace().any(|fine| fine == command),
        }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    let of_a_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    name.is_some_and(|name| !name.is_empty() && name.chars().all(of_a_name))
}

/// Returns the program's name without its folder.
fn last(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

const TOOLS: [&str; 3] = ["Bash", "Monitor", "PowerShell"];

/// Characters that separate commands.
const BETWEEN_COMMANDS: [char; 7] = [';', '&', '|', '\n', '(', ')', '`'];

/// Words that may precede a program name.
const BEFORE_COMMANDS: &[&str] =
    &["!", "{", "if", "then", "elif", "else", "while", "until", "do", "time", "command", "builtin", "nohup"];

/// Characters that make the shell compute a word, or that move a word out of the command.
const UNREADABLE: [char; 9] = ['$', '{', '}', '*', '?', '[', '~', '<', '>'];

/// Programs that destroy file systems, stop the machine, change the user, or run text that can't be inspected here.
const NEVER: &str = "dd shred truncate wipefs blkdiscard fdisk sfdisk cfdisk sgdisk parted mkswap swapoff cryptsetup losetup \
    lvremove vgremove pvremove mount umount kexec insmod rmmod modprobe shutdown reboot halt poweroff init telinit \
    systemctl service sudo sudoedit su doas pkexec runuser sg newgrp passwd chpasswd useradd usermod userdel visudo \
    eval exec noglob nocorrect repeat foreach emulate autoload zmodload sched source . trap alias function coproc \
    hash enable bind fc complete compgen mapfile readarray xargs parallel env nice ionice chrt taskset stdbuf setsid \
    setpriv timeout watch entr flock script expect strace ltrace gdb run-parts start-stop-daemon systemd-run tmux \
    screen ssh chroot unshare nsenter proot fakeroot bwrap at batch crontab busybox toybox \
    sh bash rbash dash ash zsh ksh mksh csh tcsh fish nu pwsh";

/// Options, by prefix, that make programs destroy or run something.
const WITH_OPTIONS: &[(&str, &[&str])] = &[
    ("chmod", &["-"]),
    ("chown", &["-"]),
    ("chgrp", &["-"]),
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
    ("fd", &["-x", "-X", "--ex"]),
    ("fdfind", &["-x", "-X", "--ex"]),
    ("rg", &["--pre"]),
    ("kill", &["-1"]),
    ("man", &["-P", "--p", "-H", "--html"]),
    ("rsync", &["--del", "--remove", "--rsh", "-e"]),
    ("sort", &["--co"]),
    ("split", &["--f"]),
    (
        "tar",
        &["--to", "--ch", "--use", "--rsh", "--in", "--new", "--rmt", "--rem", "--rec", "--un", "-I", "-F"],
    ),
    ("zip", &["-T", "--u"]),
];

/// `git` commands that are harmless with all options except the options that name a program.
const GIT: &str = "add blame cat-file check-ignore cherry-pick commit describe diff fetch grep init log ls-files ls-tree \
    merge merge-base mv pull remote rev-list rev-parse revert shortlog show status version";

/// Device files that may be named.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
];
