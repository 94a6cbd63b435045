//! The columns of a CSV file, and the requests that its rows hold.

use payments_base::spelling::nearest;
use payments_core::Operation;
use payments_core::json::{Json, Members};
use payments_core::operation::{EXTRA, INTEGRATION_KEY, Presence, RequestMember, RequestShape};

/// A column that a file may have: `payee.name` is the member `name` of `payee`.
struct Column {
    name: String,
    is_required: bool,
    /// Whether some lines need it.
    is_often_required: bool,
    /// Whether it belongs to a choice of which a file needs at least one.
    is_choice: bool,
    /// Whether its member is an object of any members, each with a column.
    is_open: bool,
}

impl Column {
    fn of(name: String, field: &RequestMember) -> Self {
        Self {
            name,
            is_required: field.is_required(),
            is_often_required: field.presence == Presence::Required,
            is_choice: matches!(field.presence, Presence::OneOf | Presence::AtLeastOne),
            is_open: matches!(field.shape, RequestShape::Open),
        }
    }

    fn has(&self, name: &str) -> bool {
        match name.strip_prefix(&*self.name) {
            Some("") => !self.is_open,
            Some(rest) => self.is_open && rest.len() > 1 && rest.starts_with('.'),
            None => false,
        }
    }
}

fn known() -> Vec<Column> {
    let mut columns = Vec::new();
    for field in Operation::CreatePayout.fields() {
        match field.shape.fields() {
            [] => columns.push(Column::of(field.name.to_owned(), field)),
            inner => columns.extend(
                inner
                    .iter()
                    .map(|member| Column::of(format!("{}.{}", field.name, member.name), member)),
            ),
        }
    }
    columns.push(Column::of(INTEGRATION_KEY.name.to_owned(), &INTEGRATION_KEY));
    columns
}

/// The columns that a file with these columns lacks. Of a choice, the first one
/// stands for all.
fn missing<'k>(known: &'k [Column], columns: &[String]) -> Vec<&'k str> {
    let is_there = |column: &&Column| columns.contains(&column.name);
    let required = known.iter().filter(|it| it.is_required && !is_there(it));
    let mut choice = known.iter().filter(|it| it.is_choice);
    let first = if choice.clone().any(|it| is_there(&it)) { None } else { choice.next() };
    required.chain(first).map(|column| column.name.as_str()).collect()
}

/// The mistakes in the columns of a file, by their names.
pub(super) fn problems(columns: &[String]) -> Vec<(String, String)> {
    let known = known();
    let mut missing = missing(&known, columns);
    let often = known.iter().filter(|it| it.is_often_required && !columns.contains(&it.name));
    let mut wanted: Vec<&str> =
        missing.iter().copied().chain(often.map(|it| it.name.as_str())).collect();
    let mut problems = Vec::new();
    for (index, name) in columns.iter().enumerate() {
        if columns[..index].contains(name) {
            problems.push((name.clone(), "duplicate column; remove one".to_owned()));
        } else if !is_extra(name) && !known.iter().any(|column| column.has(name)) {
            let all = known.iter().filter(|column| !column.is_open).map(|it| it.name.as_str());
            let meant = nearest(name, wanted.iter().copied());
            missing.retain(|column| Some(*column) != meant);
            wanted.retain(|column| Some(*column) != meant);
            problems.push((name.clone(), unknown(name, meant.or_else(|| nearest(name, all)))));
        }
    }
    let choice: Vec<&str> = known.iter().filter(|it| it.is_choice).map(|it| &*it.name).collect();
    problems.extend(missing.into_iter().map(|name| {
        let message = match choice.split_first() {
            Some((first, others)) if *first == name => {
                format!("the column is missing; {} will do, too", others.join(" or "))
            }
            _ => "the column is missing".to_owned(),
        };
        (name.to_owned(), message)
    }));
    problems
}

fn is_extra(name: &str) -> bool {
    name.split('.').rev().skip(1).any(|object| object == EXTRA)
}

fn unknown(name: &str, meant: Option<&str>) -> String {
    match meant {
        _ if name.contains(char::is_control) => {
            "contains a control character, such as a tab; separate columns with commas or \
             semicolons"
                .to_owned()
        }
        Some(meant) => format!("unknown column; did you mean {meant}?"),
        None if name.is_empty() => "the column has no name; name it, or remove it".to_owned(),
        None => format!("unknown column; remove it, or name it {EXTRA}.{name} to send it"),
    }
}

/// The request of a row. Empty cells leave their member out.
pub(super) fn request(columns: &[String], cells: &[String]) -> Members {
    let mut members = Members::new();
    for (column, cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        put(&mut members, column, Json::from(cell.as_str()));
    }
    members
}

fn put(members: &mut Members, path: &str, value: Json) {
    let Some((object, rest)) = path.split_once('.') else {
        return members.push(path, value);
    };
    if let Some(inner) = members.get_mut(object).and_then(Json::as_object_mut) {
        return put(inner, rest, value);
    }
    let mut inner = Members::new();
    put(&mut inner, rest, value);
    // The check of the request refuses a member that is there already.
    members.push(object, inner);
}

/// Puts members into the order of their table, and others after them, by their
/// names. Columns in another order then give the same request.
pub(super) fn in_order(fields: &'static [RequestMember], members: Members) -> Members {
    let place = |name: &str| fields.iter().position(|it| it.name == name).unwrap_or(fields.len());
    let mut ordered: Vec<_> = members.into_iter().collect();
    ordered.sort_by(|(one, _), (other, _)| (place(one), one).cmp(&(place(other), other)));
    let with_inner = |(name, value): (String, Json)| match value {
        Json::Object(inner) => {
            let fields = fields.get(place(&name)).map_or(&[][..], |field| field.shape.fields());
            (name, Json::Object(in_order(fields, inner)))
        }
        value => (name, value),
    };
    ordered.into_iter().map(with_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    const ALL: &str = "external_reference,country,amount,currency_code,target,target_account,\
                       payee.name";

    #[test]
    fn a_wrong_column_suggests_the_nearest_missing_one() {
        assert_eq!(problems(&names(ALL)), []);
        assert_eq!(problems(&names(&format!("{ALL},payee.email,integration_key,extra.x"))), []);
        for payee in ["payee.document", "payee_uuid", "payee.name,payee_uuid"] {
            assert_eq!(problems(&names(&ALL.replace("payee.name", payee))), [], "{payee}");
        }
        let without = problems(&names("external_reference,country,amount,currency_code"));
        let message = "the column is missing; payee.document or payee_uuid will do, too";
        assert_eq!(without, [("payee.name".to_owned(), message.to_owned())]);
        for (renamed, wrong) in [
            ("external_reference", "reference"),
            ("external_reference", "External Reference"),
            ("amount", "amout"),
            ("currency_code", "currency"),
            ("target_account", "account"),
            ("payee.name", "name"),
            ("payee.name", "payee"),
        ] {
            let columns: Vec<_> = names(ALL)
                .into_iter()
                .map(|name| if name == renamed { wrong.to_owned() } else { name })
                .collect();
            let message = format!("unknown column; did you mean {renamed}?");
            assert_eq!(problems(&columns), [(wrong.to_owned(), message)], "{wrong}");
        }
        let optional = problems(&names(&format!("{ALL},document,document")));
        assert!(optional[0].1.ends_with("did you mean payee.document?"), "{optional:?}");
        assert!(optional[1].1.starts_with("duplicate"), "{optional:?}");
        let missing = problems(&names(&ALL.replace("country,", "")));
        assert_eq!(missing, [("country".to_owned(), "the column is missing".to_owned())]);
        let other = problems(&names(&format!("{ALL},zzz,,amount\tcountry")));
        assert!(other[0].1.contains("extra.zzz") && other[1].1.contains("no name"), "{other:?}");
        assert!(other[2].1.contains("control character"), "{other:?}");
    }

    #[test]
    fn each_member_of_an_open_object_is_a_column_of_texts() {
        let columns = format!("{ALL},payee.bank_info.bank_branch,payee.bank_info.bank_account");
        assert_eq!(problems(&names(&columns)), []);
        for wrong in ["payee.bank_info", "payee.bank_info.", "bank_info.bank_branch"] {
            let found = problems(&names(&format!("{ALL},{wrong}")));
            assert_eq!((found.len(), &*found[0].0), (1, wrong), "{found:?}");
        }
        let columns = "payee.name,payee.bank_info.bank_branch,payee.bank_info.bank_account";
        let request = request(&names(columns), &names("Maria,0001,1e3"));
        assert_eq!(
            Json::Object(in_order(Operation::CreatePayout.fields(), request)).to_text(),
            r#"{"payee":{"name":"Maria","bank_info":{"bank_account":"1e3","bank_branch":"0001"}}}"#
        );
    }

    #[test]
    fn columns_in_any_order_are_the_same_request() {
        let text = |columns: &str, cells: &str| {
            let request = request(&names(columns), &names(cells));
            Json::Object(in_order(Operation::CreatePayout.fields(), request)).to_text()
        };
        let one = text("payee.document,extra.b,amount,extra.a.y,payee.name", "1,2,3.50,4,5");
        let other = text("extra.a.y,payee.name,extra.b,payee.document,amount", "4,5,2,1,3.50");
        assert_eq!(one, other);
        assert_eq!(
            one,
            r#"{"amount":"3.50","payee":{"name":"5","document":"1"},"extra":{"a":{"y":"4"},"b":"2"}}"#
        );
        assert_eq!(
            text("amount,payee.name,payee.email", "x,,m"),
            r#"{"amount":"x","payee":{"email":"m"}}"#
        );
    }
}
