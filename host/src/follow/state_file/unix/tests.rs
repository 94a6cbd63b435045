use super::*;
use crate::test_folder::Folder;

fn lines(path: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut file = StateFile::open(path).unwrap();
    file.read(|_, line| {
        lines.push(line.to_owned());
        Ok(())
    })
    .unwrap();
    lines
}

fn line(text: &str) -> [String; 1] {
    [text.to_owned()]
}

#[test]
fn a_forked_child_does_not_keep_the_file_locked() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let state = StateFile::open(&path).unwrap();
    // As in a fork.
    let of_child = state.file.try_clone().unwrap();
    drop(state);
    assert!(StateFile::open(&path).is_ok());
    drop(of_child);
}

#[test]
fn a_replaced_file_is_not_locked() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = StateFile::open(&path).unwrap();
    let waiting = File::open(&path).unwrap();
    assert!(private_file::is_at(&waiting, &path));
    state.replace(|output| output.write_all(b"new\n")).unwrap();
    assert!(!private_file::is_at(&waiting, &path) && private_file::is_at(&state.file, &path));
}

#[test]
fn only_leftovers_of_a_crash_are_removed() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let others = ["state.new", ".state.new", ".state..rewritten", ".state.7x.rewritten"];
    for name in others.into_iter().chain([".state.4194305.rewritten"]) {
        std::fs::write(folder.path().join(name), "half a li").unwrap();
    }
    let mut state = StateFile::open(&path).unwrap();
    state.replace(|output| output.write_all(b"line\n")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "line\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1 + others.len());
    let failed = state.replace(|_| Err(io::Error::other("the disk is full")));
    assert!(failed.unwrap_err().message().contains("the disk is full"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1 + others.len());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "line\n");
}

#[test]
fn half_a_line_is_taken_back() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    std::fs::write(&path, "head\none\nhal").unwrap();
    assert_eq!(lines(&path), ["head", "one"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\none\n");
    std::fs::write(&path, "order-1").unwrap();
    assert_eq!(lines(&path), ["order-1"], "it is no state file");
}

/// The state after a full disk: half a line, which a later write must not join.
#[test]
fn a_failed_write_is_taken_back_before_the_next_one() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = StateFile::open(&path).unwrap();
    state.append(&line("head"), false).unwrap();
    state.file.write_all(b"hal").unwrap();
    state.is_torn = true;
    state.append(&line("one"), true).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\none\n");
}

#[test]
fn nothing_is_written_after_a_failed_repair() {
    let folder = Folder::made();
    let path = folder.path().join("state");
    let mut state = StateFile::open(&path).unwrap();
    state.append(&line("head"), false).unwrap();
    OpenOptions::new().append(true).open(&path).and_then(|mut it| it.write_all(b"hal")).unwrap();
    state.fails_to_write();
    for _ in 0..2 {
        let error = state.append(&line("one"), false).unwrap_err();
        assert_eq!(error.code(), ErrorCode::STATE_FILE, "{error}");
        assert!(state.is_torn);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\nhal");
    state.file = OpenOptions::new().append(true).open(&path).unwrap();
    state.append(&line("two"), false).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\ntwo\n");
}
