//! Reads a page as one reader would, and says what is wrong with it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::devtools::Browser;
use super::pages::{self, Case, Reader};
use crate::failure::{Failure, While as _};

/// What was found.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) checks: u64,
    pub(super) faults: Vec<String>,
}

/// Opens the page, drives it, and listens to what the browser has to say of it.
pub(super) fn read(
    browser: &mut Browser,
    case: &Case,
    reader: Reader,
    screenshots: Option<&Path>,
) -> Result<Seen, Failure> {
    let tab = open(browser, &case.file, reader)?;
    if let Some(folder) = screenshots {
        screenshot(browser, &tab, &folder.join(format!("{}, {}.png", case.name, reader.name)))?;
    }
    let facts = json!({"word": case.word, "scripts": reader.scripts, "narrow": reader.width < 500});
    let said = evaluate(browser, &tab, &format!("({CHECKS})({facts})"))?;
    let faults = said["faults"].as_array().into_iter().flatten();
    let mut faults: Vec<String> = faults.map(|fault| fault.as_str().unwrap_or_default().to_owned()).collect();
    let checks = said["checks"].as_u64().unwrap_or_default();
    if checks == 0 {
        faults.push(format!("nothing was checked: {said}"));
    }
    faults.extend(told(&browser.events(), &case.file));
    browser.call(Some(&tab), "Page.close", json!({}))?;
    Ok(Seen { checks, faults })
}

/// Shows that what must not happen would be seen: a script that the policy does not name, and a picture from elsewhere.
pub(super) fn self_test(browser: &mut Browser, case: &Case) -> Result<Vec<String>, Failure> {
    let evil = "<script>window.pwned=1</script><img src='http://127.0.0.1:9/x'>";
    let body = case.html.replacen("<main>", &format!("{evil}<main>"), 1);
    let open_body = body.replacen("Content-Security-Policy", "X-Nothing", 1);
    let mut faults = Vec::new();
    for (guarded, html) in [(true, &body), (false, &open_body)] {
        let file = pages::folder()?.join("self-test.html");
        fs::write(&file, html).while_doing(|| format!("writing {}", file.display()))?;
        let tab = open(browser, &file, Reader::ALL[0])?;
        let pwned = evaluate(browser, &tab, "({pwned: window.pwned === 1})")?["pwned"] == true;
        let told = told(&browser.events(), &file);
        browser.call(Some(&tab), "Page.close", json!({}))?;
        if pwned == guarded {
            faults
                .push(format!("self-test: a script of somebody else ran: {pwned}, with a policy: {guarded}"));
        }
        if told.is_empty() {
            faults.push(format!(
                "self-test: neither the script nor the picture was noticed, with a policy: {guarded}"
            ));
        }
    }
    Ok(faults)
}

fn open(browser: &mut Browser, file: &Path, reader: Reader) -> Result<String, Failure> {
    let target = browser.call(None, "Target.createTarget", json!({"url": "about:blank"}))?;
    let attach = json!({"targetId": target["targetId"], "flatten": true});
    let attached = browser.call(None, "Target.attachToTarget", attach)?;
    let tab = attached["sessionId"].as_str().unwrap_or_default().to_owned();
    for domain in ["Page", "Runtime", "Log", "Network"] {
        browser.call(Some(&tab), &format!("{domain}.enable"), json!({}))?;
    }
    let size =
        json!({"width": reader.width, "height": 900, "deviceScaleFactor": 1, "mobile": reader.width < 500});
    browser.call(Some(&tab), "Emulation.setDeviceMetricsOverride", size)?;
    let scheme = if reader.dark { "dark" } else { "light" };
    let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
    browser.call(Some(&tab), "Emulation.setEmulatedMedia", media)?;
    let without = json!({"value": !reader.scripts});
    browser.call(Some(&tab), "Emulation.setScriptExecutionDisabled", without)?;
    browser.events();
    browser.call(Some(&tab), "Page.navigate", json!({"url": url(file)}))?;
    browser.event("Page.loadEventFired")?;
    Ok(tab)
}

fn evaluate(browser: &mut Browser, tab: &str, code: &str) -> Result<Value, Failure> {
    let params = json!({"expression": code, "awaitPromise": true, "returnByValue": true});
    let said = browser.call(Some(tab), "Runtime.evaluate", params)?;
    match &said["exceptionDetails"] {
        Value::Null => Ok(said["result"]["value"].clone()),
        error => Err(Failure::new(format!("the checks themselves failed: {error}"))),
    }
}

/// What the browser told that a good page gives no reason to tell.
fn told(events: &[Value], file: &Path) -> Vec<String> {
    let own = url(file);
    let fault = |event: &Value| {
        let params = &event["params"];
        match event["method"].as_str()? {
            "Runtime.exceptionThrown" => Some(format!("threw {}", params["exceptionDetails"])),
            "Log.entryAdded" => Some(format!("logged {}", params["entry"]["text"])),
            "Runtime.consoleAPICalled" => Some(format!("wrote to the console {}", params["args"])),
            "Network.requestWillBeSent" => {
                let asked = params["request"]["url"].as_str()?;
                (asked.split('#').next() != Some(own.as_str())).then(|| format!("asked for {asked}"))
            }
            _ => None,
        }
    };
    events.iter().filter_map(fault).collect()
}

fn screenshot(browser: &mut Browser, tab: &str, file: &Path) -> Result<(), Failure> {
    let shot = browser.call(Some(tab), "Page.captureScreenshot", json!({"format": "png"}))?;
    let picture = from_base64(shot["data"].as_str().unwrap_or_default());
    fs::write(file, picture).while_doing(|| format!("writing {}", file.display()))
}

/// The few lines that would be a dependency.
fn from_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text.bytes() {
        let Some(value) = ALPHABET.iter().position(|letter| *letter == byte) else { continue };
        bits = bits << 6 | u32::try_from(value).unwrap_or_default();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).unwrap_or_default());
        }
    }
    bytes
}

/// The address of a file, as Chromium spells it: paths of a checkout may have spaces.
fn url(file: &Path) -> String {
    let path = file.display().to_string();
    format!("file://{}", path.replace('%', "%25").replace(' ', "%20").replace('#', "%23").replace('?', "%3F"))
}

const CHECKS: &str = include_str!("checks.js");
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{from_base64, told, url};

    #[test]
    fn pictures_are_read() {
        assert_eq!(from_base64("YWdlbnR3aXJl"), b"agentwire");
        assert_eq!(from_base64("YQ=="), b"a");
    }

    #[test]
    fn what_a_page_asks_for_is_a_fault_unless_it_is_the_page() {
        let file = std::path::Path::new("/a b/x.html");
        assert_eq!(url(file), "file:///a%20b/x.html");
        let asked =
            |url: &str| json!({"method": "Network.requestWillBeSent", "params": {"request": {"url": url}}});
        assert!(told(&[asked("file:///a%20b/x.html#line-4")], file).is_empty());
        assert_eq!(told(&[asked("http://127.0.0.1/")], file).len(), 1);
        assert_eq!(told(&[json!({"method": "Log.entryAdded"}), json!({"method": "Page.x"})], file).len(), 1);
    }
}
