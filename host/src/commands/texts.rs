//! Help texts of the packages' commands.

/// The commands of `journal`.
pub(super) const JOURNAL_HELP: &str = "\
list [--open]                                  lists entries, the oldest first
show ID|REFERENCE                              shows all entries of a reference
recover                                        queries the outcomes of open entries
resolve ID|REFERENCE --executed yes|no --note TEXT
                                               records what a person found out
resolve --from FILE                            records the decisions of a file: CSV
                                               (reference, executed, note), or one JSON
                                               object per line; all or none
prune --before DATE [--dry-run] [--yes]        deletes old entries that are not open;
                                               --yes also those of the last 30 days
--json                                         prints JSON on a terminal too
";

/// The arguments of `follow`.
pub(crate) const FOLLOW_HELP: &str = "\
REFERENCE...           payments to follow, by merchant_payment_code; without any,
                       the payments and refunds of the journal, and its payouts
                       if payout_query is on
--from FILE            reads references from a file, one per line
--hash                 the references are payment hashes
--external-reference   the references are those of payouts
--uid                  the references are the service's ids of payouts
--state FILE           remembers what was reported, also after a crash
--since DURATION       how far back the journal is read, by default 7d
--give-up-after DURATION
                       the age at which an open payment is given up, by default 7d
--forget DURATION      how long the state file keeps a reported end that no run
                       asks for, by default 90d; never keeps all
--per-second N         the most queries in a second, by default 5
--json                 prints JSON on a terminal too

A DURATION is a number with s, m, h or d. Prints a line for each end, in JSON
where standard output is no terminal. What is given up is queried once a day for
a year. It makes one query at a time; `payments follow` makes several.
Exit codes: 0 all are paid, refunded or cancelled; 1 a reference is invalid; 3
some are given up or differ from the journal, or another process follows. SIGTERM
and Ctrl-C end it by that signal, or with 3 as long as something is given up.
";

/// The variable that names the database.
pub(super) const DATABASE: &str = "PAYMENTS_JOURNAL_DATABASE";

/// The help of a package. `database` shows how the package names a database.
pub(super) fn package_help(program: &str, database: &str) -> String {
    let usage = format!(
        "{program} journal COMMAND [OPTIONS]\n       {program} follow [REFERENCE...] [OPTIONS]\n       {program} explain [NAME]"
    );
    let more = format!("\nSee `{program} follow --help` too.\n");
    let program = format!("{program} journal");
    let export = format!("  export {DATABASE}='{database}'\n");
    help_of_journal(&usage, &places(database), &(export + &examples(&program))) + &more
}

/// The help of the command of a framework, which has the client.
pub(super) fn framework_help(program: &str) -> String {
    help_of_journal(&format!("{program} COMMAND [OPTIONS]"), "", &examples(program))
}

/// The help of `explain`, the `command`.
pub(super) fn explain_help(command: &str) -> String {
    format!(
        "Explains a code, kind or outcome of errors, a state, or a member of the\nconfiguration: \
         what happened, whether money may have moved, and what to do.\n\n\
         Usage: {command} [NAME] [--json]\n\n\
         NAME      for example the `code` or `service_code` of an error; without it,\n          \
         lists all\n--json    prints JSON on a terminal too\n"
    )
}

/// The help of `follow`.
pub(super) fn follow_help(program: &str, database: &str) -> String {
    format!(
        "Follows open payments, refunds and payouts, and prints the end of each once.\n\n\
         Usage: {program} follow [REFERENCE...] [OPTIONS]\n\n{}{FOLLOW_HELP}\nExamples:\n  \
         {program} follow --state follow.state\n  {program} follow order-1001 order-1002\n",
        places(database)
    )
}

fn help_of_journal(usage: &str, places: &str, examples: &str) -> String {
    format!(
        "Works with a journal in a database.\n\nUsage: {usage}\n\n\
         create                                         makes the table payments_journal, once\n\
         upgrade                                        gives a table of an earlier version\n\
         \x20                                              the format of this one; keeps all entries\n\
         {JOURNAL_HELP}{places}\nExamples:\n{examples}\n\
         Exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 an entry is still\n\
         open after recover, or another process recovers.\n"
    )
}

/// The options that say where things are.
fn places(database: &str) -> String {
    format!(
        "--database DATABASE    where the journal is, such as {database};\n\
         \x20                      better set {DATABASE} if it has a password\n\
         --config FILE          the configuration, without environment variables; by default\n\
         \x20                      payments.json, if there is one, and variables PAYMENTS_*\n\
         --with-env             environment variables override the file of --config\n"
    )
}

fn examples(program: &str) -> String {
    let commands = [
        "create",
        "list --open",
        "show payout-17",
        "recover",
        "resolve payout-17 --executed yes --note 'listed on the platform'",
        "resolve --from decisions.csv",
        "prune --before 2026-01-31 --dry-run",
    ];
    commands.map(|command| format!("  {program} {command}\n")).concat()
}
