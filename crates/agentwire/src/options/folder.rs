//! Files in the working directory that affect the CLI: settings and MCP servers that the user may never have seen.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire_protocol::cli;

use super::{Options, SettingSource, Warning, launch_plan::word};
use crate::regular_file::regular_file;

/// The kinds of files in the working directory that the CLI applies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FolderFiles {
    project: bool,
    local: bool,
    servers: bool,
}

impl Options {
    /// Restricts the session for an untrusted folder: only the user's settings
    /// ([`setting_sources`](field@Self::setting_sources)), only the MCP servers of the options
    /// ([`strict_mcp_config`](field@Self::strict_mcp_config)), and no scheduled prompts (`CLAUDE_CODE_DISABLE_CRON`),
    /// which CLI 2.1.197 reads from the folder regardless of the setting sources.
    ///
    /// Settings, `.mcp.json`, instructions, commands, skills, agents and plugins of the folder then can't run anything,
    /// allow a tool, or redirect requests.
    /// Files that the model reads there remain untrusted input, and tools still run programs there.
    /// The guide `docs/security.md` lists the trust in each party.
    #[must_use]
    pub fn untrusted_folder(mut self) -> Self {
        self.setting_sources = Some(vec![SettingSource::User]);
        self.strict_mcp_config = true;
        self.env(cli::env::DISABLE_CRON, "1")
    }

    /// Returns the kinds of files in the working directory that the CLI applies with these options.
    pub(crate) fn folder_files(&self) -> FolderFiles {
        let by_flag = self.extra_args.get("setting-sources").map(|sources| sources.as_deref().unwrap_or(""));
        let heeds = |source: SettingSource| match (&self.setting_sources, by_flag) {
            (Some(sources), _) => sources.contains(&source),
            (None, Some(sources)) => sources.split(',').any(|name| name.trim() == word(&source)),
            (None, None) => true,
        };
        let project = heeds(SettingSource::Project);
        let strict = self.strict_mcp_config || self.extra_args.contains_key("strict-mcp-config");
        FolderFiles { project, local: heeds(SettingSource::Local), servers: project && !strict }
    }

    /// Returns the CLI's working directory.
    pub(crate) fn working_dir(&self) -> PathBuf {
        let dir = self.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
        std::path::absolute(&dir).unwrap_or(dir)
    }
}

impl FolderFiles {
    /// Returns a warning for each file in this directory that the CLI applies.
    pub(crate) fn in_folder(self, dir: &Path) -> Vec<Warning> {
        // The CLI resolves links in its working directory.
        let dir = &dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let settings = self.project.then(|| dir.join(SETTINGS));
        let local = self.local.then(|| [Some(dir.to_owned()), checkout(dir)].into_iter().flatten());
        let local = local.into_iter().flatten().map(|dir| dir.join(LOCAL_SETTINGS));
        let servers = self.servers.then(|| dir.ancestors().map(|dir| dir.join(SERVERS)));
        let mut files: Vec<_> =
            settings.into_iter().chain(local).chain(servers.into_iter().flatten()).collect();
        files.dedup();
        files.into_iter().filter(|file| file.is_file()).map(|file| Warning::FolderHeeded { file }).collect()
    }
}

/// Returns the root of the checkout that contains the directory; for a worktree, the root of its main checkout.
fn checkout(dir: &Path) -> Option<PathBuf> {
    let root = dir.ancestors().find(|dir| dir.join(".git").exists())?;
    let file = root.join(".git");
    let link = regular_file(&file).and_then(fs::read_to_string);
    let Ok(link) = link else { return Some(root.to_owned()) };
    let git = root.join(link.strip_prefix("gitdir:")?.trim());
    let main = git.ancestors().find(|dir| dir.ends_with(".git")).and_then(Path::parent);
    Some(main.unwrap_or(root).to_owned())
}

const SETTINGS: &str = ".claude/settings.json";
const LOCAL_SETTINGS: &str = ".claude/settings.local.json";
const SERVERS: &str = ".mcp.json";

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(options: &Options, dir: &Path) -> Vec<String> {
        let warnings = options.folder_files().in_folder(dir).into_iter();
        let files = warnings.filter_map(|warning| match warning {
            Warning::FolderHeeded { file } => Some(file.display().to_string()),
            _ => None,
        });
        files.collect()
    }

    #[test]
    fn device_in_the_place_of_a_repository_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", place.path().join(".git")).unwrap();
        assert_eq!(checkout(place.path()), Some(place.path().to_owned()));
    }

    #[test]
    fn files_around_a_linked_folder_are_those_of_its_target() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("real/sub")).unwrap();
        let servers = base.join("real/.mcp.json");
        fs::write(&servers, "{}").unwrap();
        std::os::unix::fs::symlink(base.join("real/sub"), base.join("link")).unwrap();
        assert_eq!(warned(&Options::new(), &base.join("link")), [servers.display().to_string()]);
    }

    #[test]
    fn files_that_the_cli_reads_are_warned_about() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        let put = |name: &str, text: &str| {
            let file = base.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            file.display().to_string()
        };
        let dir = base.join("checkout/sub");
        let above = put(".mcp.json", "{}");
        put("checkout/.git/HEAD", "");
        put("checkout/.claude/settings.json", "{}");
        let local = put("checkout/.claude/settings.local.json", "{}");
        let own = put("checkout/sub/.claude/settings.json", "{}");
        let all = Options::new();
        assert_eq!(warned(&all, &dir), [&own, &local, &above].map(String::clone));
        let user = Options::new().setting_sources([SettingSource::User]);
        assert!(
            warned(&user, &dir).is_empty() && warned(&Options::new().untrusted_folder(), &dir).is_empty()
        );
        assert_eq!(
            warned(&Options::new().setting_sources([SettingSource::Local]), &dir),
            std::slice::from_ref(&local)
        );
        assert_eq!(warned(&Options::new().strict_mcp_config(), &dir), [own.clone(), local.clone()]);
        let by_flag = Options::new().extra_arg("setting-sources", Some("user, local"));
        assert_eq!(warned(&by_flag, &dir), std::slice::from_ref(&local));
        // A worktree uses the local settings of its main checkout.
        let git = base.join("checkout/.git/worktrees/w");
        put("w/.git", &format!("gitdir: {}\n", git.display()));
        assert_eq!(warned(&all, &base.join("w")), [local, above]);
        assert!(warned(&user, Path::new("/nowhere")).is_empty());
    }
}
