//! Secrets are blanked wherever they stand, and nothing else is.

use agentwire_testkit::{
    Argv, Redactor, Transcript,
    redact::{RedactionReport, SecretKind},
    transcript::Entry,
};
use serde_json::{Value, json};

use super::session;

/// Texts with the shape of a secret.
pub(super) const SHAPES: &[&str] = &[
    "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-zzzzzzzz",
    "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1w",
    "sk-aB3dEf6hIj9kLm2nOp5qRs8tUv1w",
    "AKIAIOSFODNN7EXAMPLE",
    "AKIAIOSFODNN7EXAMPLE/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
    "glpat-ABCDEFGHIJ1234567890",
    "xoxb-123456789012-abcdefABCDEF",
    "AIzaSyA1234567890abcdefghijklmnopqrstuvw",
    "ya29.a0AfH6SMBxyz-123",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "Bearer hunter2-canary",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nQyNTUxOQAAACB\n-----END OPENSSH PRIVATE KEY-----",
    "password: hunter2-canary",
    "API_KEY=hunter2-canary",
    "export AWS_SECRET_ACCESS_KEY='hunter2 canary'",
    "{\"token\": \"hunter2-canary\"}",
    "{'client_secret' => 'hunter2-canary'}",
    "DB_PASS=hunter2-canary",
    "export PGPASS='hunter2-canary'",
    "db-pass: hunter2-canary",
    "sshpass --pass hunter2-canary",
    "{'user': 'me', 'pass': 'hunter2-canary'}",
    "--password hunter2-canary",
    "my password is hunter2-canary",
    "curl -u me:hunter2-canary https://example.com/",
    "curl -H X-Key:hunter2-canary h",
    "Authorization: Basic dXNlcjpodW50ZXIy",
    "Cookie: sid=hunter2-canary; theme=dark",
    "https://u:hunter2-canary@example.com/",
    "https://example.com/?key=hunter2-canary#x",
    "https://example.com/cb#access_token=hunter2-canary",
    "postgres://u:hunter2/canary?x@db/app",
    "https://hooks.slack.com/services/T0000/B0000/hunter2canary",
    "https://example.com/t/aB3dEf6hIj9kLm2nOp5q/x",
    "sshpass -p 'hunter2-canary' ssh -p 2222 host 'mkdir -p deep/folder'",
    "docker login -u bob -p hunter2-canary r && docker run -p 8080:80 -p 9090:90 img",
    "mysql -uroot -phunter2-canary db",
    "AZURE_DEVOPS_PAT=hunter2-canary",
    "PW=hunter2-canary",
    "<add key=\"ClearTextPassword\" value=\"hunter2-canary\" />",
    "bob:$2y$05$hunter2canaryhunter2canary",
    "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ+abc$hunter2canary+bdWR",
    "const apiKey: string = 'hunter2-canary';",
    "const API_KEY: &'static str = 'hunter2-canary';",
    "api_key: Optional[str] = 'hunter2-canary'",
    "machine h\n  login me\n  password hunter2-canary",
    "curl --cookie 'a=1; sid=hunter2-canary' h",
    "curl -s -b sid=hunter2-canary h",
    "echo 'hunter2-canary' | docker login -u me --password-stdin",
    "printf '%s' hunter2-canary | sudo -S ls",
    "Ab18Q~aB3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ0",
    "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",
    "fc-0123456789abcdef0123456789abcdef",
    "ATBBaB3dEf6hIj9kLm2nOp5qRs8t",
    "0123456789abcdef0123456789abcdef-us12",
    "psql -c \"ALTER USER app WITH PASSWORD 'hunter2-canary'\"",
    "CREATE USER app IDENTIFIED BY 'hunter2-canary'",
    "sql \"ALTER USER app IDENTIFIED BY \\\"hunter2-canary\\\"\"",
    "`password`: `hunter2-canary`",
];

/// Returns the part of a shape that must not remain.
pub(super) fn core(shape: &str) -> &str {
    for core in [
        "hunter2-canary",
        "hunter2 canary",
        "hunter2/canary",
        "hunter2canary",
        "b3BlbnNzaC1rZXkt",
        "dXNlcjpodW50ZXIy",
    ] {
        if shape.contains(core) {
            return core;
        }
    }
    if shape.starts_with("https://example.com/t/") { "aB3dEf6hIj9kLm2nOp5q" } else { shape }
}

pub(super) fn redacted(redactor: &Redactor, lines: &[impl AsRef<str>]) -> (String, RedactionReport) {
    let before = session(lines);
    let (session, report) = redactor.redact_with_report(&before);
    assert_eq!(report.leftovers, None, "{before:?}");
    let (again, _) = redactor.redact_with_report(&session);
    assert_eq!(again.entries, session.entries, "redacted twice");
    (text(&session), report)
}

fn text(session: &Transcript) -> String {
    let line = |entry: &Entry| match entry {
        Entry::Outbound(line) | Entry::Inbound(line) | Entry::Stderr(line) | Entry::Comment(line) => {
            String::from_utf8_lossy(line).into_owned()
        }
        other => format!("{other:?}"),
    };
    session.entries.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the secret in both directions: plain, in JSON within a string, percent-encoded and as a key.
fn around(secret: &str) -> Vec<String> {
    let inner = json!({ "note": format!("one {secret}\ntwo") }).to_string();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let values = [
        json!({ "type": "user", "text": secret }),
        json!({ "type": "user", "text": format!("before\n{secret}\nafter") }),
        json!({ "type": "user", "text": inner }),
        json!({ "type": "user", "text": format!("output: {}", json!([inner])) }),
        json!({ "type": "user", "text": percent }),
        json!({ "type": "user", secret: 1 }),
    ];
    let lines = values.iter().flat_map(|value| [format!("> {value}"), format!("< {value}")]);
    lines.chain([format!("! {}", secret.replace('\n', " "))]).collect()
}

#[test]
fn secrets_of_a_known_shape_are_blanked() {
    for shape in SHAPES {
        for line in around(shape) {
            let (text, report) = redacted(&Redactor::new(), std::slice::from_ref(&line));
            assert!(!text.contains(core(shape)), "{shape} in {line}: {text}");
            assert!(!report.found.is_empty(), "{line}");
            assert!(line.starts_with('!') || serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        }
    }
}

/// The keys that [`SHAPES`] lacks, put together here, so that no scanner takes them for real ones.
#[test]
fn keys_of_each_provider_are_blanked() {
    let (mixed, hex) = ("aB3dE6fG9h".repeat(4), "0a1b2c3d4e".repeat(4));
    let (mixed, hex) = (&mixed[..33], &hex[..32]);
    let upper = mixed.to_ascii_uppercase();
    let mut keys: Vec<String> = Vec::new();
    for (starts, rest) in [
        ("sk_live_ rk_test_ pk_live_ whsec_ sq0atp- GOCSPX- 1//0 hooks.slack.com/workflows/", mixed),
        ("xoxe.xoxp- xapp- dckr_pat_ dckr_oat_ hf_ gsk_ xai- pplx- r8_ nvapi- 1234567890:AA", mixed),
        ("gho_ ghu_ ghs_ ghr_ gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-", mixed),
        ("gloas- GR1348941 hvs. hvb. hvr. lin_api_ ntn_ figd_ figp_ glsa_ glc_ pscale_tkn_", mixed),
        ("dp.pt. ATATT3 HRKU- sntrys_ sntryu_ tskey- PMAK- CFPAT- sb_secret_ nfp_", mixed),
        // 40 random characters would be blanked without a known shape.
        ("MIIE MHcCAQ MHQCAQ MIGHAgE MIGTAgE MC4CAQAw b3BlbnNzaC1rZXkt LS0tLS1CRUdJTi", &mixed[..30]),
        ("rubygems_ shpat_ shpca_ shppa_ shpss_ SK key- dop_v1_ doo_v1_ dor_v1_ dapi sbp_ pul-", hex),
        ("NRAK- AGE-SECRET-KEY-1", &upper[..]),
        ("A3TX ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA APKA", &upper[..16]),
    ] {
        keys.extend(starts.split_whitespace().map(|start| format!("{start}{rest}")));
    }
    keys.extend(["M", "N", "O"].map(|start| format!("{start}{}.aB3dE6.{mixed}", &mixed[..23])));
    keys.extend([format!("SG.{mixed}.{mixed}"), format!("{}.atlasv1.{mixed}", &mixed[..14])]);
    for key in keys {
        let (text, _) = redacted(&Redactor::new(), &[format!("> {}", json!({ "x": key }))]);
        assert!(!text.contains(&key), "{text}");
    }
}

#[test]
fn named_secrets_are_blanked_in_every_spelling() {
    for secret in ["correct horse \"battery\"\nstäple", "hunter2", "p%/ss\\w'rd&", "a,b"] {
        let redactor = Redactor::new().secret(secret);
        for line in around(secret) {
            let (text, _) = redacted(&redactor, std::slice::from_ref(&line));
            assert!(!text.contains(secret), "{line}: {text}");
            assert!(!text.contains("battery") && !text.contains("hunter"), "{line}: {text}");
        }
    }
    // `hunter2` behind 0, 1 and 2 other bytes.
    for base64 in ["aHVudGVyMg==", "X2h1bnRlcjI=", "X19odW50ZXIyIQ=="] {
        let (text, report) =
            redacted(&Redactor::new().secret("hunter2"), &[format!(r#"< {{"data":"{base64}"}}"#)]);
        assert!(text.contains("<redacted-1>"), "{text}");
        assert_eq!(report.found[&SecretKind::Named], 1);
    }
    // The last character has two bytes, and a line break follows.
    let (text, report) =
        redacted(&Redactor::new().secret("geheim-tür-é"), &[r#"< {"data":"geheim-tür-é\nx"}"#]);
    assert_eq!(text, r#"{"data":"<redacted-1>\nx"}"#);
    assert_eq!(report.found[&SecretKind::Named], 1);
    // Programs wrap base64 at 76 characters.
    let (first, rest) = (
        "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZS1jb3JyZWN0LWhvcnNlLWJhdHRlcnktc3RhcGxl",
        "LWNvcnJlY3QtaG9yc2UtYmF0dGVyeS1zdGFwbGUtY29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZS0=",
    );
    let redactor = Redactor::new().secret("correct-horse-battery-staple-".repeat(4));
    let (text, _) = redacted(&redactor, &[format!(r#"< {{"data":"{first}\n{rest}"}}"#)]);
    assert!(!text.contains(&first[..20]) && !text.contains(&rest[..20]), "{text}");
    let (text, _) = redacted(&Redactor::new().secret("998877"), &[r#"< {"n":998877,"m":[1998877.5]}"#]);
    assert_eq!(text, r#"{"n":0,"m":[0]}"#);
    assert!(!format!("{:?}", Redactor::new().secret("hunter2")).contains("hunter2"));
}

#[test]
fn values_are_blanked_for_their_place() {
    let line = r#"> {"type":"control_request","request_id":"req_1","request":{"subtype":"initialize","mcpServers":{"db":{"command":"x","args":["--api-key","plain words","-v"],"env":{"PGPASSWORD":"hunter two","LEVEL":"1"}},"gh":{"type":"http","url":"https://u:pw1@h/a?key=value&n=1","headers":{"X-Any":"plain words"}}},"settings":{"env":{"A":"plain words"}}}}"#;
    let (text, report) = redacted(&Redactor::new(), &[line]);
    assert_eq!(
        text,
        r#"{"type":"control_request","request_id":"req_1","request":{"subtype":"initialize","mcpServers":{"db":{"command":"x","args":["--api-key","<redacted-1>","-v"],"env":{"PGPASSWORD":"<redacted-2>","LEVEL":"1"}},"gh":{"type":"http","url":"https://<redacted-3>@h/a?key=<redacted-4>&n=1","headers":{"X-Any":"<redacted-1>"}}},"settings":{"env":{"A":"<redacted-1>"}}}}"#
    );
    let found: Vec<_> = report.found.into_iter().collect();
    let expected =
        [(SecretKind::Environment, 2), (SecretKind::Header, 1), (SecretKind::Url, 2), (SecretKind::Field, 1)];
    assert_eq!(found, expected);
    let account = r#"< {"account":{"email":"jane.doe@corp.example","organization":"Corp Incorporated","subscriptionType":"max","tokenSource":"none"},"password":[12345,"two words"],"usage":{"tokens":5,"token":7}}"#;
    let (text, _) = redacted(&Redactor::new(), &[account]);
    assert_eq!(
        text,
        r#"{"account":{"email":"<redacted-1>","organization":"<redacted-2>","subscriptionType":"max","tokenSource":"none"},"password":[0,"<redacted-3>"],"usage":{"tokens":5,"token":7}}"#
    );
    // Below `properties`, a schema has objects; texts are values.
    let resource =
        r#"< {"properties":{"adminLoginPassword":"hunter2-canary","email":"jane.doe@corp.example"}}"#;
    let (text, _) = redacted(&Redactor::new(), &[resource]);
    assert_eq!(text, r#"{"properties":{"adminLoginPassword":"<redacted-1>","email":"<redacted-2>"}}"#);
}

#[test]
fn a_field_named_pass_holds_a_secret() {
    let line = r#"< {"auth":{"user":"me","pass":"two words"},"smtp_pass":12345}"#;
    let (text, _) = redacted(&Redactor::new(), &[line]);
    assert_eq!(text, r#"{"auth":{"user":"me","pass":"<redacted-1>"},"smtp_pass":0}"#);
}

#[test]
fn values_below_a_list_of_passwords_are_blanked() {
    let line = r#"< {"passwords":{"db":"two words"},"api_keys":["two words"]}"#;
    let (text, _) = redacted(&Redactor::new(), &[line]);
    assert_eq!(text, r#"{"passwords":{"db":"<redacted-1>"},"api_keys":["<redacted-1>"]}"#);
}

#[test]
fn secret_in_a_quoted_text_with_brackets_is_blanked() {
    for text in ["API_KEY=hunter2-canary [x]", "ghp_abcdefghijklmnop1234 {}", "[x] API_KEY=hunter2-canary"] {
        let line = format!("< {}", json!({ "content": Value::from(text).to_string() }));
        let (after, _) = redacted(&Redactor::new(), &[line]);
        assert!(after.contains("<redacted-1>") && !after.contains(core(text)), "{after}");
    }
}

#[test]
fn named_secret_that_is_json_is_blanked() {
    let secret = r#"{"type":"service_account","client_email":"bot@acme.iam"}"#;
    let redactor = Redactor::new().secret(secret);
    let pieces = [&secret[..20], &secret[20..]].map(|piece| delta("text", piece));
    for lines in [vec![format!("> {}", json!({ "content": secret }))], pieces.to_vec()] {
        let (text, report) = redacted(&redactor, &lines);
        assert!(text.contains(r#""<redacted-1>""#) && !text.contains("service_account"), "{text}");
        assert_eq!(report.found[&SecretKind::Named], 1);
    }
    let part = format!(r#"{{"key":{secret}}}"#);
    let quoted = json!({ "content": part }).to_string();
    let (text, _) = redacted(&redactor, &[format!("> {part}"), format!("> {quoted}")]);
    assert_eq!(text, "{\"key\":0}\n".to_owned() + r#"{"content":"{\"key\":0}"}"#);
    let mut session = Transcript::default();
    session.argv = Some(Argv::new(["--settings", secret]));
    let session = redactor.redact(&session).unwrap();
    assert_eq!(session.argv.unwrap().args()[1], "<redacted-1>");
}

#[test]
fn secret_found_in_one_place_is_blanked_everywhere() {
    let lines = [
        r#"< {"text":"connected as jane.doe@corp.example with s3cretvalue"}"#,
        r#"> {"env":{"PGPASSWORD":"s3cretvalue"}}"#,
        r#"< {"account":{"email":"jane.doe@corp.example"}}"#,
    ];
    let (text, _) = redacted(&Redactor::new(), &lines);
    assert!(!text.contains("jane") && !text.contains("s3cret"), "{text}");
    assert!(text.contains("connected as <redacted-1> with <redacted-2>"), "{text}");
}

#[test]
fn lines_of_a_private_key_are_blanked_everywhere() {
    let lines = ["Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MTIz", "c2Vjb25kIGxpbmUgb2YgdGhlIGtleSAxMjM0"];
    let key =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n", lines.join("\n"));
    let patch =
        json!({ "structuredPatch": [{ "lines": [format!("-{}", lines[0]), format!("+{}", lines[1])] }] });
    let session = [format!("< {}", json!({ "originalFile": key })), format!("< {patch}")];
    let (text, _) = redacted(&Redactor::new(), &session);
    assert!(text.ends_with(r#"{"lines":["-<redacted-2>","+<redacted-3>"]}]}"#), "{text}");
}

#[test]
fn secrets_in_arguments_and_comments_are_blanked() {
    let mut session = Transcript::default();
    let config = r#"{"mcpServers":{"a":{"env":{"K":"plain words"}}}}"#;
    session.argv = Some(Argv::new(["--mcp-config", config, "--token", "plain words"]));
    session.entries = vec![Entry::Comment("password: hunter2".into())];
    let session = Redactor::new().redact(&session).unwrap();
    let args = session.argv.as_ref().unwrap().args();
    assert_eq!(args[1], r#"{"mcpServers":{"a":{"env":{"K":"<redacted-1>"}}}}"#);
    assert_eq!(args[3], "<redacted-1>");
    assert_eq!(text(&session), "password: <redacted-2>");
}

pub(super) fn delta(field: &str, piece: &str) -> String {
    let delta = json!({ "type": format!("{field}_delta"), field: piece });
    let event = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    format!("< {}", json!({ "type": "stream_event", "session_id": "s", "event": event }))
}

#[test]
fn a_secret_cut_over_deltas_is_blanked() {
    let secret = "hunter2 \"canary\"";
    let texts = [
        ("text", format!("Before {secret} and behind.")),
        ("thinking", format!("Before {secret} and behind.")),
        ("partial_json", json!({ "command": format!("echo {secret} and\nbehind") }).to_string()),
        ("partial_json", json!({ "env": { "ANY": secret }, "b": "behind" }).to_string()),
    ];
    for (field, text) in texts {
        for length in 1..9 {
            let chars: Vec<char> = text.chars().collect();
            let pieces = chars.chunks(length).map(|piece| delta(field, &piece.iter().collect::<String>()));
            let (redacted, _) = redacted(&Redactor::new().secret(secret), &pieces.collect::<Vec<_>>());
            let piece =
                |line: &str| serde_json::from_str::<Value>(line).unwrap()["event"]["delta"][field].clone();
            let joined: String =
                redacted.lines().map(|line| piece(line).as_str().unwrap().to_owned()).collect();
            assert!(joined.contains("<redacted-1>") && !joined.contains("canary"), "{length}: {joined}");
            assert!(joined.contains("behind"), "{joined}");
            assert!(field != "partial_json" || serde_json::from_str::<Value>(&joined).is_ok(), "{joined}");
        }
    }
}

#[test]
fn prose_and_ids_stay() {
    for text in [
        "The token is expired; the password is required. Basic authentication, bearer tokens, cookies: none.",
        "Used 12 tokens: 5 in, 7 out. https://docs.example.com/guide/setup#install and git@github.com:a/b.git",
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 in crates/testkit/src/redact/shapes.rs:40",
        "task-notification of toolu_01ABCDEFGHIJKLMNOPQRSTUV, req_011CSHoEeqs5C35K2UUqR7Fy",
        "TOKEN=$TOKEN cmd --token-file /x; key: value; let token: String; risk-free desk-side-tables-and-chairs",
        "tests pass: 3456, pass=3456, TESTS_PASSED=3456, BYPASS=always; a low-pass filter, \"pass\" or not",
        "mkdir -p deep/folder; ssh -p 2222 host; docker run -p 8080:80 image; glob_pat = \"*.rs\"; key=\"RequireSecret\" value=\"true\"",
        "apt install mysql -y && mkdir -p deep/folder-1; mysql -u root -p shop_prod1; sshpass -e ssh -p 2222 h",
        "curl -b cookies.txt --data-binary @x h; echo hi | grep x; echo $TOKEN | docker login --password-stdin",
        "psql --password \"$DB_PASS\" -c \"ALTER USER app PASSWORD '${APP_PW}'\"",
        "grep -rn '-----BEGIN RSA PRIVATE KEY'; look at crates/tools/testkit/src/redact.rs",
        "xfc-0123456789abcdef0123456789abcdef, theATBBabcdefghijklmnopqrstuvwxyz",
        "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12-us1",
        "Set `token_count`: 4096, and `password_file`: none.",
        "00000000-0000-4000-8000-000000000001",
    ] {
        let line =
            json!({ "x": text, "type": "string", "progressToken": 2, "tokenSource": "none" }).to_string();
        let (text, report) = redacted(&Redactor::new(), &[format!("> {line}")]);
        assert_eq!(text, line);
        assert!(report.found.is_empty());
    }
    let counts = r#"> {"pass":3456,"bypass":"always"}"#;
    assert_eq!(redacted(&Redactor::new(), &[counts]).0, counts[2..]);
    let schema =
        r#"> {"inputSchema":{"properties":{"token":{"type":"string"},"headers":{"type":"object"}}}}"#;
    assert_eq!(redacted(&Redactor::new(), &[schema]).0, schema[2..]);
}

#[test]
fn the_report_counts_and_shows_no_secret() {
    let (_, report) = redacted(&Redactor::new(), &[r#"< {"env":{"A":"hunter2"},"b":"password: hunter3"}"#]);
    let shown = report.to_string();
    assert!(
        shown.contains("1 × environment variable") && shown.contains("1 × field or assignment"),
        "{shown}"
    );
    assert!(shown.contains("Not searched for") && !shown.contains("hunter"), "{shown}");
}
