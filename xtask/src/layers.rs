//! Checks that modules of the core never import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Failure, sh};

/// Each module of the core with the modules it imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// A cycle of modules that import each other, if there is one.
pub(crate) fn circle() -> Result<Option<String>, Failure> {
    let list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "core/src/*.rs"];
    let mut imports = Imports::new();
    for file in sh::output(&list)?.lines() {
        // A deleted file stays listed until the deletion is staged.
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let path = file.trim_start_matches("core/src/");
        let module = path.split(['/', '.']).next().unwrap_or_default();
        if module != "lib" && !path.ends_with("_tests.rs") {
            imports.entry(module.to_owned()).or_default().extend(imported(module, &text));
        }
    }
    Ok(find(&imports).map(|circle| circle.join(" -> ")))
}

/// The other modules `text` imports. Unit tests are exempt.
fn imported(module: &str, text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = code.flat_map(|line| line.split("crate::").skip(1)).map(|rest| {
        let end = rest.find(|letter: char| letter != '_' && !letter.is_ascii_lowercase());
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    names.filter(|name| !name.is_empty() && name != module).collect()
}

fn find(imports: &Imports) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| follow(imports, module, &mut Vec::new(), &mut done))
}

fn follow(
    imports: &Imports,
    module: &String,
    way: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    way.push(module.clone());
    if let Some(start) = way[..way.len() - 1].iter().position(|before| before == module) {
        return Some(way[start..].to_vec());
    }
    if done.insert(module.clone()) {
        let below = imports.get(module).into_iter().flatten();
        for next in below {
            if let Some(circle) = follow(imports, next, way, done) {
                return Some(circle);
            }
        }
    }
    way.pop();
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_and_a_ladder_is_none() {
        let imports = |arrows: &[(&str, &str)]| {
            let mut imports = Imports::new();
            for (from, to) in arrows {
                imports.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            }
            find(&imports).map(|circle| circle.join(" "))
        };
        assert_eq!(imports(&[("client", "token"), ("token", "error"), ("client", "error")]), None);
        let circle = imports(&[("client", "token"), ("token", "error"), ("error", "token")]);
        assert_eq!(circle.as_deref(), Some("token error token"));
    }

    #[test]
    fn comments_tests_and_a_module_itself_do_not_count() {
        let text = "//! crate::config\nuse crate::json::{Json};\nlet it = crate::error::of();\n\
                    use crate::token::Token;\n#[cfg(test)]\nmod tests {\n    use crate::client::Client;\n";
        let found = imported("token", text);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["error", "json"]);
    }
}
