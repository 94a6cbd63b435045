//! Writes all mutants of a file into it: each is chosen at run time by its number.

use std::ops::Range;

use crate::find::{Form, Mutant, Site};

/// A file with its mutants inside.
pub struct RewrittenFile {
    pub text: String,
    /// Where each place is in the new text, outer ones before those inside.
    places: Vec<Place>,
}

struct Place {
    range: Range<usize>,
    mutants: Vec<(Range<usize>, String)>,
}

/// Writes the mutants that `number` has a number for.
pub fn rewritten(
    source: &str,
    sites: &[Site],
    number: &dyn Fn(&Mutant) -> Option<usize>,
) -> RewrittenFile {
    let mut writer = Writer { source, sites, number, next: 0, text: String::new(), places: vec![] };
    writer.copy(0..source.len());
    RewrittenFile { text: writer.text, places: writer.places }
}

impl RewrittenFile {
    /// The mutants of the last place before a position: a statement that may be left
    /// out, such as the end of a borrow, makes later ones fail.
    pub fn before(&self, position: usize) -> Vec<&str> {
        let before = self.places.iter().filter(|place| place.range.end <= position);
        let last = before.max_by_key(|place| place.range.end);
        last.iter().flat_map(|it| &it.mutants).map(|(_, name)| name.as_str()).collect()
    }

    /// The mutants to blame for an error of the compiler at a position: the one
    /// that is there, or else those of the innermost place around it.
    pub fn to_blame(&self, position: usize) -> Vec<&str> {
        let around = self.places.iter().filter(|place| place.range.contains(&position));
        let Some(place) = around.min_by_key(|place| place.range.len()) else { return vec![] };
        let here = place.mutants.iter().filter(|(range, _)| range.contains(&position));
        let here: Vec<_> = here.map(|(_, name)| name.as_str()).collect();
        if here.is_empty() {
            return place.mutants.iter().map(|(_, name)| name.as_str()).collect();
        }
        here
    }
}

struct Writer<'a> {
    source: &'a str,
    sites: &'a [Site],
    number: &'a dyn Fn(&Mutant) -> Option<usize>,
    next: usize,
    text: String,
    places: Vec<Place>,
}

impl Writer<'_> {
    /// Copies a range of the source, with the mutants of all places in it.
    fn copy(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(site) = self.sites.get(self.next) {
            if site.range.start >= range.end {
                break;
            }
            self.text.push_str(&self.source[at..site.range.start]);
            self.next += 1;
            self.write(site);
            at = site.range.end;
        }
        self.text.push_str(&self.source[at..range.end]);
    }

    fn write(&mut self, site: &Site) {
        let numbered = site.mutants.iter().filter_map(|it| Some((it, (self.number)(it)?)));
        let numbered: Vec<_> = numbered.collect();
        if numbered.is_empty() {
            return self.copy(site.range.clone());
        }
        let begin = self.text.len();
        let index = self.places.len();
        self.places.push(Place { range: begin..begin, mutants: vec![] });
        let mut written = vec![];
        if site.form == Form::Expression {
            self.text.push('(');
        }
        for (mutant, number) in numbered {
            let on = format!("crate::mutant::on({number})");
            let (before, after) = match site.form {
                Form::Expression => (format!("if {on} {{ "), " } else "),
                Form::Statement => (format!("if !{on} {{ "), ""),
                Form::Body => (format!(" if {on} {{ return "), "; }"),
                Form::Arm => (format!(" if !{on}"), ""),
            };
            self.text.push_str(&before);
            let from = self.text.len();
            if matches!(site.form, Form::Expression | Form::Body) {
                self.text.push_str(&mutant.text);
            }
            written.push((from..self.text.len(), mutant.name.clone()));
            self.text.push_str(after);
        }
        match site.form {
            Form::Expression => {
                self.text.push_str("{ ");
                self.copy(site.range.clone());
                self.text.push_str(" })");
            }
            Form::Statement => {
                self.copy(site.range.clone());
                self.text.push_str(" }");
            }
            Form::Body | Form::Arm => {}
        }
        self.places[index] = Place { range: begin..self.text.len(), mutants: written };
    }
}
